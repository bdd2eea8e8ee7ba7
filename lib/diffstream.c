/* diffstream.c - each snapshot of a stream next to those before it. */
#include "diffstream.h"

#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* So many snapshots show how much snapshots differ. */
#define FEWEST 5

/* The oldest ones are added up where there are more. */
#define MOST 32

/* Where there are more frames, and twice as many as were left, some go. */
#define FRAMES (1 << 14)

struct stream {
	const struct diffstream_option *option;
	struct sides sides; /* a run for each snapshot */
	uint32_t frames;    /* so many are not too many */
	struct folded f;
	struct stack stack;
	struct merge merge;
	bool open;           /* a snapshot has stacks */
	bool compared;       /* one was */
	struct intern *said; /* changes of the snapshot before, or NULL */
	FILE *out;
};

/* Whether two runs have samples of one weight. */
static bool
are_alike(const struct run *a, const struct run *b)
{
	uint64_t x = 0, y = 0;

	return meta_u64(&a->meta, "quantum", &x) ==
		   meta_u64(&b->meta, "quantum", &y) &&
	       x == y;
}

/* Make one run of the two oldest. */
static void
join_oldest(struct sides *s)
{
	struct run *run = s->run, *next = run + 1;
	uint64_t n, m;

	run_join(run, next);
	if (meta_u64(&run->meta, "n", &n) && meta_u64(&next->meta, "n", &m) &&
	    !__builtin_add_overflow(n, m, &n))
		meta_set_u64(&run->meta, "n", n);
	else
		meta_unset(&run->meta, "n");
	run_free(next);
	s->n--;
	memmove(next, next + 1, (s->n - 1) * sizeof(*next));
}

/*
 * There are too many snapshots.  What all those before the last ones had is
 * forgotten where new frames keep coming, as a stream need not end.
 */
static void
leave_oldest(struct stream *w)
{
	struct sides *s = &w->sides;
	bool many = s->trie.n > w->frames;

	if (!many && are_alike(&s->run[0], &s->run[1])) {
		join_oldest(s);
		return;
	}
	run_free(&s->run[0]);
	s->n--;
	memmove(s->run, s->run + 1, s->n * sizeof(*s->run));
	if (!many)
		return;
	sides_renew(s);
	stack_forget(&w->stack);
	w->frames = s->trie.n < FRAMES / 2 ? FRAMES : 2 * s->trie.n;
}

/* A change by its class and its name, to know it again. */
static uint32_t
name_change(struct intern *t, const struct judge *j, const struct change *c,
	    bool add, bool *there)
{
	struct buf name = { 0 };
	uint32_t id = 0;

	buf_printf(&name, "%s %d ", diffreport_class(c),
		   c->row < j->rows.frames);
	diffreport_row(j, c->row, &name);
	*there = intern_find(t, buf_slice(&name), &id);
	if (add)
		id = intern_id(t, buf_slice(&name));
	buf_free(&name);
	return id;
}

/* Report what changed, but for what the last report had. */
static void
report(struct stream *w, const struct judge *j)
{
	struct intern *now = intern_new();
	struct buf line = { 0 };
	struct str time = meta_get(&w->f.header, "time");
	bool there;
	size_t i;

	for (i = 0; i < j->nchange; i++) {
		there = false;
		name_change(now, j, &j->change[i], true, &there);
		if (w->said != NULL)
			name_change(w->said, j, &j->change[i], false, &there);
		if (there)
			continue;
		buf_str(&line, time);
		buf_str(&line, STR("  "));
		diffreport_line(j, &j->change[i], &line);
	}
	buf_write(&line, w->out);
	fflush(w->out);
	buf_free(&line);
	intern_free(w->said);
	w->said = now;
}

static void
compare_last(struct stream *w)
{
	struct sides *s = &w->sides;
	struct judge j;

	sides_check(s);
	if (s->n > FEWEST) {
		judge(&j, s, &w->option->judge);
		report(w, &j);
		judge_free(&j);
		w->compared = true;
	}
	s->run[s->n - 1].side = BEFORE;
	if (s->n > MOST)
		leave_oldest(w);
}

static void
end_snapshot(struct stream *w, const struct input *in)
{
	const char *reason = merge_end(&w->merge);

	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": this snapshot cannot be compared: %s",
		     in->name, in->line, reason);
	w->sides.run[w->sides.n - 1].meta = w->merge.all;
	w->merge.all = (struct meta){ 0 };
	merge_free(&w->merge);
	w->merge = (struct merge){ 0 };
	w->open = false;
	compare_last(w);
}

static void
add_stack(struct stream *w, const struct input *in)
{
	struct sides *s = &w->sides;

	if (!w->open) {
		merge_begin(&w->merge, &w->f.header);
		sides_begin(s, in->name, AFTER);
	}
	w->open = true;
	if (w->f.counts != 1)
		errx(2, "%s:%" PRIu64 ": two counts are no snapshot", in->name,
		     in->line);
	stack_split(&w->stack, sides_names(s), w->f.stack);
	if (!sides_add(s, w->stack.id, w->stack.n, w->f.count))
		errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits", in->name,
		     in->line);
	merge_stack(&w->merge, &w->f.own, w->f.count[0]);
}

bool
diffstream(const struct diffstream_option *o, struct input *in, FILE *out)
{
	struct stream w = { .option = o, .frames = FRAMES, .out = out };
	enum folded_kind kind;

	w.sides = (struct sides){ .with_runs = true,
				  .strip_hex = o->strip_hex,
				  .palette = o->palette };
	sides_init(&w.sides);
	while ((kind = folded_read(&w.f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_stack(&w, in);
		else if (kind == FOLDED_BLANK && w.open)
			end_snapshot(&w, in);
	}
	if (w.open)
		merge_drop(&w.merge);
	merge_free(&w.merge);
	intern_free(w.said);
	stack_free(&w.stack);
	folded_free(&w.f);
	sides_free(&w.sides);
	return w.compared || in->tally->good == 0;
}
