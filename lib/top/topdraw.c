/* topdraw.c - draws the screen of foldtop(1). */
#include "top/topdraw.h"

#include "folded/folded.h"
#include "top/threads_view.h"

#include <inttypes.h>
#include <math.h>

static const struct {
	const char *name;
	unsigned style;
} class_of[WAIT_CLASSES] = { { "running", CANVAS_GREEN },
			     { "lock", CANVAS_RED },
			     { "I/O", CANVAS_BLUE },
			     { "idle", CANVAS_DIM } };

/* Samples for which a share has a decimal. */
#define MIN_SAMPLES 1000

unsigned
topdraw_style(int class)
{
	return class_of[class].style;
}

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

/* Draw a number of threads, or a share of all weight. */
static void
draw_amount(struct top *t, double weight)
{
	const double n = top_threads(t, weight);

	if (top_threads(t, t->total.weight) > 0)
		canvas_printf(&t->canvas, "%.1f", n);
	else
		canvas_printf(
		    &t->canvas, "%.0f%%",
		    t->total.weight > 0 ? 100 * weight / t->total.weight : 0);
}

static void
draw_time(struct top *t)
{
	const double s = t->total.length / 1e9;
	struct canvas *c = &t->canvas;

	if (!(s > 0))
		return;
	if (t->profile->window.half_life > 0 && t->since_start)
		canvas_printf(c, "  half of it from the last %.0f s",
			      t->profile->window.half_life / 1e9);
	else if (t->since_start)
		canvas_printf(c, "  all %.0f s", s);
	else
		canvas_printf(c, "  last %.0f s", s);
}

/* The share of what is shown whose function has no name. */
static double
nameless(const struct top *t)
{
	const struct thread_activity *a = &t->activity;
	double sum = 0;
	struct str name;
	uint32_t i;

	for (i = 1; i < a->frames && t->weight > 0; i++) {
		if (!(a->weight[i] > 0) || !a->shown[a->class[i]])
			continue;
		name = thread_activity_name(a, a->actor[i]);
		if (folded_is_nameless(name))
			sum += a->weight[i];
	}
	return t->weight > 0 ? sum / t->weight : 0;
}

/* Process, rate, and how many names are missing. */
static void
draw_source(struct top *t)
{
	const struct topprofile *p = t->profile;
	const double missing = nameless(t);
	struct canvas *c = &t->canvas;

	if (p->comm.len > 0 || p->pid > 0)
		canvas_text(c, "  ");
	canvas_name(c, buf_slice(&p->comm), 32);
	if (p->pid > 0)
		canvas_printf(c, " %" PRIu64, p->pid);
	if (c->kind != CANVAS_FILE && p->hz > 0)
		canvas_printf(c, "  %g Hz", p->hz);
	if (missing >= 0.005)
		canvas_printf(c, "  %.0f%% without names", 100 * missing);
}

/* The first line: total, time, command. */
static void
draw_title(struct top *t)
{
	struct canvas *c = &t->canvas;
	struct buf total = { 0 };

	if (c->kind != CANVAS_FILE) {
		canvas_style(c, CANVAS_BOLD);
		canvas_text(c, "foldtop ");
		canvas_style(c, CANVAS_PLAIN);
	}
	topprofile_describe(t->profile, t->total, &total);
	canvas_name(c, buf_slice(&total), 64);
	buf_free(&total);
	draw_time(t);
	draw_source(t);
	canvas_style(c, CANVAS_REVERSE);
	if (t->is_frozen)
		canvas_text(c, " frozen ");
	else if (t->has_ended && c->kind != CANVAS_FILE)
		canvas_text(c, " ended ");
	canvas_line(c);
}

/* The second line: how many threads run, wait and idle. */
static void
draw_classes(struct top *t)
{
	struct canvas *c = &t->canvas;
	int i;

	if (!top_has_classes(t))
		return;
	for (i = 0; i < WAIT_CLASSES; i++) {
		if (i > 0)
			canvas_text(c, "   ");
		canvas_style(c,
			     class_of[i].style |
				 (t->only_class == i ? CANVAS_UNDERLINE : 0));
		canvas_printf(c, "%s ", class_of[i].name);
		draw_amount(t, t->activity.sum[i]);
	}
	canvas_style(c, CANVAS_PLAIN);
	if (top_threads(t, t->total.weight) > 0) {
		canvas_text(c, "   of ");
		draw_amount(t, t->total.weight);
		canvas_text(c, " threads");
	}
	canvas_line(c);
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
	canvas_style(c, CANVAS_BOLD | class_of[class].style);
	canvas_printf(c, " %s", class_of[class].name);
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
	draw_amount(t, t->activity.sum[WAIT_IDLE]);
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
		if (headed && (i == 0 || row[i].class != row[i - 1].class))
			draw_heading(t, (int)row[i].class,
				     count_rows(t, row[i].class));
		if (t->canvas.row < end)
			draw_row(t, &row[i], !is_file && i == t->cursor);
	}
	if (headed && !t->with_idle && t->activity.sum[WAIT_IDLE] > 0 &&
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
		canvas_text(c, top_has_classes(t) ?
				   "   CPU  lock   I/O  idle      tid  thread  "
				   "         most in" :
				   " share      tid  thread           most in");
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

/* The last line: search, frame under the cursor, keys. */
static void
draw_footer(struct top *t)
{
	struct canvas *c = &t->canvas;

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
		"tab      one class after another: running, lock, I/O, idle",
		"h        show idle threads, hide them",
		"w        the window, or all since the start",
		"space    freeze, and go on",
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
	draw_title(t);
	draw_classes(t);
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
