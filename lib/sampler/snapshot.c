/* snapshot.c - write a stream of profiles, as in folded(5). */
#include "sampler/snapshot.h"

#include "base/mem.h"
#include "folded/fold.h"
#include "folded/meta.h"
#include "reader/roots.h"

#include <stdlib.h>

struct snapshots {
	const char *clock, *hz;
	struct snapshot_source from;
	struct fold *fold;
	struct tokens *tokens;
	struct roots *roots;
	uint32_t truncated_token;
	const struct root_frames *root; /* of the stack that was begun */
	struct ids stack;               /* leaf first */
	struct ids line;                /* root first */
	uint64_t samples, truncated;    /* of the snapshot */
};

struct snapshots *
snapshot_new(const char *clock, const char *hz, bool with_tid,
	     const struct snapshot_source *from)
{
	const struct token_options options = { .kernel = false };
	const enum root root = with_tid ? ROOT_COMM_TID : ROOT_COMM;
	struct snapshots *s = mem_zero(1, sizeof(*s));

	s->clock = clock;
	s->hz = hz;
	s->from = *from;
	s->fold = fold_new(1);
	s->tokens = tokens_new(fold_names(s->fold), &options);
	s->roots = roots_new(fold_names(s->fold), &root, 1);
	s->truncated_token = intern_id(fold_names(s->fold), STR("[truncated]"));
	return s;
}

void
snapshot_free(struct snapshots *s)
{
	tokens_free(s->tokens);
	roots_free(s->roots);
	fold_free(s->fold);
	free(s->stack.id);
	free(s->line.id);
	free(s);
}

uint32_t
snapshot_token(struct snapshots *s, const struct frame *f)
{
	return tokens_make(s->tokens, f, 0);
}

void
snapshot_begin(struct snapshots *s, struct str comm, int64_t pid, int64_t tid)
{
	struct sample sample = SAMPLE_UNKNOWN;

	sample.comm = comm;
	sample.pid = pid;
	sample.tid = tid;
	s->root = roots_of(s->roots, &sample);
	s->stack.n = 0;
}

void
snapshot_push(struct snapshots *s, uint32_t token)
{
	tokens_names(s->tokens, &s->stack, &token, 1, false);
}

void
snapshot_push_names(struct snapshots *s, const uint32_t *id, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		tokens_push(&s->stack, id[i]);
}

void
snapshot_end(struct snapshots *s, bool truncated)
{
	const struct count one = count_of(1);
	size_t i;

	s->line.n = 0;
	for (i = 0; i < s->root->ids.n; i++)
		tokens_push(&s->line, s->root->ids.id[i]);
	if (truncated)
		tokens_push(&s->line, s->truncated_token);
	for (i = s->stack.n; i > 0; i--)
		tokens_push(&s->line, s->stack.id[i - 1]);
	s->samples++;
	s->truncated += truncated;
	if (s->line.n > 0)
		fold_add(s->fold, s->line.id, s->line.n, &one);
}

const uint32_t *
snapshot_stack(const struct snapshots *s, size_t *n)
{
	*n = s->stack.n;
	return s->stack.id;
}

const struct intern *
snapshot_names(const struct snapshots *s)
{
	return fold_names(s->fold);
}

void
snapshot_write(struct snapshots *s, const struct snapshot_span *span)
{
	struct meta m = { 0 };
	struct buf line = { 0 };

	meta_set(&m, "fold", STR("1"));
	meta_set(&m, "counts", STR("1"));
	meta_set(&m, "unit", STR("samples"));
	meta_set(&m, "clock", str_of(s->clock));
	meta_set(&m, "hz", str_of(s->hz));
	meta_set_u64(&m, "quantum", 1);
	meta_set_u64(&m, "n", s->samples);
	meta_set_u64(&m, "rounds", span->rounds);
	meta_set_ns(&m, "time", span->time);
	meta_set_ns(&m, "dur", span->length);
	if (s->from.comm.len > 0)
		meta_set(&m, "comm", s->from.comm);
	if (s->from.pid >= 0)
		meta_set_u64(&m, "pid", (uint64_t)s->from.pid);
	if (s->truncated > 0)
		meta_set_u64(&m, "broken", s->truncated);
	meta_print(&line, &m);
	buf_write(&line, stdout);
	fold_write(s->fold, count_of(0), stdout);
	putchar('\n');
	fflush(stdout);
	fold_clear(s->fold);
	s->samples = s->truncated = 0;
	meta_free(&m);
	buf_free(&line);
}
