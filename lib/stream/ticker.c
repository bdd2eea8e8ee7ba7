/* ticker.c - add up stacks by time and write a snapshot at every tick. */
#include "stream/ticker.h"

#include "base/mem.h"
#include "folded/fold.h"
#include "folded/stack.h"
#include "tree/trie.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/* Write up to this many empty intervals one by one, more of them as one. */
#define MAX_GAP 1000

/* Keep at least this many frames before unused ones are removed. */
#define MIN_FRAMES 65536

struct ticker {
	struct ticker_options options;
	struct fold *fold; /* owns the names; empty between snapshots */
	struct trie trie;
	struct stack stack;
	uint32_t *id; /* the current stack */
	size_t id_cap;
	struct count *count; /* by number of the stack */
	size_t count_cap;
	uint32_t limit; /* with more frames, remove unused ones */

	struct slice *open; /* intervals not yet written, in order */
	size_t n, cap;
	struct slice **registered;
	size_t nregistered, registered_cap;
	struct window window;

	bool begun;      /* next is set */
	uint64_t next;   /* the tick at which the next interval begins */
	uint64_t from;   /* the end of what has been written */
	uint64_t newest; /* the latest time so far */
	uint64_t late;
	double quantum; /* 0 before the first stack, NAN if it varies */
};

static struct intern *
names(const struct ticker *t)
{
	return fold_names(t->fold);
}

static void
new_tables(struct ticker *t)
{
	t->fold = fold_new(1);
	trie_init(&t->trie);
}

static void
free_tables(struct fold *fold, struct trie *trie)
{
	fold_free(fold);
	trie_free(trie);
}

struct ticker *
ticker_new(const struct ticker_options *options)
{
	struct ticker *t = mem_zero(1, sizeof(*t));
	const enum ticker_kind kind = options->kind;

	t->options = *options;
	t->limit = MIN_FRAMES;
	t->from = UINT64_MAX;
	/* A delta is a window of one interval. */
	t->window.length = kind == TICKER_WINDOW ? options->length : 1;
	t->window.sums = kind == TICKER_DECAY || kind == TICKER_CUMULATIVE;
	if (kind == TICKER_DECAY)
		t->window.half_life = (double)options->length;
	new_tables(t);
	return t;
}

void
ticker_free(struct ticker *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		window_slice_free(&t->open[i]);
	free_tables(t->fold, &t->trie);
	stack_free(&t->stack);
	window_free(&t->window);
	free(t->open);
	free(t->registered);
	free(t->id);
	free(t->count);
	free(t);
}

void
ticker_register(struct ticker *t, struct slice *s)
{
	t->registered = mem_grow(t->registered, &t->registered_cap,
				 t->nregistered + 1, sizeof(*t->registered));
	t->registered[t->nregistered++] = s;
}

uint32_t
ticker_stack(struct ticker *t, struct str host, struct str stack)
{
	size_t n = 0;

	stack_split(&t->stack, names(t), stack);
	if (host.len == 0)
		return trie_add(&t->trie, t->stack.id, t->stack.n);
	t->id = mem_grow(t->id, &t->id_cap, t->stack.n + 1, sizeof(*t->id));
	t->id[n++] = intern_id(names(t), host);
	memcpy(t->id + n, t->stack.id, t->stack.n * sizeof(*t->id));
	return trie_add(&t->trie, t->id, t->stack.n + 1);
}

/* The interval of a time. */
static struct slice *
interval_at(struct ticker *t, uint64_t time)
{
	uint64_t begin = time - time % t->options.every;
	size_t i = t->n;

	ticker_reach(t, time);
	if (t->begun && begin < t->next)
		begin = t->next;
	while (i > 0 && t->open[i - 1].begin > begin)
		i--;
	if (i > 0 && t->open[i - 1].begin == begin)
		return &t->open[i - 1];
	t->open = mem_grow(t->open, &t->cap, t->n + 1, sizeof(*t->open));
	memmove(t->open + i + 1, t->open + i, (t->n - i) * sizeof(*t->open));
	t->n++;
	t->open[i] = (struct slice){ .begin = begin };
	return &t->open[i];
}

void
ticker_reach(struct ticker *t, uint64_t time)
{
	if (time > t->newest)
		t->newest = time;
}

void
ticker_begin(struct ticker *t, uint64_t time)
{
	if (!t->begun && time < t->from)
		t->from = time;
}

void
ticker_add(struct ticker *t, uint64_t time, uint32_t stack, struct count count,
	   double quantum)
{
	t->late += t->begun && time < t->next;
	ticker_begin(t, time);
	window_slice_add(interval_at(t, time), stack, count);
	if (quantum == 0 || (t->quantum > 0 && t->quantum != quantum))
		quantum = NAN;
	if (t->quantum == 0 || isnan(quantum))
		t->quantum = quantum;
}

void
ticker_tally(struct ticker *t, uint64_t time, const struct tallies *sum)
{
	ticker_begin(t, time);
	window_tallies_add(&interval_at(t, time)->tallies, sum);
}

/* Removing unused stacks: those in use move to new tables. */

struct ticker_move {
	struct ticker *t;
	struct fold *fold; /* the old tables */
	struct trie trie;
	uint32_t *number; /* by old number; 0: not moved yet */
};

/* Set t->id to the names of a stack, root first; returns their number. */
static size_t
set_names(struct ticker *t, const struct trie *trie, uint32_t stack)
{
	size_t n = 0, i;
	uint32_t at;

	for (at = stack; at != 0; at = trie->frame[at].parent)
		n++;
	t->id = mem_grow(t->id, &t->id_cap, n, sizeof(*t->id));
	for (at = stack, i = n; at != 0; at = trie->frame[at].parent)
		t->id[--i] = trie->frame[at].name;
	return n;
}

static uint32_t
move_stack(void *arg, uint32_t stack)
{
	struct ticker_move *m = arg;
	struct ticker *t = m->t;
	size_t i, n;

	if (m->number[stack] != 0)
		return m->number[stack];
	n = set_names(t, &m->trie, stack);
	for (i = 0; i < n; i++)
		t->id[i] = intern_id(
		    names(t), intern_name(fold_names(m->fold), t->id[i]));
	return m->number[stack] = trie_add(&t->trie, t->id, n);
}

static void
remove_unused(struct ticker *t)
{
	struct ticker_move m = { t, t->fold, t->trie,
				 mem_zero(t->trie.n, sizeof(*m.number)) };
	size_t i;

	new_tables(t);
	stack_forget(&t->stack);
	for (i = 0; i < t->n; i++)
		window_slice_renumber(&t->open[i], move_stack, &m);
	for (i = 0; i < t->nregistered; i++)
		window_slice_renumber(t->registered[i], move_stack, &m);
	window_renumber(&t->window, move_stack, &m);
	free_tables(m.fold, &m.trie);
	free(m.number);
	t->limit = t->trie.n < MIN_FRAMES / 2 ? MIN_FRAMES : 2 * t->trie.n;
}

/* Writing. */

static void
set_samples(struct meta *m, const char *key, double n)
{
	if (n >= 0 && n < 0x1p63)
		meta_set_u64(m, key, (uint64_t)(n + 0.5));
}

static void
print_header(struct ticker *t, uint64_t end, const struct window_total *total)
{
	static const char *const kinds[] = { "delta", "window", "ewma", "cum" };
	static const char *const own[] = { "n",      "lost", "broken",
					   "rounds", "seq",  "time",
					   "dur",    "kind", "quantum" };
	uint64_t length = (uint64_t)(total->length + 0.5);
	struct meta_merge merge = { 0 };
	struct meta *m = &merge.all;
	struct buf line = { 0 };
	size_t i;

	if (length > end)
		length = end;
	t->options.describe(t->options.arg, end - length, &merge);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		meta_unset(m, own[i]);
	if (t->options.kind != TICKER_DELTA)
		meta_set(m, "kind", str_of(kinds[t->options.kind]));
	if (t->quantum > 0 && t->options.kind != TICKER_DECAY &&
	    t->quantum == floor(t->quantum) && t->quantum < 0x1p63)
		meta_set_u64(m, "quantum", (uint64_t)t->quantum);
	meta_set_ns(m, "time", end - length);
	meta_set_ns(m, "dur", length);
	set_samples(m, "n", total->tallies.samples);
	if (total->tallies.lost > 0)
		set_samples(m, "lost", total->tallies.lost);
	if (total->tallies.broken > 0)
		set_samples(m, "broken", total->tallies.broken);
	meta_merge_print(&merge, 1, &line);
	buf_write(&line, stdout);
	meta_merge_free(&merge);
	buf_free(&line);
}

/* Write a snapshot of the counts. */
static void
print(struct ticker *t, uint64_t end, const struct window_total *total)
{
	uint32_t i;
	size_t n;

	for (i = 1; i < t->trie.n; i++) {
		if (count_iszero(t->count[i]))
			continue;
		n = set_names(t, &t->trie, i);
		fold_add(t->fold, t->id, n, &t->count[i]);
	}
	print_header(t, end, total);
	fold_write(t->fold, count_of(0), stdout);
	putchar('\n');
	if (fflush(stdout) != 0)
		err(2, "standard output");
	fold_clear(t->fold);
	if (t->trie.n > t->limit)
		remove_unused(t);
}

static struct window_total
read_window(struct ticker *t)
{
	t->count = mem_grow(t->count, &t->count_cap, t->trie.n,
			    sizeof(*t->count));
	return window_read(&t->window, t->window.sums, t->count, t->trie.n);
}

/* Remove and return the next interval; it is empty if there were no stacks. */
static struct slice
take_next(struct ticker *t)
{
	struct slice s = { 0 };

	if (t->n == 0 || t->open[0].begin != t->next)
		return s;
	s = t->open[0];
	memmove(t->open, t->open + 1, --t->n * sizeof(*t->open));
	return s;
}

/* Write a snapshot that ends here. */
static void
tick(struct ticker *t, struct slice *s, uint64_t end)
{
	struct window_total total;

	s->begin = t->from < end ? t->from : end;
	s->end = end;
	/* The first snapshot may begin long before its window. */
	if (t->options.kind == TICKER_WINDOW &&
	    end - s->begin > t->options.length)
		s->begin = end - t->options.length;
	window_add(&t->window, s);
	total = read_window(t);
	print(t, end, &total);
	t->from = end;
}

/* Start at the tick before the first stack; false before the first stack. */
static bool
begin(struct ticker *t)
{
	if (!t->begun && t->n > 0) {
		t->begun = true;
		t->next = t->open[0].begin;
	}
	return t->begun;
}

void
ticker_until(struct ticker *t, uint64_t time)
{
	const uint64_t every = t->options.every, last = time - time % every;
	struct slice s;
	uint64_t end, gap;

	while (ticker_next(t, &end) && end <= last) {
		begin(t);
		gap = (t->n > 0 && t->open[0].begin < last ? t->open[0].begin :
							     last) -
		      t->next;
		s = take_next(t);
		t->next = gap / every > MAX_GAP ? t->next + gap : end;
		tick(t, &s, t->next);
	}
}

bool
ticker_next(const struct ticker *t, uint64_t *end)
{
	*end = (t->begun ? t->next :
		t->n > 0 ? t->open[0].begin :
			   0) +
	       t->options.every;
	return t->begun || t->n > 0;
}

/* Remove the intervals not yet written, and return them as one. */
static struct slice
take_all(struct ticker *t)
{
	struct slice all = { 0 };
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		for (k = 0; k < t->open[i].n; k++)
			window_slice_add(&all, t->open[i].cell[k].stack,
					 t->open[i].cell[k].count);
		window_tallies_add(&all.tallies, &t->open[i].tallies);
		window_slice_free(&t->open[i]);
	}
	t->n = 0;
	return all;
}

/* Add the intervals not yet written to the counts of the window. */
static void
add_open(struct ticker *t, struct window_total *total)
{
	const struct slice_cell *c;
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		for (k = 0; k < t->open[i].n; k++) {
			c = &t->open[i].cell[k];
			if (!count_add(&t->count[c->stack], c->count))
				errx(2, "the counts of a stack add up to more "
					"than 64 bits");
		}
		window_tallies_add(&total->tallies, &t->open[i].tallies);
	}
}

void
ticker_now(struct ticker *t)
{
	const uint64_t end = t->newest > t->from ? t->newest : t->from;
	struct window_total total;
	struct slice s;

	if (!begin(t))
		return;
	if (t->options.kind == TICKER_DELTA) {
		s = take_all(t);
		t->next = end - end % t->options.every;
		tick(t, &s, end);
		return;
	}
	total = read_window(t);
	add_open(t, &total);
	total.length += (double)(end - t->from);
	print(t, end, &total);
}

void
ticker_end(struct ticker *t)
{
	struct slice s;
	uint64_t end;

	begin(t);
	while (t->n > 0) {
		ticker_until(t, t->open[0].begin);
		s = take_next(t);
		end = t->next + t->options.every;
		if (t->n == 0 && t->newest < end)
			end = t->newest > t->from ? t->newest : t->from;
		t->next += t->options.every;
		tick(t, &s, end);
	}
}

uint64_t
ticker_late(const struct ticker *t)
{
	return t->late;
}
