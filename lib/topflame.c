/* topflame.c - a flame graph of character cells, which can be walked. */
#include "topflame.h"

#include "mem.h"

#include <math.h>
#include <stdlib.h>

#define EIGHTHS 8

/* As flamegraph(1) marks what was searched for. */
#define MATCH 0xe600e6

#define NONE SIZE_MAX

/* The callees of a frame that have weight. */
struct callees {
	const struct activity *a;
	uint32_t *frame;
	size_t n, cap;
};

static int
by_name(const void *x, const void *y, void *arg)
{
	const struct activity *a = arg;

	return str_cmp(activity_name(a, *(const uint32_t *)x),
		       activity_name(a, *(const uint32_t *)y));
}

static void
find_callees(struct callees *c, uint32_t caller)
{
	const struct trie_frame *frame = c->a->trie->frame;
	uint32_t i;

	c->n = 0;
	for (i = frame[caller].child; i != 0; i = frame[i].next) {
		if (!(c->a->through[i] > 0))
			continue;
		c->frame = mem_grow(c->frame, &c->cap, c->n + 1,
				    sizeof(*c->frame));
		c->frame[c->n++] = i;
	}
	if (c->n > 1)
		qsort_r(c->frame, c->n, sizeof(*c->frame), by_name,
			(void *)(uintptr_t)c->a);
}

static void
add_box(struct topflame *t, struct topbox box)
{
	t->box = mem_grow(t->box, &t->box_cap, t->nbox + 1, sizeof(*t->box));
	t->box[t->nbox++] = box;
}

static void
add_level(struct topflame *t)
{
	t->level = mem_grow(t->level, &t->level_cap, t->nlevel + 2,
			    sizeof(*t->level));
	t->level[t->nlevel++] = t->nbox;
}

/* The boxes of a box's callees. */
static void
add_callees(struct topflame *t, struct callees *c, struct topbox caller,
	    double width)
{
	const double *through = c->a->through;
	double x = caller.from;
	struct topbox box;
	size_t i;

	find_callees(c, caller.frame);
	for (i = 0; i < c->n; i++) {
		box.frame = c->frame[i];
		box.from = (uint32_t)lround(x);
		x += through[box.frame] * width;
		box.to = (uint32_t)lround(x);
		if (box.to > caller.to)
			box.to = caller.to;
		if (box.to > box.from)
			add_box(t, box);
	}
}

static size_t
box_of(const struct topflame *t, uint32_t frame)
{
	size_t i;

	for (i = 0; i < t->nbox; i++) {
		if (t->box[i].frame == frame)
			return i;
	}
	return NONE;
}

static size_t
level_of(const struct topflame *t, size_t box)
{
	size_t i = 0;

	while (i + 1 < t->nlevel && t->level[i + 1] <= box)
		i++;
	return i;
}

void
topflame_layout(struct topflame *t, const struct activity *a, size_t columns)
{
	const uint32_t width = (uint32_t)columns * EIGHTHS;
	struct callees callees = { .a = a };
	size_t i, end;

	while (t->zoom != 0 && !(a->through[t->zoom] > 0))
		t->zoom = a->trie->frame[t->zoom].parent;
	t->nbox = t->nlevel = 0;
	add_level(t);
	if (a->through[t->zoom] > 0)
		add_box(t, (struct topbox){ t->zoom, 0, width });
	while (t->nbox > t->level[t->nlevel - 1]) {
		i = t->level[t->nlevel - 1];
		end = t->nbox;
		add_level(t);
		for (; i < end; i++)
			add_callees(t, &callees, t->box[i],
				    width / a->through[t->zoom]);
	}
	t->nlevel--;
	free(callees.frame);
	while (t->at != t->zoom && t->at != 0 && box_of(t, t->at) == NONE)
		t->at = a->trie->frame[t->at].parent;
	if (t->at == 0)
		t->at = t->zoom;
}

static uint32_t
colour_of(struct topflame *t, const struct activity *a, uint32_t frame)
{
	const uint32_t n = intern_size(a->names);

	if (frame == 0)
		return 0xd0d0d0;
	t->colour = mem_grow(t->colour, &t->colour_cap, n, sizeof(*t->colour));
	for (; t->colours < n; t->colours++)
		t->colour[t->colours] = palette_colour(
					    t->palette,
					    intern_name(a->names, t->colours))
					    .light;
	return t->colour[a->trie->frame[frame].name];
}

/* The same, a little darker, so that two of a colour can be told apart. */
static uint32_t
darker(uint32_t rgb)
{
	return (rgb >> 16 & 0xff) * 7 / 8 << 16 |
	       (rgb >> 8 & 0xff) * 7 / 8 << 8 | (rgb & 0xff) * 7 / 8;
}

static void
set_box_style(struct canvas *c, uint32_t colour, bool is_cursor)
{
	if (is_cursor)
		canvas_style(c, CANVAS_REVERSE | CANVAS_BOLD);
	else
		canvas_colours(c, colour_wants_black(colour) ? 0 : 0xffffff,
			       colour);
}

/* The cells that a box has for itself, with its name on them. */
static void
draw_body(struct topflame *t, const struct activity *a, struct canvas *c,
	  const struct topbox *b, uint32_t colour)
{
	const size_t begin = c->column, end = b->to / EIGHTHS;
	const bool marked = c->kind < CANVAS_256 && b->frame != t->at;

	set_box_style(c, colour, b->frame == t->at);
	canvas_to(c, end);
	canvas_back(c, begin);
	/* Without colours a bar shows where each begins. */
	if (marked)
		canvas_text(c, "|");
	canvas_name(c, activity_name(a, b->frame), end - c->column);
	canvas_back(c, end);
}

static uint32_t
shade_of(struct topflame *t, const struct activity *a, const struct topbox *b,
	 const bool *matches)
{
	if (b->frame != 0 && matches != NULL &&
	    matches[a->function_of[b->frame]])
		return MATCH;
	return colour_of(t, a, b->frame);
}

/* The cell in which a box begins, or ends; in the end another may begin. */
static void
draw_begin(struct canvas *c, const struct topbox *b, uint32_t colour)
{
	if (c->column * EIGHTHS >= b->from)
		return;
	canvas_edge(c, colour, true);
	canvas_eighths(c, b->from % EIGHTHS);
}

static void
draw_end(struct canvas *c, const struct topbox *b, uint32_t colour,
	 bool has_next, uint32_t next)
{
	if (c->column * EIGHTHS >= b->to)
		return;
	if (has_next)
		canvas_colours(c, colour, next);
	else
		canvas_edge(c, colour, false);
	canvas_eighths(c, b->to % EIGHTHS);
}

static void
draw_level(struct topflame *t, const struct activity *a, struct canvas *c,
	   size_t level, const bool *matches)
{
	const struct topbox *b = t->box + t->level[level],
			    *end = t->box + t->level[level + 1];
	uint32_t colour, before = 0;
	bool has_next;

	for (; b < end; b++) {
		/* A cell that several share shows two of them. */
		if (c->column * EIGHTHS >= b->to)
			continue;
		colour = shade_of(t, a, b, matches);
		before = colour == before ? darker(colour) : colour;
		canvas_style(c, CANVAS_PLAIN);
		canvas_to(c, b->from / EIGHTHS);
		draw_begin(c, b, before);
		if (c->column < b->to / EIGHTHS)
			draw_body(t, a, c, b, before);
		has_next = b + 1 < end &&
			   b[1].from / EIGHTHS == b->to / EIGHTHS;
		draw_end(c, b, before, has_next,
			 has_next ? shade_of(t, a, b + 1, matches) : 0);
	}
}

void
topflame_draw(struct topflame *t, const struct activity *a, struct canvas *c,
	      size_t rows, const bool *matches)
{
	size_t i, at = box_of(t, t->at);
	const size_t level = at == NONE ? 0 : level_of(t, at);

	if (level < t->scroll)
		t->scroll = level;
	if (level >= t->scroll + rows)
		t->scroll = level + 1 - rows;
	for (i = t->scroll; i < t->scroll + rows; i++) {
		if (i < t->nlevel)
			draw_level(t, a, c, i, matches);
		canvas_line(c);
	}
}

static uint32_t
widest_callee(const struct topflame *t, const struct activity *a)
{
	const struct trie_frame *frame = a->trie->frame;
	uint32_t i, best = t->at;
	double most = 0;

	for (i = frame[t->at].child; i != 0; i = frame[i].next) {
		/* What came since has no weight yet, but no box either. */
		if (box_of(t, i) != NONE && a->through[i] > most) {
			most = a->through[i];
			best = i;
		}
	}
	return best;
}

void
topflame_walk(struct topflame *t, const struct activity *a,
	      enum topflame_way way)
{
	const size_t at = box_of(t, t->at);
	size_t level;

	if (at == NONE)
		return;
	level = level_of(t, at);
	if (way == TOPFLAME_UP && level > 0)
		t->at = a->trie->frame[t->at].parent;
	else if (way == TOPFLAME_DOWN)
		t->at = widest_callee(t, a);
	else if (way == TOPFLAME_LEFT && at > t->level[level])
		t->at = t->box[at - 1].frame;
	else if (way == TOPFLAME_RIGHT && at + 1 < t->nbox &&
		 (level + 1 == t->nlevel || at + 1 < t->level[level + 1]))
		t->at = t->box[at + 1].frame;
}

void
topflame_free(struct topflame *t)
{
	free(t->box);
	free(t->level);
	free(t->colour);
}
