/* top.c - the state of foldtop(1). */
#include "top/top.h"

#include "base/mem.h"

#include <stdlib.h>

void
top_init(struct top *t, const struct waits *waits, struct palette *palette)
{
	topthreads_init(&t->threads, &t->profile->trie, t->profile->names);
	thread_activity_init(&t->activity, &t->threads.merged,
			     t->profile->names, waits);
	t->thread = TOPTHREADS_ALL;
	t->flame.palette = palette;
	t->only_class = TOP_ALL;
}

void
top_free(struct top *t)
{
	thread_activity_free(&t->activity);
	toplist_free(&t->list);
	topthreads_free(&t->threads);
	topflame_free(&t->flame);
	regex_free(t->regex);
	free(t->matches);
	buf_free(&t->pattern);
	buf_free(&t->canvas.out);
	buf_free(&t->message);
	free(t->count);
}

/* A search ignores case unless the pattern has a capital. */
static bool
has_capital(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return true;
	}
	return false;
}

bool
top_search(struct top *t, struct str pattern)
{
	struct regex *regex = NULL;
	struct buf why = { 0 };
	size_t offset;

	if (pattern.len > 0) {
		regex = regex_new(pattern, !has_capital(pattern), &why,
				  &offset);
		buf_free(&why);
		if (regex == NULL)
			return false;
	}
	regex_free(t->regex);
	t->regex = regex;
	return true;
}

static void
find_matches(struct top *t)
{
	const uint32_t n = intern_size(t->activity.function);
	struct buf why = { 0 };
	uint32_t i;

	free(t->matches);
	t->matches = NULL;
	t->gave_up = false;
	if (t->regex == NULL)
		return;
	t->matches = mem_zero((size_t)n + 1, sizeof(*t->matches));
	for (i = 0; i < n; i++)
		t->matches[i] = regex_match(
		    t->regex, intern_name(t->activity.function, i));
	t->gave_up = regex_aborted(t->regex, &why) > 0;
	buf_free(&why);
}

/* By frame: whether its stack has a match and the focus. */
static bool *
find_wanted_stacks(const struct top *t)
{
	const struct thread_activity *a = &t->activity;
	bool *focus = mem_zero((size_t)a->frames + 1, sizeof(*focus));
	bool *match = mem_zero((size_t)a->frames + 1, sizeof(*match));
	uint32_t i, caller;

	for (i = 1; i < a->frames; i++) {
		caller = a->trie->frame[i].parent;
		focus[i] = focus[caller] || !t->has_focus ||
			   a->function_of[i] == t->focus;
		match[i] = match[caller] || t->matches == NULL ||
			   t->matches[a->function_of[i]];
	}
	for (i = 0; i < a->frames; i++)
		match[i] = match[i] && focus[i];
	free(focus);
	return match;
}

static void
choose_classes(struct top *t)
{
	int c;

	for (c = 0; c < WAIT_CLASSES; c++)
		t->activity.shown[c] = t->only_class == TOP_ALL ?
					   c != WAIT_IDLE || t->with_idle :
					   c == t->only_class;
}

double
top_threads(const struct top *t, double weight)
{
	double ticks = t->profile->hz * t->total.length / 1e9;

	/* A sampler leaves out rounds where it is too slow. */
	if (t->total.tallies.rounds > 0)
		ticks = t->total.tallies.rounds;
	if (!(ticks > 0) || !(t->total.weight > 0))
		return 0;
	return weight / t->total.weight *
	       topprofile_samples(t->profile, t->total) / ticks;
}

bool
top_has_classes(const struct top *t)
{
	int c;

	for (c = WAIT_NONE + 1; c < WAIT_CLASSES; c++) {
		if (t->activity.sum[c] > 0)
			return true;
	}
	return false;
}

bool
top_shows_class(const struct top *t, int class)
{
	return t->activity.sum[class] > 0 ||
	       (class != WAIT_CPU && class != WAIT_UNKNOWN &&
		class != WAIT_STOPPED);
}

size_t
top_body_lines(const struct top *t)
{
	/* Two or three lines above, one line below. */
	const size_t others = 3 + top_has_classes(t);

	return t->canvas.rows > others ? t->canvas.rows - others : 0;
}

/* Lines of a screen that has room for headings. */
#define MIN_LINES 14

bool
top_has_headings(const struct top *t)
{
	return t->canvas.kind == CANVAS_FILE || t->canvas.rows >= MIN_LINES;
}

/* The classes that get a heading in a list that is cut to a number of rows. */
static size_t
count_headings(const size_t *class_rows, size_t rows)
{
	size_t n = 0, least;
	int c;

	for (c = 0; c < WAIT_CLASSES; c++) {
		least = class_rows[c] < TOPLIST_MIN_ROWS ? class_rows[c] :
							   TOPLIST_MIN_ROWS;
		n += least > 0 && rows > 0;
		rows -= rows < least ? rows : least;
	}
	return n;
}

/* The lines for rows: without headings and the line of idle threads. */
static size_t
room_for_rows(const struct top *t)
{
	const struct thread_activity *a = &t->activity;
	size_t class_rows[WAIT_CLASSES] = { 0 }, n = top_body_lines(t), rows, i;

	if (t->canvas.kind == CANVAS_FILE)
		return t->rows;
	/* A list of one class can be scrolled. */
	if (!top_has_classes(t) || t->only_class != TOP_ALL)
		return SIZE_MAX;
	if (!top_has_headings(t))
		return n;
	for (i = 0; i < t->list.n; i++)
		class_rows[t->list.row[i].class]++;
	if (n > 1 && !t->with_idle && a->sum[WAIT_IDLE] > 0)
		n--;
	for (rows = n; rows > 1; rows--) {
		if (rows + count_headings(class_rows, rows) <= n)
			break;
	}
	return rows;
}

static void
fill_list(struct top *t)
{
	const struct thread_activity *a = &t->activity;
	struct toplist_query q = { .stacks = t->view == TOP_STACKS,
				   .by_total = t->by_total,
				   .per_sample = 1 };
	bool *wanted = NULL;

	if (t->samples > 0 && t->total.weight > 0)
		q.per_sample = t->total.weight /
			       topprofile_samples(t->profile, t->total);
	if (q.stacks)
		q.wanted = wanted = find_wanted_stacks(t);
	else
		q.wanted = t->matches;
	toplist_fill(&t->list, a, &q);
	toplist_fit(&t->list, room_for_rows(t), t->by_total, t->class_rows);
	free(wanted);
	if (t->cursor >= t->list.n)
		t->cursor = t->list.n > 0 ? t->list.n - 1 : 0;
}

static void
fill_threads(struct top *t)
{
	const struct topthreads_query q = { .only_class = t->only_class,
					    .by_name = t->by_total,
					    .with_idle = t->with_idle,
					    .match = t->regex };

	topthreads_list(&t->threads, &t->activity, &q);
	if (t->cursor >= t->threads.rows)
		t->cursor = t->threads.rows > 0 ? t->threads.rows - 1 : 0;
}

size_t
top_rows(const struct top *t)
{
	return t->view == TOP_THREADS ? t->threads.rows : t->list.n;
}

static void
read_weights(struct top *t)
{
	t->ncount = t->profile->trie.n;
	free(t->count);
	t->count = mem_zero(t->ncount, sizeof(*t->count));
	t->total = window_read(&t->profile->window, t->since_start, t->count,
			       t->ncount);
	topthreads_set(&t->threads, t->count);
}

void
top_refresh(struct top *t)
{
	struct thread_activity *a = &t->activity;
	int c;

	topthreads_grow(&t->threads);
	thread_activity_grow(a);
	if (!t->is_frozen)
		read_weights(t);
	topthreads_weigh(&t->threads, t->thread, a->weight);
	choose_classes(t);
	thread_activity_update(a);
	t->weight = 0;
	for (c = 0; c < WAIT_CLASSES; c++)
		t->weight += a->shown[c] ? a->sum[c] : 0;
	t->samples = t->total.weight > 0 ?
			 topprofile_samples(t->profile, t->total) * t->weight /
			     t->total.weight :
			 0;
	find_matches(t);
	if (t->view == TOP_FLAME)
		topflame_layout(&t->flame, a, t->canvas.columns);
	else if (t->view == TOP_THREADS)
		fill_threads(t);
	else
		fill_list(t);
}
