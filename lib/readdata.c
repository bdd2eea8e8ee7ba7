/* readdata.c - a recording of perf, read into a sink. */
#include "readdata.h"

#include "event.h"
#include "mem.h"
#include "readjit.h"

#include <stdlib.h>

#define NO_TOKEN UINT32_MAX

/* Tokens of code, by its number; NO_TOKEN where there is none yet. */
struct code_tokens {
	const struct readdata *how;
	uint32_t *token[SINK_FLAVOURS], *line;
	size_t n, cap[SINK_FLAVOURS], line_cap;
};

static struct frame
code_frame(const struct profile_frame *f)
{
	static const enum frame_kind kinds[] = { [CODE_USER] = FRAME_USER,
						 [CODE_KERNEL] = FRAME_KERNEL,
						 [CODE_JIT] = FRAME_JIT,
						 [CODE_INLINE] = FRAME_INLINE };

	return (struct frame){ .name = f->code->name,
			       .module = f->code->module,
			       .line = f->code->line,
			       .addr = f->address,
			       .has_addr = true,
			       .kind = kinds[f->code->kind] };
}

static void
grow_tokens(struct code_tokens *t, size_t n)
{
	int i;
	size_t old = t->n, j;

	for (i = 0; i < SINK_FLAVOURS; i++) {
		t->token[i] = mem_grow(t->token[i], &t->cap[i], n,
				       sizeof(*t->token[i]));
		t->n = t->cap[i];
		for (j = old; j < t->n; j++)
			t->token[i][j] = NO_TOKEN;
	}
}

static uint32_t
code_token(struct code_tokens *t, struct sink *out,
	   const struct profile_frame *f, int flavour)
{
	struct frame frame;
	uint32_t *token;

	if (f->code->number >= t->n)
		grow_tokens(t, f->code->number + 1);
	token = &t->token[flavour][f->code->number];
	if (*token != NO_TOKEN)
		return *token;
	frame = code_frame(f);
	if (t->how->change != NULL)
		t->how->change(t->how->arg, &frame);
	if (frame.name.len == 0 && sink_shows_addrs(out))
		return sink_token(out, &frame, flavour);
	return *token = sink_token(out, &frame, flavour);
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

static struct sample
data_sample(const struct profile_sample *s)
{
	struct str unit = event_unit(s->event->name);
	uint64_t hz = s->event->hz;

	return (struct sample){ .time = s->time,
				.has_time = s->has_time,
				.pid = s->pid,
				.tid = s->tid,
				.cpu = s->cpu,
				.comm = s->comm,
				.cgroup = s->cgroup,
				.event = s->event->name,
				.unit = s->is_ns      ? STR("ns") :
					s->period > 0 ? unit :
							STR("samples"),
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

void
readdata(const struct readdata *how, struct input *in, struct sink *out)
{
	struct profile_options options = *how->options;
	struct code_tokens tokens = { how, .n = 0 };
	struct profile *profile;
	struct profile_sample s;
	struct sample sample;
	struct buf line = { 0 };
	int i;

	options.sorted = sink_is_stream(out);
	options.resolve.jit = readjit_open(how->jit);
	profile = profile_open(in, &options);
	while (profile_read(profile, &s)) {
		sample = data_sample(&s);
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
	for (i = 0; i < SINK_FLAVOURS; i++)
		free(tokens.token[i]);
	free(tokens.line);
}
