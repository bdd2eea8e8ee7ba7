/* topflame.c - a flame graph of character cells, with a cursor. */
#include "top/topflame.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

#define EIGHTHS 8

/* The colour with which flamegraph(1) marks matches too. */
#define MATCH_COLOUR 0xe600e6

#define NO_BOX SIZE_MAX

/* The callees of a frame that have weight. */
struct callees {
	const struct thread_activity *a;
	uint32_t *frame;
	size_t n, cap;
};

static int
by_name(const void *x, const void *y, void *arg)
{
	const struct thread_activity *a = arg;

	return str_cmp(thread_activity_name(a, *(const uint32_t *)x),
		       thread_activity_name(a, *(const uint32_t *)y));
}

static void
find_callees(struct callees *c, uint32_t caller)
{
	const struct trie_frame *frame = c->a->trie->frame;
	uint32_t i;

	c->n = 0;
	for (i = frame[caller].child; i != 0; i = frame[i].next) {
		if (!(c->a->inclusive[i] > 0))
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
add_box(struct topflame *f, struct topbox box)
{
	f->box = mem_grow(f->box, &f->box_cap, f->nbox + 1, sizeof(*f->box));
	f->box[f->nbox++] = box;
}

static void
add_level(struct topflame *f)
{
	f->level = mem_grow(f->level, &f->level_cap, f->nlevel + 2,
			    sizeof(*f->level));
	f->level[f->nlevel++] = f->nbox;
}

/* Add boxes for the callees of a box; width is eighths per weight. */
static void
add_callees(struct topflame *f, struct callees *c, struct topbox caller,
	    double width)
{
	const double *through = c->a->inclusive;
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
			add_box(f, box);
	}
}

static size_t
box_of(const struct topflame *f, uint32_t frame)
{
	size_t i;

	for (i = 0; i < f->nbox; i++) {
		if (f->box[i].frame == frame)
			return i;
	}
	return NO_BOX;
}

static size_t
level_of(const struct topflame *f, size_t box)
{
	size_t i = 0;

	while (i + 1 < f->nlevel && f->level[i + 1] <= box)
		i++;
	return i;
}

void
topflame_layout(struct topflame *f, const struct thread_activity *a,
		size_t columns)
{
	const uint32_t width = (uint32_t)columns * EIGHTHS;
	struct callees callees = { .a = a };
	size_t i, end;

	while (f->zoom != 0 && !(a->inclusive[f->zoom] > 0))
		f->zoom = a->trie->frame[f->zoom].parent;
	f->nbox = f->nlevel = 0;
	add_level(f);
	if (a->inclusive[f->zoom] > 0)
		add_box(f, (struct topbox){ f->zoom, 0, width });
	while (f->nbox > f->level[f->nlevel - 1]) {
		i = f->level[f->nlevel - 1];
		end = f->nbox;
		add_level(f);
		for (; i < end; i++)
			add_callees(f, &callees, f->box[i],
				    width / a->inclusive[f->zoom]);
	}
	f->nlevel--;
	free(callees.frame);
	while (f->cursor != f->zoom && f->cursor != 0 &&
	       box_of(f, f->cursor) == NO_BOX)
		f->cursor = a->trie->frame[f->cursor].parent;
	if (f->cursor == 0)
		f->cursor = f->zoom;
}

static uint32_t
frame_colour(struct topflame *f, const struct thread_activity *a,
	     uint32_t frame)
{
	const uint32_t n = intern_size(a->names);

	if (frame == 0)
		return 0xd0d0d0;
	f->colour = mem_grow(f->colour, &f->colour_cap, n, sizeof(*f->colour));
	for (; f->colours < n; f->colours++)
		f->colour[f->colours] =
		    palette_colour(f->palette,
				   intern_name(a->names, f->colours), NULL)
			.light;
	return f->colour[a->trie->frame[frame].name];
}

/* A little darker, to separate neighbours of the same colour. */
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
		canvas_colours(c, palette_wants_black(colour) ? 0 : 0xffffff,
			       colour);
}

/* Draw the cells that a box fills, with its name. */
static void
draw_body(struct topflame *f, const struct thread_activity *a, struct canvas *c,
	  const struct topbox *b, uint32_t colour)
{
	const size_t begin = c->column, end = b->to / EIGHTHS;
	const bool marked = c->kind < CANVAS_256 && b->frame != f->cursor;

	set_box_style(c, colour, b->frame == f->cursor);
	canvas_pad(c, end);
	canvas_move(c, begin);
	/* Without colours, a bar shows where a box begins. */
	if (marked)
		canvas_text(c, "|");
	canvas_name(c, thread_activity_name(a, b->frame), end - c->column);
	canvas_move(c, end);
}

static uint32_t
box_colour(struct topflame *f, const struct thread_activity *a,
	   const struct topbox *b, const bool *matches)
{
	if (b->frame != 0 && matches != NULL &&
	    matches[a->function_of[b->frame]])
		return MATCH_COLOUR;
	return frame_colour(f, a, b->frame);
}

/* Draw the cell in which a box begins. */
static void
draw_begin(struct canvas *c, const struct topbox *b, uint32_t colour)
{
	if (c->column * EIGHTHS >= b->from)
		return;
	canvas_edge(c, colour, true);
	canvas_eighths(c, b->from % EIGHTHS);
}

/* Draw the cell in which a box ends, where the next box may begin. */
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
draw_level(struct topflame *f, const struct thread_activity *a,
	   struct canvas *c, size_t level, const bool *matches)
{
	const struct topbox *b = f->box + f->level[level],
			    *end = f->box + f->level[level + 1];
	uint32_t colour, before = 0;
	bool has_next;

	for (; b < end; b++) {
		/* A cell that several boxes share shows two of them. */
		if (c->column * EIGHTHS >= b->to)
			continue;
		colour = box_colour(f, a, b, matches);
		before = colour == before ? darker(colour) : colour;
		canvas_style(c, CANVAS_PLAIN);
		canvas_pad(c, b->from / EIGHTHS);
		draw_begin(c, b, before);
		if (c->column < b->to / EIGHTHS)
			draw_body(f, a, c, b, before);
		has_next = b + 1 < end &&
			   b[1].from / EIGHTHS == b->to / EIGHTHS;
		draw_end(c, b, before, has_next,
			 has_next ? box_colour(f, a, b + 1, matches) : 0);
	}
}

void
topflame_draw(struct topflame *f, const struct thread_activity *a,
	      struct canvas *c, size_t rows, const bool *matches)
{
	size_t i, box = box_of(f, f->cursor);
	const size_t level = box == NO_BOX ? 0 : level_of(f, box);

	if (level < f->scroll)
		f->scroll = level;
	if (level >= f->scroll + rows)
		f->scroll = level + 1 - rows;
	for (i = f->scroll; i < f->scroll + rows; i++) {
		if (i < f->nlevel)
			draw_level(f, a, c, i, matches);
		canvas_line(c);
	}
}

static uint32_t
widest_callee(const struct topflame *f, const struct thread_activity *a)
{
	const struct trie_frame *frame = a->trie->frame;
	uint32_t i, best = f->cursor;
	double most = 0;

	for (i = frame[f->cursor].child; i != 0; i = frame[i].next) {
		/* Frames that are new since the layout have no box. */
		if (box_of(f, i) != NO_BOX && a->inclusive[i] > most) {
			most = a->inclusive[i];
			best = i;
		}
	}
	return best;
}

void
topflame_walk(struct topflame *f, const struct thread_activity *a,
	      enum topflame_direction direction)
{
	const size_t box = box_of(f, f->cursor);
	size_t level;

	if (box == NO_BOX)
		return;
	level = level_of(f, box);
	if (direction == TOPFLAME_UP && level > 0)
		f->cursor = a->trie->frame[f->cursor].parent;
	else if (direction == TOPFLAME_DOWN)
		f->cursor = widest_callee(f, a);
	else if (direction == TOPFLAME_LEFT && box > f->level[level])
		f->cursor = f->box[box - 1].frame;
	else if (direction == TOPFLAME_RIGHT && box + 1 < f->nbox &&
		 (level + 1 == f->nlevel || box + 1 < f->level[level + 1]))
		f->cursor = f->box[box + 1].frame;
}

void
topflame_free(struct topflame *f)
{
	free(f->box);
	free(f->level);
	free(f->colour);
}
