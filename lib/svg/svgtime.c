/* svgtime.c - draw the timeline: activity by time and thread. */
#include "svg/svgtime.h"

#include "base/mem.h"
#include "folded/label.h"
#include "svg/heatmap.h"
#include "svg/svgdraw.h"
#include "svg/svgtable.h"

#include <inttypes.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

/* px; time.js has LEFT and AXIS, too */
#define LEFT 150    /* labels of the threads */
#define AXIS 18     /* below the lanes */
#define LINE 28     /* below the axis, for the line of time.js */
#define GAP 8       /* below the axis, without a script */
#define HIGH 40     /* the lane of a single thread */
#define LOW 16      /* one of several */
#define CELL 6.2    /* width of a character of a label */
#define TICK 90     /* least distance of labels of times */
#define COLUMNS 400 /* at most, of SAMPLES samples or more */
#define SAMPLES 8
#define LANES 8 /* threads with a lane; others share one more */

static uint32_t
lanes_of(const struct timeline *t)
{
	return t->nthreads <= LANES ? t->nthreads : LANES + 1;
}

/* Few samples in many columns would show chance. */
static uint32_t
columns_of(const struct timeline *t)
{
	size_t n = t->n / SAMPLES;

	return n < 50 ? 50 : n > COLUMNS ? COLUMNS : (uint32_t)n;
}

static uint32_t
lane_height(const struct timeline *t)
{
	return t->nthreads == 1 ? HIGH : LOW;
}

double
svgtime_height(const struct timeline *t, bool has_script)
{
	return (double)lanes_of(t) * lane_height(t) + AXIS +
	       (has_script ? LINE : GAP);
}

/* Append what a thread is called: "name 1234". */
static void
add_label(struct buf *out, const struct timeline *t, uint32_t i)
{
	const struct timeline_thread *thread = &t->thread[i];
	int64_t id = thread->tid >= 0 ? thread->tid : thread->pid;

	if (t->has_others && i + 1 == t->nthreads) {
		buf_str(out, STR("other threads"));
		return;
	}
	if (thread->name.len > 0)
		label_name(out, thread->name);
	else if (id >= 0)
		buf_str(out, thread->tid >= 0 ? STR("thread") : STR("process"));
	else
		buf_str(out, STR("all threads"));
	if (id >= 0)
		buf_printf(out, " %" PRId64, id);
}

/* Append the label of a lane, cut to the space that it has. */
static void
add_lane_label(struct buf *out, const struct timeline *t, uint32_t lane)
{
	struct buf label = { 0 }, cut = { 0 };

	if (lane == LANES)
		buf_printf(&label, "%" PRIu32 " more threads",
			   t->nthreads - LANES);
	else
		add_label(&label, t, lane);
	label_cut(&cut, buf_slice(&label), (size_t)((LEFT - 8) / CELL));
	buf_printf(out,
		   "<text data-lane=\"%" PRIu32 "\" x=\"-8\" y=\"%g\" "
		   "text-anchor=\"end\"><title>",
		   lane, (lane + 0.5) * lane_height(t) + 4);
	label_escape(out, buf_slice(&label));
	buf_str(out, STR("</title>"));
	label_escape(out, buf_slice(&cut));
	buf_str(out, STR("</text>\n"));
	buf_free(&label);
	buf_free(&cut);
}

/* Counts by lane and column, and the largest of them. */
static double *
find_activity(const struct timeline *t, double *most)
{
	const uint32_t columns = columns_of(t);
	double *sum = mem_zero((size_t)lanes_of(t) * columns, sizeof(*sum));
	const struct timeline_sample *s;
	uint32_t lane;
	double *at;

	*most = 0;
	for (s = t->sample; s < t->sample + t->n; s++) {
		lane = s->thread < LANES ? s->thread : LANES;
		at = &sum[lane * columns + s->time * columns / t->ticks];
		*at += count_double(s->count);
		if (*at > *most)
			*most = *at;
	}
	return sum;
}

/* Append a lane as one path of steps, in units of columns and pixels. */
static void
add_lane(struct buf *out, const double *sum, uint32_t columns, double most,
	 uint32_t bottom, uint32_t height)
{
	long y, last = 0;
	uint32_t i;

	buf_printf(out, "<path class=\"lane\" d=\"M0 %" PRIu32, bottom);
	for (i = 0; i < columns; i++) {
		y = most > 0 ? (long)((height - 2) * sum[i] / most + 0.5) : 0;
		if (y == 0 && sum[i] > 0)
			y = 1;
		if (y != last)
			buf_printf(out, "H%" PRIu32 "v%ld", i, last - y);
		last = y;
	}
	buf_printf(out, "H%" PRIu32 "V%" PRIu32 "z\"/>\n", columns, bottom);
}

static void
add_lanes(struct buf *out, const struct timeline *t)
{
	uint32_t lane, n = lanes_of(t), height = lane_height(t);
	const uint32_t columns = columns_of(t);
	double most, *sum = find_activity(t, &most);

	buf_printf(out,
		   "<rect class=\"none\" width=\"100%%\" height=\"%" PRIu32
		   "\" fill=\"#fff\" stroke=\"#999\"/>\n"
		   "<svg data-fg=\"lanes\" width=\"100%%\" height=\"%" PRIu32
		   "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" "
		   "preserveAspectRatio=\"none\" fill=\"#e0701d\" "
		   "shape-rendering=\"crispEdges\">\n",
		   n * height, n * height, columns, n * height);
	for (lane = 0; lane < n; lane++)
		add_lane(out, sum + (size_t)lane * columns, columns, most,
			 (lane + 1) * height, height);
	buf_str(out, STR("</svg>\n"));
	for (lane = 0; lane < n; lane++)
		add_lane_label(out, t, lane);
	free(sum);
}

/* A round time of at least ns: 1, 2 or 5 of a power of ten, or minutes. */
static uint64_t
round_time(double ns)
{
	uint64_t power = 1;

	if (ns >= SECOND / 2)
		return heatmap_round(ns < 1e19 ? (uint64_t)ns : UINT64_MAX);
	while ((double)power * 10 <= ns)
		power *= 10;
	return (double)power >= ns     ? power :
	       (double)power * 2 >= ns ? power * 2 :
	       (double)power * 5 >= ns ? power * 5 :
					 power * 10;
}

/* Append a time from the start: "1.5 s", or of long recordings "1:30". */
static void
add_time(struct buf *out, double ns, double all)
{
	uint64_t seconds = (uint64_t)(ns / 1e9 + 0.5);

	if (all < 1e6) {
		label_number(out, ns / 1e3, 3);
		buf_str(out, STR(" \xc2\xb5s"));
	} else if (all < 1e9) {
		label_number(out, ns / 1e6, 3);
		buf_str(out, STR(" ms"));
	} else if (all < 600e9) {
		label_number(out, ns / 1e9, 3);
		buf_str(out, STR(" s"));
	} else {
		buf_printf(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
			   seconds / 3600, seconds / 60 % 60, seconds % 60);
	}
}

static void
add_times(struct buf *out, const struct timeline *t, double width)
{
	double all = (double)t->ticks * (double)t->tick, at;
	double step = (double)round_time(all * TICK / width);
	double steps = all / step + 0.75;
	uint32_t y = lanes_of(t) * lane_height(t) + 13, i;

	buf_str(out, STR("<g data-fg=\"times\" text-anchor=\"middle\">\n"));
	for (i = 0; i + 1 <= steps; i++) {
		at = step * i;
		buf_str(out, STR("<text x=\""));
		label_number(out, 100 * at / all, 3);
		buf_printf(out, "%%\" y=\"%" PRIu32 "\">", y);
		add_time(out, at, all);
		buf_str(out, STR("</text>\n"));
	}
	buf_str(out, STR("</g>\n"));
}

void
svgtime_draw(struct buf *out, const struct timeline *t, double y, double width,
	     struct str clock)
{
	struct buf json = { 0 };

	width = width > 2 * LEFT ? width - LEFT : width / 2;
	buf_printf(&json,
		   "{\"start\":\"%" PRIu64 "\",\"lanes\":%" PRIu32
		   ",\"high\":%" PRIu32 ",\"clock\":",
		   t->start, lanes_of(t), lane_height(t));
	label_json(&json, clock);
	buf_char(&json, '}');
	buf_printf(out,
		   "<svg data-fg=\"timeline\" role=\"img\" "
		   "aria-label=\"activity by time and thread\" x=\"%d\" "
		   "y=\"%g\" width=\"%g\" height=\"%" PRIu32 "\" "
		   "overflow=\"visible\" font-size=\"11\" "
		   "font-family=\"system-ui,sans-serif\" fill=\"#555\" "
		   "data-time=\"",
		   SVG_PAD + LEFT, y, width, lanes_of(t) * lane_height(t));
	label_escape(out, buf_slice(&json));
	buf_str(out, STR("\">\n"));
	add_lanes(out, t);
	add_times(out, t, width);
	buf_str(out, STR("</svg>\n"));
	buf_free(&json);
}

static bool
is_even(const struct timeline *t)
{
	size_t i;

	for (i = 1; i < t->n; i++) {
		if (count_cmp(t->sample[i].count, t->sample[0].count) != 0)
			return false;
	}
	return !count_iszero(t->sample[0].count);
}

static void
add_threads(struct buf *out, const struct timeline *t)
{
	struct buf label = { 0 };
	uint32_t i;

	for (i = 0; i < t->nthreads; i++) {
		label.len = 0;
		add_label(&label, t, i);
		svgtable_number(out, label.len);
		buf_str(out, buf_slice(&label));
		svgtable_number(out, (uint64_t)t->thread[i].pid + 1);
		svgtable_number(out, (uint64_t)t->thread[i].tid + 1);
	}
	buf_free(&label);
}

void
svgtime_table(struct buf *out, const struct timeline *t, int scale)
{
	bool even = is_even(t);
	size_t i;

	svgtable_number(out, 1);
	svgtable_number(out, t->tick);
	svgtable_number(out, t->ticks);
	svgtable_number(out, t->nthreads);
	svgtable_number(out, t->n);
	svgtable_count(out, even ? t->sample[0].count : count_of(0), scale);
	add_threads(out, t);
	for (i = 0; i < t->n; i++)
		svgtable_number(out, t->sample[i].time -
					 (i > 0 ? t->sample[i - 1].time : 0));
	for (i = 0; i < t->n; i++)
		svgtable_number(out, t->sample[i].thread);
	for (i = 0; i < t->n; i++)
		svgtable_number(out, t->sample[i].frame);
	for (i = 0; i < t->n && !even; i++)
		svgtable_count(out, t->sample[i].count, scale);
}
