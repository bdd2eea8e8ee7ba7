/* moved.c - what moved, and what may have been renamed. */
#include "blame.h"

#include "mem.h"

#include <math.h>
#include <stdlib.h>

/* Among more than these no names are guessed. */
#define MANY 200

/* Names are guessed where callees are as much alike, and counts may be. */
#define ALIKE 0.8
#define EQUAL 0.05

static bool
is_frame(const struct judge *j, const struct change *c)
{
	return c->row < j->rows.frames;
}

static bool
is_more(const struct change *c)
{
	return c->class == CHANGE_UP || c->class == CHANGE_NEW;
}

/*
 * A function that has as much as before in all, but more in one place and
 * less in another, moved.  more and less say, by function, what was seen; what
 * is new in one place and not in all must have been elsewhere.
 */
static void
find_rehung(struct judge *j)
{
	const struct rows *r = &j->rows;
	bool *more = mem_zero(r->functions, sizeof(*more));
	bool *less = mem_zero(r->functions, sizeof(*less));
	size_t i;
	uint32_t f;

	for (i = 0; i < j->nchange; i++) {
		if (!is_frame(j, &j->change[i]))
			continue;
		f = r->of[j->change[i].row];
		*(is_more(&j->change[i]) ? &more[f] : &less[f]) = true;
	}
	for (i = 0; i < j->nchange; i++) {
		if (!is_frame(j, &j->change[i]))
			continue;
		f = r->of[j->change[i].row];
		if (((more[f] && less[f]) || j->change[i].class == CHANGE_NEW ||
		     j->change[i].class == CHANGE_GONE) &&
		    judge_significant(j, r->frames + f) == NULL)
			j->change[i].class = CHANGE_MOVED;
	}
	free(more);
	free(less);
}

/*
 * Whether a frame has nearly all samples of both sides.  As a share it is as
 * much as before, then, whatever happens below it.
 */
static bool
has_nearly_all(const struct judge *j, uint32_t frame)
{
	double n[2];

	rows_sum(&j->rows, frame, n);
	return j->exposure.shares &&
	       n[BEFORE] > 0.9 * j->exposure.total[BEFORE] &&
	       n[AFTER] > 0.9 * j->exposure.total[AFTER];
}

/*
 * A frame that came or went moved from or into its caller, as with inlining,
 * if the caller has as much as before, but not without it.
 */
static void
find_inlined(struct judge *j, const struct left *left)
{
	const struct trie_frame *frame = j->rows.sides->trie.frame;
	struct test t;
	uint32_t up;
	size_t i;

	for (i = 0; i < j->nchange; i++) {
		struct change *c = &j->change[i];

		if (!is_frame(j, c) ||
		    (c->class != CHANGE_NEW && c->class != CHANGE_GONE))
			continue;
		up = frame[c->row].parent;
		if (up == 0 || judge_significant(j, up) != NULL ||
		    has_nearly_all(j, up))
			continue;
		left_get(left, up, j->scratch);
		t = judge_values(j, up, j->scratch);
		if (t.p <= j->limit && (t.t > 0) == (c->class == CHANGE_GONE))
			c->class = CHANGE_MOVED;
	}
}

/* Samples of a side in a row. */
static double
samples(const struct rows *r, uint32_t row, enum side side)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < r->sides->n; i++)
		sum += r->sides->run[i].side == side ? r->column[i][row] : 0;
	return sum;
}

/*
 * The cosine between what a frame had before and what another has after: own
 * samples, and those of each callee.  child has a 0 for each function, and
 * meanwhile the first callee that is that function.
 */
static double
likeness(const struct rows *r, uint32_t gone, uint32_t new, uint32_t *child)
{
	const struct trie_frame *frame = r->sides->trie.frame;
	double own_x = samples(r, gone, BEFORE), own_y = samples(r, new, AFTER);
	double xx = 0, yy = 0, xy = 0, x, y;
	uint32_t c, twin;

	for (c = frame[new].child; c != 0; c = frame[c].next) {
		y = samples(r, c, AFTER);
		own_y -= y;
		yy += y * y;
		if (child[r->of[c]] == 0)
			child[r->of[c]] = c;
	}
	for (c = frame[gone].child; c != 0; c = frame[c].next) {
		x = samples(r, c, BEFORE);
		twin = child[r->of[c]];
		y = twin == 0 ? 0 : samples(r, twin, AFTER);
		own_x -= x;
		xx += x * x;
		xy += x * y;
	}
	for (c = frame[new].child; c != 0; c = frame[c].next)
		child[r->of[c]] = 0;
	xx += own_x * own_x;
	yy += own_y * own_y;
	xy += own_x * own_y;
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Whether one frame may be the other under a new name; child as above. */
static bool
may_be_renamed(struct judge *j, const struct change *gone,
	       const struct change *new, uint32_t *child)
{
	const struct rows *r = &j->rows;
	const struct trie_frame *frame = r->sides->trie.frame;
	size_t i;

	if (frame[gone->row].parent != frame[new->row].parent)
		return false;
	for (i = 0; i < r->sides->n; i++)
		j->scratch[i] =
		    r->column[i][r->sides->run[i].side == BEFORE ? gone->row :
								   new->row];
	return judge_values(j, new->row, j->scratch).p > EQUAL &&
	       likeness(r, gone->row, new->row, child) >= ALIKE;
}

/* Changes of frames of one class, the first ones. */
static size_t
collect(struct judge *j, enum change_class class, struct change **list)
{
	size_t i, n = 0;

	for (i = 0; i < j->nchange && n < MANY; i++) {
		if (is_frame(j, &j->change[i]) && j->change[i].class == class)
			list[n++] = &j->change[i];
	}
	return n;
}

/* Let functions have for partners what their frames have. */
static void
pass_on(struct judge *j, const struct change *gone, const struct change *new)
{
	const struct rows *r = &j->rows;
	uint32_t a = r->frames + r->of[gone->row];
	uint32_t b = r->frames + r->of[new->row];
	size_t i;

	for (i = 0; i < j->nchange; i++) {
		struct change *c = &j->change[i];

		if (c->row == a && c->class == CHANGE_GONE)
			c->partner = b;
		if (c->row == b && c->class == CHANGE_NEW)
			c->partner = a;
	}
}

void
find_renamed(struct judge *j)
{
	uint32_t *child = mem_zero(j->rows.functions, sizeof(*child));
	struct change *gone[MANY], *new[MANY];
	size_t ngone = collect(j, CHANGE_GONE, gone), i;
	size_t nnew = collect(j, CHANGE_NEW, new), k;

	for (i = 0; i < ngone; i++) {
		for (k = 0; k < nnew && gone[i]->partner == 0; k++) {
			if (new[k]->partner != 0 ||
			    !may_be_renamed(j, gone[i], new[k], child))
				continue;
			gone[i]->partner = new[k]->row;
			new[k]->partner = gone[i]->row;
			pass_on(j, gone[i], new[k]);
		}
	}
	free(child);
}

void
find_moved(struct judge *j, const struct left *left)
{
	find_rehung(j);
	find_inlined(j, left);
}
