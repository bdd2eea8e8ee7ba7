/* perfdata_reader.c - reads perf.data into a sink. */
#include "perf/perfdata_reader.h"

#include "base/mem.h"
#include "folded/event.h"
#include "perf/jit_report.h"
#include "perf/perfdata_parallel.h"

#include <stdlib.h>

static void
push_stack(struct perfdata_tokens *t, struct sink *out,
	   const struct perfdata_sample *s)
{
	const int flavour = sink_flavour(s->comm);
	size_t i;

	t->token = mem_grow(t->token, &t->cap, s->n + 1, sizeof(*t->token));
	for (i = 0; i < s->n; i++)
		t->token[i] = codetokens_of(&t->codes, out, s->frame[i].code,
					    s->frame[i].address, flavour);
	sink_push(out, t->token, s->n);
	if (s->truncated)
		sink_truncated(out);
}

static void
set_sample(struct sample *to, const struct perfdata_sample *s, struct str unit)
{
	uint64_t hz = s->event->hz;

	*to = (struct sample){ .time = s->time,
			       .has_time = s->has_time,
			       .pid = s->pid,
			       .tid = s->tid,
			       .cpu = s->cpu,
			       .comm = s->comm,
			       .cgroup = s->cgroup,
			       .args = s->args,
			       .lost = s->lost,
			       .event = s->event->name,
			       .unit = s->is_ns      ? STR("ns") :
				       s->period > 0 ? unit :
						       STR("samples"),
			       .ns = hz > 0 ? 1000000000 / hz : 0,
			       .n = 1 };
}

/* Announce events that are new: a pipe may describe some later. */
static void
announce_events(struct perfdata_tokens *t,
		const struct perfdata_samples *samples, struct sink *out)
{
	const struct perf_events *events = perfdata_samples_events(samples);

	for (; events != NULL && t->announced < events->n; t->announced++)
		sink_announce_event(out, events->event[t->announced]->name);
}

static void
push_samples(struct perfdata_samples *samples, struct perfdata_tokens *t,
	     struct sink *out)
{
	struct perfdata_sample s;
	struct sample sample;
	struct str event = STR(""), unit = STR("");

	while (perfdata_samples_read(samples, &s)) {
		announce_events(t, samples, out);
		if (s.event->name.p != event.p) {
			event = s.event->name;
			unit = event_unit(event);
		}
		set_sample(&sample, &s, unit);
		if (!sink_begin(out, &sample))
			continue;
		push_stack(t, out, &s);
		sink_end(out, count_of(s.period > 0 ? s.period : 1));
	}
}

static bool
read_samples(const struct perfdata_reader *how,
	     const struct perfdata_samples_options *options, struct input *in,
	     struct sink *out, struct buf *why)
{
	struct perfdata_tokens tokens = { .codes = { .change = how->change,
						     .arg = how->arg } };
	const struct perfdata_parallel parallel = {
		.threads = how->change != NULL ? 1 : how->threads,
		.push = push_samples
	};
	struct perfdata_samples *samples;
	struct buf line = { 0 };
	bool good;

	samples = perfdata_samples_open(in, options, why);
	if (samples == NULL)
		return false;
	perfdata_parallel_read(&parallel, samples, &tokens, out);
	push_samples(samples, &tokens, out);
	good = perfdata_samples_error(samples).len == 0;
	if (!good)
		buf_str(why, perfdata_samples_error(samples));
	for (; good && perfdata_samples_note(samples, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	perfdata_samples_close(samples);
	buf_free(&line);
	codetokens_free(&tokens.codes);
	free(tokens.token);
	return good;
}

bool
perfdata_reader_read(const struct perfdata_reader *how, struct input *in,
		     struct sink *out, struct buf *why)
{
	struct perfdata_samples_options options = *how->options;
	struct jit *jit = jitopt_open(how->jit, -1, why);
	bool good;

	if (jit == NULL)
		return false;
	options.sorted = sink_is_stream(out);
	options.others = sink_is_stream(out) && sink_all_events(out);
	options.resolve.jit = jit;
	good = read_samples(how, &options, in, out, why);
	if (good)
		jit_report(jit, out);
	jit_free(jit);
	return good;
}
