/* threads_view.c - the list of threads of foldtop(1). */
#include "top/threads_view.h"

#include "folded/folded.h"
#include "top/topheader.h"

#include <inttypes.h>

/* Cells for the name of a thread. */
#define THREAD_NAME 15

/*
 * What a thread had of a class: in percent of the time that is shown; of the
 * whole profile, if that time is unknown.
 */
static void
draw_part(struct top *t, const struct topthread *thread, int class,
	  unsigned style)
{
	const double part = thread->sum[class], n = top_threads(t, part);
	double share = 0;

	if (part > 0 && top_has_classes(t) && n > 0)
		share = n;
	else if (part > 0 && t->total.weight > 0)
		share = part / t->total.weight;
	canvas_style(
	    &t->canvas,
	    style | (part > 0 ? topheader_classes[class].style : CANVAS_DIM));
	/* A blank must remain between "100%" and the column before it. */
	canvas_printf(&t->canvas, "%5.*f%%", share < 0.9995 ? 1 : 0,
		      100 * share);
	canvas_style(&t->canvas, style);
}

/* "f (a.py)", folded(5) */
static bool
is_script(struct str name)
{
	char suffix;

	name = folded_frame_name(name, &suffix);
	return str_ends(name, STR(")")) && str_search(name, STR(" (")) != NULL;
}

static void
draw_thread(struct top *t, const struct topthread *thread, unsigned style)
{
	struct canvas *c = &t->canvas;
	size_t from;
	uint32_t in = t->activity.actor[thread->stack], i;
	int class;

	/* Users know functions of their scripts better than those of C. */
	for (i = in; i != 0; i = t->activity.trie->frame[i].parent) {
		if (is_script(thread_activity_name(&t->activity, i))) {
			in = i;
			break;
		}
	}

	for (class = 0; class < WAIT_CLASSES; class ++) {
		if (class == 0 ||
		    (top_has_classes(t) && top_shows_class(t, class)))
			draw_part(t, thread, class, style);
	}
	if (thread->tid >= 0)
		canvas_printf(c, "%9" PRId64 "  ", thread->tid);
	else
		canvas_printf(c, "%9s  ", "-");
	from = c->column;
	canvas_name(c, thread->name, THREAD_NAME);
	canvas_pad(c, from + THREAD_NAME);
	canvas_text(c, "  ");
	canvas_name(c, thread_activity_name(&t->activity, in), SIZE_MAX);
	if (style != CANVAS_PLAIN)
		canvas_pad(c, c->columns);
	canvas_line(c);
}

void
threads_view_draw(struct top *t)
{
	const bool is_file = t->canvas.kind == CANVAS_FILE;
	const size_t body = top_body_lines(t) - (t->threads.hidden > 0),
		     rows = is_file ? t->rows : body;
	size_t i;

	if (t->cursor < t->scroll)
		t->scroll = t->cursor;
	else if (!is_file && t->cursor >= t->scroll + body)
		t->scroll = t->cursor + 1 - body;
	for (i = t->scroll; i < t->threads.rows && i < t->scroll + rows; i++)
		draw_thread(t, &t->threads.thread[t->threads.row[i]],
			    !is_file && i == t->cursor ? CANVAS_REVERSE :
							 CANVAS_PLAIN);
	if (t->threads.hidden == 0)
		return;
	canvas_style(&t->canvas, CANVAS_DIM);
	canvas_printf(&t->canvas, "%zu thread%s only idle%s%s",
		      t->threads.hidden, str_plural(t->threads.hidden, "", "s"),
		      str_plural(t->threads.hidden, "s", ""),
		      is_file ? "" : "  (h shows them)");
	canvas_line(&t->canvas);
}
