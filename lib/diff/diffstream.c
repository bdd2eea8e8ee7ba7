/* diffstream.c - compares each snapshot of a stream with the earlier ones. */
#include "diff/diffstream.h"

#include "base/mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Earlier snapshots that are needed to estimate how much snapshots differ. */
#define MIN_SNAPSHOTS 5

/* If there are more, the oldest two are joined. */
#define MAX_SNAPSHOTS 32

/* The smallest limit of frames in the trie. */
#define MIN_FRAME_LIMIT (1 << 14)

struct diffstream {
	const struct diffstream_option *option;
	struct comparison comparison; /* a run for each snapshot */
	uint32_t frame_limit;         /* if exceeded, drop unused frames */
	struct folded f;
	struct stack stack;
	struct meta_merge merge;
	bool open;               /* the current snapshot has stacks */
	bool compared;           /* some snapshot was */
	struct intern *reported; /* changes of the last snapshot, or NULL */
	FILE *out;
};

/* Whether the samples of two runs have the same weight. */
static bool
have_same_quantum(const struct replicate *a, const struct replicate *b)
{
	uint64_t x = 0, y = 0;

	return meta_u64(&a->meta, "quantum", &x) ==
		   meta_u64(&b->meta, "quantum", &y) &&
	       x == y;
}

/* Join the two oldest runs. */
static void
join_oldest(struct comparison *c)
{
	struct replicate *run = c->run, *next = run + 1;
	uint64_t n, m;

	replicate_join(run, next);
	if (meta_u64(&run->meta, "n", &n) && meta_u64(&next->meta, "n", &m) &&
	    !__builtin_add_overflow(n, m, &n))
		meta_set_u64(&run->meta, "n", n);
	else
		meta_unset(&run->meta, "n");
	replicate_free(next);
	c->n--;
	memmove(next, next + 1, (c->n - 1) * sizeof(*next));
}

/*
 * There are too many snapshots: join the oldest two.  If new frames keep
 * coming, drop the oldest and its frames instead: a stream may never end.
 */
static void
shrink(struct diffstream *w)
{
	struct comparison *c = &w->comparison;
	bool many = c->trie.n > w->frame_limit;

	if (!many && have_same_quantum(&c->run[0], &c->run[1])) {
		join_oldest(c);
		return;
	}
	replicate_free(&c->run[0]);
	c->n--;
	memmove(c->run, c->run + 1, c->n * sizeof(*c->run));
	if (!many)
		return;
	comparison_compact(c);
	stack_forget(&w->stack);
	w->frame_limit = c->trie.n < MIN_FRAME_LIMIT / 2 ? MIN_FRAME_LIMIT :
							   2 * c->trie.n;
}

/* Append what identifies a change in the next snapshot: its class and name. */
static void
name_change(const struct significance *sig, const struct change *c,
	    struct buf *out)
{
	buf_printf(out, "%s %d ", diffreport_class(c),
		   c->row < sig->matrix.frames);
	diffreport_row(sig, c->row, out);
}

/* Report the changes that the last report does not have. */
static void
report(struct diffstream *w, const struct significance *sig)
{
	struct intern *now = intern_new();
	struct buf line = { 0 }, name = { 0 };
	struct str time = meta_get(&w->f.header, "time");
	uint32_t id;
	size_t i;

	for (i = 0; i < sig->nchange; i++) {
		name.len = 0;
		name_change(sig, &sig->change[i], &name);
		intern_id(now, buf_slice(&name));
		if (w->reported != NULL &&
		    intern_find(w->reported, buf_slice(&name), &id))
			continue;
		buf_str(&line, time);
		buf_str(&line, STR("  "));
		diffreport_line(sig, &sig->change[i], &line);
	}
	buf_write(&line, w->out);
	fflush(w->out);
	buf_free(&line);
	buf_free(&name);
	intern_free(w->reported);
	w->reported = now;
}

static void
compare_last(struct diffstream *w)
{
	struct comparison *c = &w->comparison;
	struct significance sig;

	comparison_check(c);
	if (c->n > MIN_SNAPSHOTS) {
		significance_test(&sig, c, &w->option->significance);
		report(w, &sig);
		significance_free(&sig);
		w->compared = true;
	}
	c->run[c->n - 1].side = BEFORE;
	if (c->n > MAX_SNAPSHOTS)
		shrink(w);
}

static void
end_snapshot(struct diffstream *w, const struct input *in)
{
	const char *reason = meta_merge_end(&w->merge);

	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": this snapshot cannot be compared: %s",
		     in->name, in->line, reason);
	w->comparison.run[w->comparison.n - 1].meta = w->merge.all;
	w->merge.all = (struct meta){ 0 };
	meta_merge_free(&w->merge);
	w->merge = (struct meta_merge){ 0 };
	w->open = false;
	compare_last(w);
}

static void
add_stack(struct diffstream *w, const struct input *in)
{
	struct comparison *c = &w->comparison;

	if (!w->open) {
		meta_merge_begin(&w->merge, &w->f.header);
		comparison_begin(c, in->name, AFTER);
	}
	w->open = true;
	if (w->f.counts != 1)
		errx(2,
		     "%s:%" PRIu64
		     ": a snapshot has one count per line, not two",
		     in->name, in->line);
	stack_split(&w->stack, comparison_names(c), w->f.stack);
	if (!comparison_add(c, w->stack.id, w->stack.n, w->f.count))
		errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits", in->name,
		     in->line);
	meta_merge_stack(&w->merge, &w->f.own, w->f.count[0]);
}

bool
diffstream(const struct diffstream_option *o, struct input *in, FILE *out)
{
	struct diffstream w = { .option = o,
				.frame_limit = MIN_FRAME_LIMIT,
				.out = out };
	enum folded_kind kind;

	w.comparison = (struct comparison){ .with_runs = true,
					    .strip_hex = o->strip_hex,
					    .palette = o->palette };
	comparison_init(&w.comparison);
	while ((kind = folded_read(&w.f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_stack(&w, in);
		else if (kind == FOLDED_BLANK && w.open)
			end_snapshot(&w, in);
	}
	if (w.open)
		meta_merge_drop(&w.merge);
	meta_merge_free(&w.merge);
	intern_free(w.reported);
	stack_free(&w.stack);
	folded_free(&w.f);
	comparison_free(&w.comparison);
	return w.compared || in->tally->good == 0;
}
