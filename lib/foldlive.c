/* foldlive.c - what a sampler takes, written as folded text as it comes. */
#include "foldlive.h"

#include "mem.h"
#include "snapshot.h"
#include "tasks.h"

#include <stdlib.h>

#define SECOND 1000000000

struct foldlive {
	struct resolver *resolver;
	struct jitnow *jit;
	bool state;
	char hz[32];
	struct snapshots *snapshots;
	uint64_t began;  /* the snapshot */
	uint32_t *token; /* of code, by its number, plus one */
	size_t ntokens;
};

struct foldlive *
foldlive_new(struct resolver *r, struct jitnow *jit, double hz, bool state)
{
	struct foldlive *o = mem_zero(1, sizeof(*o));

	o->resolver = r;
	o->jit = jit;
	o->state = state;
	snprintf(o->hz, sizeof(o->hz), "%g", hz);
	o->snapshots = snapshots_new("monotonic", o->hz);
	o->began = tasks_now();
	return o;
}

void
foldlive_free(struct foldlive *o)
{
	if (o == NULL)
		return;
	snapshots_free(o->snapshots);
	free(o->token);
	free(o);
}

static uint32_t
token_of(struct foldlive *o, const struct code *code)
{
	const size_t old = o->ntokens;
	struct frame f = { .name = code->name,
			   .module = code->module,
			   .kind = code->kind == CODE_JIT    ? FRAME_JIT :
				   code->kind == CODE_INLINE ? FRAME_INLINE :
							       FRAME_USER };

	if (code->number >= old) {
		o->token = mem_grow(o->token, &o->ntokens,
				    (size_t)code->number + 1,
				    sizeof(*o->token));
		memset(o->token + old, 0,
		       (o->ntokens - old) * sizeof(*o->token));
	}
	if (o->token[code->number] == 0)
		o->token[code->number] = snapshots_token(o->snapshots, &f) + 1;
	return o->token[code->number] - 1;
}

static void
push_mark(struct foldlive *o, struct str name)
{
	snapshots_push(o->snapshots,
		       token_of(o, resolver_mark(o->resolver, name)));
}

static void
push_state(struct foldlive *o, const struct sampled *s)
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
	push_mark(o, buf_slice(&text));
	buf_free(&text);
}

void
foldlive_sample(struct foldlive *o, const struct sampled *s)
{
	const struct unwind_frame *f;
	const struct code *code;
	struct jit_symbol none;
	size_t i;

	snapshots_begin(o->snapshots, s->name);
	if (o->state)
		push_state(o, s);
	if (s->moving)
		push_mark(o, STR("[moving]"));
	resolver_at(o->resolver, s->pid, s->time);
	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		code = resolve(o->resolver, RESOLVE_USER, f->pc, !f->exact);
		/* There may be a name in time for the next one. */
		if (code->name.len == 0)
			jitnow_find(o->jit, s->pid, s->time, f->pc - !f->exact,
				    &none);
		for (; code != NULL; code = code->outer)
			snapshots_push(o->snapshots, token_of(o, code));
	}
	snapshots_end(o->snapshots, s->truncated);
}

void
foldlive_round(struct foldlive *o, bool last)
{
	const uint64_t time = tasks_now();

	if (!last && time - o->began < SECOND)
		return;
	snapshots_write(o->snapshots, o->began, time - o->began);
	o->began = time;
}
