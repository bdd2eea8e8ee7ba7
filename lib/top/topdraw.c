/* topdraw.c - draws the screen of foldtop(1). */
#include "top/topdraw.h"

#include "top/threads_view.h"
#include "top/topheader.h"

#include <inttypes.h>
#include <math.h>

/* Samples for which a share has a decimal. */
#define MIN_SAMPLES 1000

/* Half of the 95 % confidence interval of a share; Wilson (1927). */
static double
interval(double share, double n)
{
	const double z = 1.96;

	return z / (1 + z * z / n) *
	       sqrt(share * (1 - share) / n + z * z / (4 * n * n));
}

/* Draw a share of what is shown, dim if its error may exceed half of it. */
static void
draw_share(struct top *t, double weight, unsigned style)
{
	const double share = t->weight > 0 ? weight / t->weight : 0;

	if (interval(share, t->samples) > share / 2)
		style |= CANVAS_DIM;
	canvas_style(&t->canvas, style);
	if (t->samples >= MIN_SAMPLES && share < 0.9995)
		canvas_printf(&t->canvas, "%5.1f%%", 100 * share);
	else if (share > 0 && share < 0.005)
		canvas_text(&t->canvas, "   <1%");
	else
		canvas_printf(&t->canvas, "%5.0f%%", 100 * share);
}

/* Draw a frame and its callers, as far as there is room. */
static void
draw_callers(struct top *t, uint32_t frame)
{
	const struct thread_activity *a = &t->activity;
	uint32_t i;

	/* A name cut to less would be unreadable. */
	for (i = frame; i != 0 && canvas_room(&t->canvas) >= 6;
	     i = a->trie->frame[i].parent) {
		if (i != frame)
			canvas_text(&t->canvas, " < ");
		canvas_name(&t->canvas, thread_activity_name(a, i), SIZE_MAX);
	}
}

static void
draw_row(struct top *t, const struct toprow *row, bool is_cursor)
{
	const unsigned style = is_cursor ? CANVAS_REVERSE : CANVAS_PLAIN;
	struct canvas *c = &t->canvas;

	draw_share(t, row->self, style);
	if (t->view == TOP_FUNCTIONS)
		draw_share(t, row->total, style);
	canvas_style(c, style);
	canvas_text(c, "  ");
	if (t->only_class == TOP_ALL && top_has_classes(t) &&
	    !top_has_headings(t)) {
		canvas_style(c, style | topheader_classes[row->class].style);
		canvas_printf(c, "%-5s ",
			      topheader_classes[row->class].abbreviation);
		canvas_style(c, style);
	}
	if (t->view == TOP_STACKS)
		draw_callers(t, t->activity.actor[row->id]);
	else
		canvas_name(c, intern_name(t->activity.function, row->id),
			    SIZE_MAX);
	if (is_cursor && c->kind != CANVAS_FILE)
		canvas_pad(c, c->columns);
	canvas_line(c);
}

/* Draw "67% lock", and the number of rows that are not shown. */
static void
draw_heading(struct top *t, int class, size_t shown)
{
	const size_t hidden = t->class_rows[class] - shown;
	struct canvas *c = &t->canvas;

	draw_share(t, t->activity.sum[class], CANVAS_BOLD);
	canvas_style(c, CANVAS_BOLD | topheader_classes[class].style);
	canvas_printf(c, " %s", topheader_classes[class].name);
	canvas_style(c, CANVAS_DIM);
	if (hidden > 0)
		canvas_printf(c, "  %zu more", hidden);
	canvas_line(c);
}

/* Draw all idle threads as one row. */
static void
draw_idle(struct top *t)
{
	struct canvas *c = &t->canvas;

	canvas_style(c, CANVAS_DIM);
	canvas_text(c, "        idle ");
	topheader_amount(t, t->activity.sum[WAIT_IDLE]);
	if (top_threads(t, t->total.weight) > 0)
		canvas_text(c, " threads");
	if (c->kind != CANVAS_FILE)
		canvas_text(c, "  (h shows them)");
	canvas_line(c);
}

static size_t
count_rows(const struct top *t, enum wait_class class)
{
	size_t i, n = 0;

	for (i = 0; i < t->list.n; i++)
		n += t->list.row[i].class == class;
	return n;
}

static void
draw_list(struct top *t)
{
	const bool is_file = t->canvas.kind == CANVAS_FILE,
		   headed = t->only_class == TOP_ALL && top_has_classes(t);
	const size_t body = top_body_lines(t),
		     end = is_file ? SIZE_MAX : t->canvas.row + body;
	const struct toprow *row = t->list.row;
	size_t i;

	if (headed)
		t->scroll = 0;
	else if (t->cursor < t->scroll)
		t->scroll = t->cursor;
	else if (!is_file && t->cursor >= t->scroll + body)
		t->scroll = t->cursor + 1 - body;
	for (i = t->scroll; i < t->list.n && t->canvas.row < end; i++) {
		if (headed && top_has_headings(t) &&
		    (i == 0 || row[i].class != row[i - 1].class))
			draw_heading(t, (int)row[i].class,
				     count_rows(t, row[i].class));
		if (t->canvas.row < end)
			draw_row(t, &row[i], !is_file && i == t->cursor);
	}
	if (headed && (top_has_headings(t) || t->list.n == 0) &&
	    !t->with_idle && t->activity.sum[WAIT_IDLE] > 0 &&
	    t->canvas.row < end)
		draw_idle(t);
}

/* Which thread alone is shown. */
static void
draw_chosen_thread(struct top *t)
{
	const struct topthread *thread = &t->threads.thread[t->thread];

	canvas_text(&t->canvas, ", of ");
	canvas_name(&t->canvas, thread->name, 32);
	if (thread->tid >= 0)
		canvas_printf(&t->canvas, " %" PRId64, thread->tid);
}

/* The headings of the list of threads. */
static void
draw_thread_columns(struct top *t)
{
	int i;

	if (!top_has_classes(t))
		canvas_text(&t->canvas, " share");
	for (i = 0; i < WAIT_CLASSES && top_has_classes(t); i++) {
		if (top_shows_class(t, i))
			canvas_text(&t->canvas, topheader_classes[i].column);
	}
	canvas_text(&t->canvas, "      tid  thread           most in");
}

/* The headings of the columns, or the root of the flame graph. */
static void
draw_columns(struct top *t)
{
	struct canvas *c = &t->canvas;

	canvas_style(c, CANVAS_BOLD | CANVAS_UNDERLINE);
	if (t->view == TOP_FUNCTIONS)
		canvas_text(c, t->by_total ? "  self TOTAL  function" :
					     "  SELF total  function");
	else if (t->view == TOP_STACKS)
		canvas_text(c, " share  stack, from its leaf");
	else if (t->view == TOP_THREADS)
		draw_thread_columns(t);
	else
		canvas_text(c, "callers above their callees");
	if (t->thread != TOPTHREADS_ALL)
		draw_chosen_thread(t);
	if (t->view == TOP_FLAME && t->flame.zoom != 0) {
		canvas_text(c, ", in ");
		draw_callers(t, t->flame.zoom);
	}
	if (t->has_focus && t->view == TOP_STACKS) {
		canvas_text(c, ", with ");
		canvas_name(c, intern_name(t->activity.function, t->focus),
			    SIZE_MAX);
	}
	if (c->kind != CANVAS_FILE)
		canvas_pad(c, c->columns);
	canvas_line(c);
}

/* Draw the frame under the cursor of the flame graph. */
static void
draw_frame(struct top *t)
{
	const struct thread_activity *a = &t->activity;
	const uint32_t at = t->flame.cursor;

	if (a->frames == 0)
		return;
	draw_share(t, a->inclusive[at], CANVAS_PLAIN);
	canvas_text(&t->canvas, "  ");
	canvas_name(&t->canvas, thread_activity_name(a, at), SIZE_MAX);
}

/* The weight of the shown stacks that have a match. */
static double
matched_weight(const struct top *t)
{
	const struct thread_activity *a = &t->activity;
	double sum = 0;
	uint32_t i, up;

	for (i = 1; t->matches != NULL && i < a->frames; i++) {
		if (!t->matches[a->function_of[i]] || !a->is_outermost[i])
			continue;
		up = a->trie->frame[i].parent;
		while (up != 0 && !t->matches[a->function_of[up]])
			up = a->trie->frame[up].parent;
		sum += up == 0 ? a->inclusive[i] : 0;
	}
	return sum;
}

/* The last line: message, or search, frame under the cursor, keys. */
static void
draw_footer(struct top *t)
{
	struct canvas *c = &t->canvas;

	if (t->message.len > 0) {
		canvas_style(c, CANVAS_BOLD);
		canvas_name(c, buf_slice(&t->message), SIZE_MAX);
		return;
	}
	if (t->is_typing || t->pattern.len > 0) {
		canvas_style(c, CANVAS_BOLD);
		canvas_text(c, "/");
		canvas_name(c, buf_slice(&t->pattern), 40);
		canvas_text(c, t->is_typing ? "_ " : " ");
		draw_share(t, matched_weight(t), CANVAS_PLAIN);
		canvas_text(c, " matched  ");
		if (t->gave_up)
			canvas_text(c, "but the pattern takes too long  ");
	}
	if (t->view == TOP_FLAME) {
		draw_frame(t);
		return;
	}
	canvas_style(c, CANVAS_DIM);
	canvas_text(c, "? keys  f functions  k stacks  g flame graph  "
		       "r threads  / search  q quit");
}

static void
draw_help(struct top *t)
{
	static const char *const line[] = {
		"f k g r  functions, stacks, flame graph, threads",
		"arrows   walk; also page up and down, home, end",
		"enter    stacks of a function or thread, graph, zoom",
		"escape   back",
		"s t      order by self, by total; threads by CPU, by name",
		"tab      one class of threads after another",
		"h        show idle threads, hide them",
		"w        the window, or all since the start",
		"space    freeze, and go on",
		"o        save the profile to a new file, as folded text",
		"/        search, a regular expression; empty ends it",
		"q        quit"
	};
	size_t i;

	for (i = 0; i < sizeof(line) / sizeof(*line) && i < top_body_lines(t);
	     i++) {
		canvas_printf(&t->canvas, "  %s", line[i]);
		canvas_line(&t->canvas);
	}
}

void
topdraw(struct top *t)
{
	struct canvas *c = &t->canvas;
	const bool is_file = c->kind == CANVAS_FILE;

	canvas_begin(c);
	topheader_draw(t);
	draw_columns(t);
	if (t->shows_help)
		draw_help(t);
	else if (t->view == TOP_FLAME && !(t->weight > 0))
		draw_idle(t);
	else if (t->view == TOP_FLAME)
		topflame_draw(&t->flame, &t->activity, c, top_body_lines(t),
			      t->matches);
	else if (t->view == TOP_THREADS)
		threads_view_draw(t);
	else
		draw_list(t);
	if (is_file)
		return;
	while (c->row + 1 < c->rows)
		canvas_line(c);
	draw_footer(t);
	canvas_end(c);
}
