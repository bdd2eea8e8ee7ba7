/* top.c - the state of foldtop(1). */
#include "top/top.h"

#include "base/mem.h"

#include <stdlib.h>

void
top_init(struct top *t, const struct waits *waits, struct palette *palette)
{
	thread_activity_init(&t->activity, &t->profile->trie, t->profile->names,
			     waits);
	t->flame.palette = palette;
	t->only_class = TOP_ALL;
}

void
top_free(struct top *t)
{
	thread_activity_free(&t->activity);
	toplist_free(&t->list);
	topflame_free(&t->flame);
	regex_free(t->regex);
	free(t->matches);
	buf_free(&t->pattern);
	buf_free(&t->canvas.out);
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

size_t
top_body_lines(const struct top *t)
{
	/* Two or three lines above, one line below. */
	const size_t others = 3 + top_has_classes(t);

	return t->canvas.rows > others ? t->canvas.rows - others : 0;
}

/* The lines for rows: without headings and the line of idle threads. */
static size_t
room_for_rows(const struct top *t)
{
	const struct thread_activity *a = &t->activity;
	size_t n = t->canvas.kind == CANVAS_FILE ? t->rows : top_body_lines(t);
	int c;

	if (t->canvas.kind == CANVAS_FILE || !top_has_classes(t))
		return n;
	for (c = 0; c < WAIT_CLASSES; c++)
		n -= n > 1 && a->sum[c] > 0 && t->only_class == TOP_ALL;
	return n;
}

static void
fill_list(struct top *t)
{
	const struct thread_activity *a = &t->activity;
	struct toplist_query q = { .stacks = t->view == TOP_STACKS,
				   .by_total = t->by_total,
				   .per_sample = 1 };
	bool *wanted = NULL;
	size_t rows = room_for_rows(t);

	if (t->samples > 0 && t->total.weight > 0)
		q.per_sample = t->total.weight /
			       topprofile_samples(t->profile, t->total);
	if (q.stacks)
		q.wanted = wanted = find_wanted_stacks(t);
	else
		q.wanted = t->matches;
	toplist_fill(&t->list, a, &q);
	/* A list of one class can be scrolled. */
	if (t->canvas.kind != CANVAS_FILE &&
	    (t->only_class != TOP_ALL || !top_has_classes(t)))
		rows = SIZE_MAX;
	toplist_fit(&t->list, rows, t->by_total, t->class_rows);
	free(wanted);
	if (t->cursor >= t->list.n)
		t->cursor = t->list.n > 0 ? t->list.n - 1 : 0;
}

static void
read_weights(struct top *t)
{
	const uint32_t n = t->activity.frames;
	struct count *count = mem_zero(n, sizeof(*count));
	uint32_t i;

	t->total = window_read(&t->profile->window, t->since_start, count, n);
	for (i = 0; i < n; i++)
		t->activity.weight[i] = count_double(count[i]);
	free(count);
}

void
top_refresh(struct top *t)
{
	struct thread_activity *a = &t->activity;
	int c;

	thread_activity_grow(a);
	if (!t->is_frozen)
		read_weights(t);
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
	else
		fill_list(t);
}
