/* readdata.c - a recording of perf, read into a sink. */
#include "readdata.h"

#include "codetokens.h"
#include "event.h"
#include "mem.h"
#include "readjit.h"

#include <stdlib.h>

/* A stack, as tokens of a sink. */
struct code_tokens {
	struct codetokens codes;
	uint32_t *line;
	size_t line_cap;
};

static uint32_t
code_token(struct code_tokens *t, struct sink *out,
	   const struct profile_frame *f, int flavour)
{
	return codetokens_of(&t->codes, out, f->code, f->address, flavour);
}

static void
push_codes(struct code_tokens *t, struct sink *out,
	   const struct profile_sample *s)
{
	int flavour = sink_flavour(s->comm);
	size_t i;

	t->line = mem_grow(t->line, &t->line_cap, s->n + 1, sizeof(*t->line));
	for (i = 0; i < s->n; i++)
		t->line[i] = code_token(t, out, &s->frame[i], flavour);
	sink_push(out, t->line, s->n);
	if (s->truncated)
		sink_truncated(out);
}

static void
set_sample(struct sample *to, const struct profile_sample *s, struct str unit)
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

void
readdata(const struct readdata *how, struct input *in, struct sink *out)
{
	struct profile_options options = *how->options;
	struct code_tokens tokens = { .codes = { .change = how->change,
						 .arg = how->arg } };
	struct profile *profile;
	struct profile_sample s;
	struct sample sample;
	struct str event = STR(""), unit = STR("");
	struct buf line = { 0 };

	options.sorted = sink_is_stream(out);
	options.others = sink_is_stream(out) && sink_takes_all(out);
	options.resolve.jit = readjit_open(how->jit);
	profile = profile_open(in, &options);
	while (profile_read(profile, &s)) {
		if (s.event->name.p != event.p) {
			event = s.event->name;
			unit = event_unit(event);
		}
		set_sample(&sample, &s, unit);
		if (!sink_begin(out, &sample))
			continue;
		push_codes(&tokens, out, &s);
		sink_end(out, count_of(s.period > 0 ? s.period : 1));
	}
	for (; profile_note(profile, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	profile_close(profile);
	readjit_close(options.resolve.jit, out);
	buf_free(&line);
	codetokens_free(&tokens.codes);
	free(tokens.line);
}
