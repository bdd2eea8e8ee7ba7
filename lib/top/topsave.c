/* topsave.c - the profile that foldtop(1) shows, as folded text. */
#include "top/topsave.h"

#include "base/mem.h"
#include "tree/trietext.h"

#include <math.h>
#include <stdlib.h>

/* Set a number, rounded, if it is known. */
static void
set_number(struct meta *m, const char *key, double n)
{
	if (n >= 1 && n < 1e18)
		meta_set_u64(m, key, (uint64_t)llround(n));
}

/* Whether its time is known. */
static bool
is_snapshot(const struct top *t)
{
	return t->total.length >= 1 && t->total.length < (double)t->total.end;
}

static void
print_metadata(const struct top *t, struct buf *out)
{
	const struct topprofile *p = t->profile;
	struct buf hz = { 0 };
	struct meta m = { 0 };
	size_t i;

	meta_set(&m, "fold", STR("1"));
	meta_set(&m, "counts", STR("1"));
	for (i = 0; i < p->meta.n; i++)
		meta_set_raw(&m, p->meta.entry[i].key.p,
			     p->meta.entry[i].value);
	if (p->hz > 0 && isfinite(p->hz)) {
		buf_printf(&hz, "%g", p->hz);
		meta_set(&m, "hz", buf_slice(&hz));
	}
	if (p->comm.len > 0)
		meta_set(&m, "comm", buf_slice(&p->comm));
	if (p->pid > 0)
		meta_set_u64(&m, "pid", p->pid);
	if (t->thread == TOPTHREADS_ALL)
		set_number(&m, "n", t->total.tallies.samples);
	set_number(&m, "rounds", t->total.tallies.rounds);
	if (is_snapshot(t)) {
		meta_set_ns(&m, "time",
			    t->total.end - (uint64_t)t->total.length);
		meta_set_ns(&m, "dur", (uint64_t)t->total.length);
	}
	meta_print(out, &m);
	meta_free(&m);
	buf_free(&hz);
}

/* Where to print a stack, and the counts by frame. */
struct topsave_text {
	struct buf *out;
	const struct count *count;
};

static void
print_stack(void *arg, uint32_t frame, struct str stack)
{
	const struct topsave_text *text = arg;

	buf_str(text->out, stack);
	buf_char(text->out, ' ');
	count_print(text->out, text->count[frame]);
	buf_char(text->out, '\n');
}

void
topsave_text(const struct top *t, struct buf *out)
{
	const struct trie *trie = &t->profile->trie;
	uint32_t *ends = mem_zero((size_t)trie->n + 1, sizeof(*ends)), i;
	struct topsave_text text = { out, t->count };
	bool any = false;

	for (i = 1; i < t->ncount; i++) {
		ends[i] = !count_iszero(t->count[i]) &&
			  (t->thread == TOPTHREADS_ALL ||
			   t->threads.thread_of[i] == t->thread);
		any = any || ends[i];
	}
	if (any) {
		print_metadata(t, out);
		trietext_visit(trie, t->profile->names, ends, print_stack,
			       &text);
		if (is_snapshot(t))
			buf_char(out, '\n');
	}
	free(ends);
}
