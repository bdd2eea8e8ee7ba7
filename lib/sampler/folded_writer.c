/* folded_writer.c - write samples as folded text. */
#include "sampler/folded_writer.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/snapshot.h"

#include <stdlib.h>

#define SECOND 1000000000

struct folded_writer {
	struct resolver *resolver;
	struct jit_refresh *jit;
	bool with_state;
	char hz[32];
	struct snapshots *snapshots;
	uint64_t snapshot_start; /* of CLOCK_MONOTONIC, in ns */
	uint32_t *token; /* by the number of the code, plus one; 0: none yet */
	size_t ntokens;
};

struct folded_writer *
folded_writer_new(struct resolver *r, struct jit_refresh *jit, double hz,
		  bool with_state)
{
	struct folded_writer *w = mem_zero(1, sizeof(*w));

	w->resolver = r;
	w->jit = jit;
	w->with_state = with_state;
	snprintf(w->hz, sizeof(w->hz), "%g", hz);
	w->snapshots = snapshot_new("monotonic", w->hz);
	w->snapshot_start = clock_ns(CLOCK_MONOTONIC);
	return w;
}

void
folded_writer_free(struct folded_writer *w)
{
	if (w == NULL)
		return;
	snapshot_free(w->snapshots);
	free(w->token);
	free(w);
}

static uint32_t
token_of(struct folded_writer *w, const struct code *code)
{
	const size_t old = w->ntokens;
	struct frame f = { .name = code->name,
			   .module = code->module,
			   .kind = code->kind == CODE_JIT    ? FRAME_JIT :
				   code->kind == CODE_INLINE ? FRAME_INLINE :
							       FRAME_USER };

	if (code->number >= old) {
		w->token = mem_grow(w->token, &w->ntokens,
				    (size_t)code->number + 1,
				    sizeof(*w->token));
		memset(w->token + old, 0,
		       (w->ntokens - old) * sizeof(*w->token));
	}
	if (w->token[code->number] == 0)
		w->token[code->number] = snapshot_token(w->snapshots, &f) + 1;
	return w->token[code->number] - 1;
}

static void
push_mark(struct folded_writer *w, struct str name)
{
	snapshot_push(
	    w->snapshots,
	    token_of(w, code_intern_mark(resolve_codes(w->resolver), name)));
}

static void
push_state(struct folded_writer *w, const struct thread_sample *s)
{
	struct buf text = { 0 };

	buf_str(&text, STR("state:"));
	if (s->state == 'R')
		buf_str(&text, STR("running"));
	else if (s->call.len > 0)
		buf_str(&text, s->call);
	else
		buf_str(&text,
			s->state == 'T' ? STR("stopped") : STR("waiting"));
	push_mark(w, buf_slice(&text));
	buf_free(&text);
}

void
folded_writer_sample(struct folded_writer *w, const struct thread_sample *s)
{
	const struct unwind_frame *f;
	const struct code *code;
	struct jit_symbol unused;
	size_t i;

	snapshot_begin(w->snapshots, s->name);
	if (w->with_state)
		push_state(w, s);
	if (s->moving)
		push_mark(w, STR("[moving]"));
	resolve_at(w->resolver, s->pid, s->time);
	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		code = resolve(w->resolver, RESOLVE_USER, f->pc, !f->exact);
		/* This asks for a name, for the next sample. */
		if (code->name.len == 0)
			jit_refresh_find(w->jit, s->pid, s->time,
					 f->pc - !f->exact, &unused);
		for (; code != NULL; code = code->outer)
			snapshot_push(w->snapshots, token_of(w, code));
	}
	snapshot_end(w->snapshots, s->truncated);
}

void
folded_writer_round(struct folded_writer *w, bool last)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!last && now - w->snapshot_start < SECOND)
		return;
	snapshot_write(w->snapshots, w->snapshot_start,
		       now - w->snapshot_start);
	w->snapshot_start = now;
}
