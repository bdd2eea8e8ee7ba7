/* topheader.c - the first lines of foldtop(1): total, process, classes. */
#include "top/topheader.h"

#include "folded/folded.h"

#include <inttypes.h>

const struct topheader_class topheader_classes[WAIT_CLASSES] = {
	{ "running", "run", "   CPU", CANVAS_GREEN },
	{ "runqueue", "queue", " queue", CANVAS_PLAIN },
	{ "lock", "lock", "  lock", CANVAS_RED },
	{ "I/O", "I/O", "   I/O", CANVAS_BLUE },
	{ "waiting", "wait", "  wait", CANVAS_PLAIN },
	{ "stopped", "stop", "  stop", CANVAS_RED },
	{ "idle", "idle", "  idle", CANVAS_DIM }
};

static void
print_amount(const struct top *t, double weight, struct buf *out)
{
	if (top_threads(t, t->total.weight) > 0)
		buf_printf(out, "%.1f", top_threads(t, weight));
	else
		buf_printf(
		    out, "%.0f%%",
		    t->total.weight > 0 ? 100 * weight / t->total.weight : 0);
}

void
topheader_amount(struct top *t, double weight)
{
	struct buf text = { 0 };

	print_amount(t, weight, &text);
	canvas_name(&t->canvas, buf_slice(&text), SIZE_MAX);
	buf_free(&text);
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

	/* A narrow screen needs the room for the process and the rate. */
	if (c->kind != CANVAS_FILE && c->columns >= 80) {
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

/* Append "lock 1.0", or in short "lock 1". */
static void
print_class(const struct top *t, int class, bool is_short, struct buf *out)
{
	const struct topheader_class *c = &topheader_classes[class];

	buf_printf(out, "%s ", is_short ? c->abbreviation : c->name);
	print_amount(t, t->activity.sum[class], out);
	if (is_short && str_ends(buf_slice(out), STR(".0")))
		out->len -= 2;
}

/* Append "of 3.0 threads and 2.0 tasks", if numbers are known. */
static void
print_threads(const struct top *t, struct buf *out)
{
	if (!(top_threads(t, t->total.weight) > 0))
		return;
	buf_str(out, STR("   of "));
	print_amount(t, t->total.weight - t->activity.tasks, out);
	buf_str(out, STR(" threads"));
	if (t->activity.tasks > 0) {
		buf_str(out, STR(" and "));
		print_amount(t, t->activity.tasks, out);
		buf_str(out, STR(" tasks"));
	}
}

/* Whether the second line is as wide as the screen, or less. */
static bool
has_room(const struct top *t, struct str threads)
{
	struct buf text = { 0 };
	size_t width = threads.len;
	int i;

	for (i = 0; i < WAIT_CLASSES; i++) {
		if (!top_shows_class(t, i))
			continue;
		text.len = 0;
		print_class(t, i, false, &text);
		width += text.len + (i > 0 ? 3 : 0);
	}
	buf_free(&text);
	return width <= canvas_room(&t->canvas);
}

/* The second line: how many threads run, wait and idle. */
static void
draw_classes(struct top *t)
{
	struct buf text = { 0 }, threads = { 0 };
	struct canvas *c = &t->canvas;
	bool is_short;
	int i;

	if (!top_has_classes(t))
		return;
	print_threads(t, &threads);
	is_short = !has_room(t, buf_slice(&threads));
	for (i = 0; i < WAIT_CLASSES; i++) {
		if (!top_shows_class(t, i))
			continue;
		if (i > 0)
			canvas_text(c, is_short ? " " : "   ");
		canvas_style(c,
			     topheader_classes[i].style |
				 (t->only_class == i ? CANVAS_UNDERLINE : 0));
		text.len = 0;
		print_class(t, i, is_short, &text);
		canvas_name(c, buf_slice(&text), SIZE_MAX);
	}
	canvas_style(c, CANVAS_PLAIN);
	if (threads.len <= canvas_room(c))
		canvas_name(c, buf_slice(&threads), SIZE_MAX);
	canvas_line(c);
	buf_free(&text);
	buf_free(&threads);
}

void
topheader_draw(struct top *t)
{
	draw_title(t);
	draw_classes(t);
}
