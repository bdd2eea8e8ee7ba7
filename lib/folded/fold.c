/* fold.c - the table that adds up equal stacks. */
#include "folded/fold.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "folded/stack_order.h"

#include <err.h>
#include <stdlib.h>

/*
 * A stack: its counts, then the numbers of its n names, then padding to 8
 * bytes.  If all numbers are below 65536, each has two bytes: in large profiles
 * they are most of the memory.
 */
struct fold_entry {
	uint32_t n;
	bool dropped, narrow;
	struct count count[];
};

/* Open addressing, at most half full; place 0 marks a free slot. */
struct fold_slot {
	uint32_t hash, place;
};

/*
 * A stack waits in a queue after fold_add() has prefetched its slot and its
 * entry.  In tables larger than the caches most of the time would otherwise
 * pass waiting for memory.
 */
#define QUEUE 16

struct fold_queued {
	void *id;      /* uint16_t or uint32_t */
	size_t n, cap; /* n = 0: this place of the queue is free */
	uint32_t hash;
	bool narrow;
	struct count count[2];
};

struct fold {
	struct fold_slot *slots;
	size_t mask;
	uint64_t seed;
	uint64_t *pool; /* all entries; a place is an index in it */
	size_t used, cap;
	size_t n;
	struct fold_queued queue[QUEUE]; /* a ring */
	unsigned next;
	uint32_t *stack; /* of fold_next() */
	size_t stack_cap;
	bool overflow;
	struct intern *names;
	int counts;
	unsigned threads; /* to sort and print; 0 is 1 */

	/* Tables of other threads, whose stacks are found equal when sorted. */
	struct fold **joined;
	size_t joined_n, joined_cap;
	uint32_t
	    *renumber; /* of such a table: numbers in the table it joined */
};

struct fold *
fold_new(int counts)
{
	struct fold *f = mem_zero(1, sizeof(*f));

	f->counts = counts;
	f->seed = hash_seed();
	f->names = intern_new();
	f->mask = 1023;
	f->slots = mem_zero(f->mask + 1, sizeof(*f->slots));
	f->pool = mem_grow(NULL, &f->cap, 1, sizeof(*f->pool));
	f->used = 1; /* place 0 is not used */
	return f;
}

static void
free_joined(struct fold *f)
{
	size_t i;

	for (i = 0; i < f->joined_n; i++)
		fold_free(f->joined[i]);
	f->joined_n = 0;
}

void
fold_free(struct fold *f)
{
	int i;

	if (f == NULL)
		return;
	free_joined(f);
	free(f->joined);
	free(f->renumber);
	for (i = 0; i < QUEUE; i++)
		free(f->queue[i].id);
	intern_free(f->names);
	free(f->stack);
	free(f->pool);
	free(f->slots);
	free(f);
}

struct intern *
fold_names(struct fold *f)
{
	return f->names;
}

static struct fold_entry *
entry_at(const struct fold *f, size_t place)
{
	return (struct fold_entry *)(void *)(f->pool + place);
}

static size_t
place_of(const struct fold *f, const struct fold_entry *e)
{
	return (size_t)((const uint64_t *)(const void *)e - f->pool);
}

static void
grow(struct fold *f)
{
	struct fold_slot *old = f->slots;
	size_t i, j, n = f->mask + 1;

	f->mask = 2 * n - 1;
	f->slots = mem_zero(2 * n, sizeof(*f->slots));
	for (i = 0; i < n; i++) {
		if (old[i].place == 0)
			continue;
		for (j = old[i].hash & f->mask; f->slots[j].place != 0;)
			j = (j + 1) & f->mask;
		f->slots[j] = old[i];
	}
	free(old);
}

/* The size of n numbers of names. */
static size_t
ids_size(size_t n, bool narrow)
{
	return n * (narrow ? sizeof(uint16_t) : sizeof(uint32_t));
}

/* The number of words of the pool that an entry of n frames takes. */
static size_t
entry_size(const struct fold *f, size_t n, bool narrow)
{
	const size_t word = sizeof(uint64_t);

	return (sizeof(struct fold_entry) +
		(size_t)f->counts * sizeof(struct count) + ids_size(n, narrow) +
		word - 1) /
	       word;
}

/* The numbers of an entry's names. */
static const void *
entry_ids(const struct fold_entry *e, int counts)
{
	return e->count + counts;
}

static uint32_t
entry_id(const struct fold_entry *e, int counts, size_t i)
{
	const void *ids = entry_ids(e, counts);

	return e->narrow ? ((const uint16_t *)ids)[i] :
			   ((const uint32_t *)ids)[i];
}

static struct fold_entry *
new_entry(struct fold *f, struct fold_slot *slot, const struct fold_queued *q)
{
	size_t size = entry_size(f, q->n, q->narrow);
	struct fold_entry *e;

	if (q->n > UINT32_MAX || f->used > UINT32_MAX - size)
		errx(2, "too many stacks");
	f->pool = mem_grow(f->pool, &f->cap, f->used + size, sizeof(*f->pool));
	*slot = (struct fold_slot){ q->hash, (uint32_t)f->used };
	e = entry_at(f, slot->place);
	*e = (struct fold_entry){ .n = (uint32_t)q->n, .narrow = q->narrow };
	memset(e->count, 0, (size_t)f->counts * sizeof(*e->count));
	memcpy(e->count + f->counts, q->id, ids_size(q->n, q->narrow));
	f->used += size;
	if (2 * ++f->n > f->mask)
		grow(f);
	return e;
}

static bool
is_queued(const struct fold *f, const struct fold_entry *e,
	  const struct fold_queued *q)
{
	return e->n == q->n && e->narrow == q->narrow &&
	       memcmp(entry_ids(e, f->counts), q->id,
		      ids_size(q->n, q->narrow)) == 0;
}

static struct fold_entry *
find_or_add(struct fold *f, const struct fold_queued *q)
{
	struct fold_slot *slot;
	struct fold_entry *e;
	size_t i;

	for (i = q->hash & f->mask;; i = (i + 1) & f->mask) {
		slot = &f->slots[i];
		if (slot->place == 0)
			return new_entry(f, slot, q);
		e = entry_at(f, slot->place);
		if (slot->hash == q->hash && is_queued(f, e, q))
			return e;
	}
}

static void
add_counts(struct fold *f, struct fold_entry *e, const struct count *count)
{
	int k;

	for (k = 0; k < f->counts; k++)
		f->overflow |= !count_add(&e->count[k], count[k]);
}

/* Move a stack from the queue to the table. */
static void
add_queued(struct fold *f, struct fold_queued *q)
{
	if (q->n == 0)
		return;
	add_counts(f, find_or_add(f, q), q->count);
	q->n = 0;
}

static void
empty_queue(struct fold *f)
{
	unsigned i;

	for (i = 0; i < QUEUE; i++)
		add_queued(f, &f->queue[(f->next + i) % QUEUE]);
}

static void
prefetch_slot(const struct fold *f, const struct fold_queued *q)
{
	__builtin_prefetch(&f->slots[q->hash & f->mask]);
}

static void
prefetch_entry(const struct fold *f, const struct fold_queued *q)
{
	const struct fold_slot *slot;
	const char *e;
	size_t i = q->hash & f->mask;

	while ((slot = &f->slots[i])->place != 0 && slot->hash != q->hash)
		i = (i + 1) & f->mask;
	e = (const char *)entry_at(f, slot->place);
	__builtin_prefetch(e);
	__builtin_prefetch(e + 64);
}

/*
 * Copy numbers in two bytes each.  False if one of them needs more.  Compilers
 * turn the inner loop into vector instructions.
 */
static bool
narrow_ids(uint16_t *restrict to, const uint32_t *restrict id, size_t n)
{
	uint32_t all = 0;
	size_t i, k;

	for (i = 0; i + 8 <= n; i += 8) {
		for (k = i; k < i + 8; k++) {
			all |= id[k];
			to[k] = (uint16_t)id[k];
		}
	}
	for (; i < n; i++) {
		all |= id[i];
		to[i] = (uint16_t)id[i];
	}
	return all <= UINT16_MAX;
}

static void
fill_queued(struct fold *f, struct fold_queued *q, const uint32_t *id, size_t n)
{
	q->id = mem_grow(q->id, &q->cap, n, sizeof(*id));
	q->narrow = narrow_ids(q->id, id, n);
	if (!q->narrow)
		memcpy(q->id, id, n * sizeof(*id));
	q->n = n;
	q->hash = (uint32_t)hash_seeded(q->id, ids_size(n, q->narrow), f->seed);
}

bool
fold_add(struct fold *f, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct fold_queued *q = &f->queue[f->next];

	add_queued(f, q);
	fill_queued(f, q, id, n);
	memcpy(q->count, count, (size_t)f->counts * sizeof(*count));
	prefetch_slot(f, q);
	prefetch_entry(f, &f->queue[(f->next + QUEUE / 2) % QUEUE]);
	f->next = (f->next + 1) % QUEUE;
	return !f->overflow;
}

uint32_t
fold_add_now(struct fold *f, const uint32_t *id, size_t n,
	     const struct count *count)
{
	struct fold_queued *q = &f->queue[f->next];
	struct fold_entry *e;

	add_queued(f, q);
	fill_queued(f, q, id, n);
	e = find_or_add(f, q);
	add_counts(f, e, count);
	q->n = 0;
	return (uint32_t)place_of(f, e);
}

void
fold_add_at(struct fold *f, uint32_t place, const struct count *count)
{
	add_counts(f, entry_at(f, place), count);
}

/*
 * The next entry, or NULL.  The pool has the stacks in the order of arrival.
 * Slots would give an order that depends on the seed of the hash.
 */
static struct fold_entry *
next_entry(struct fold *f, size_t *at)
{
	struct fold_entry *e;

	if (*at == 0) {
		empty_queue(f);
		*at = 1;
	}
	while (*at < f->used) {
		e = entry_at(f, *at);
		*at += entry_size(f, e->n, e->narrow);
		if (!e->dropped)
			return e;
	}
	return NULL;
}

/* Joined tables. */

/* Add the stacks of another table, given the numbers of its names here. */
static void
add_table(struct fold *f, struct fold *from, const uint32_t *number)
{
	const struct fold_entry *e;
	uint32_t *id = NULL;
	size_t at = 0, i, cap = 0;

	while ((e = next_entry(from, &at)) != NULL) {
		id = mem_grow(id, &cap, e->n, sizeof(*id));
		for (i = 0; i < e->n; i++)
			id[i] = number[entry_id(e, f->counts, i)];
		fold_add(f, id, e->n, e->count);
	}
	f->overflow |= from->overflow;
	free(id);
}

/* Move the stacks of all joined tables to this one. */
static void
add_joined(struct fold *f)
{
	size_t i;

	for (i = 0; i < f->joined_n; i++)
		add_table(f, f->joined[i], f->joined[i]->renumber);
	free_joined(f);
}

void
fold_join(struct fold *f, struct fold *from)
{
	const uint32_t n = intern_size(from->names);
	uint32_t *number = mem_alloc(n * sizeof(*number)), i;

	for (i = 0; i < n; i++)
		number[i] = intern_id(f->names, intern_name(from->names, i));
	/* Renumbering cannot make room for more bytes in each number. */
	if (intern_size(f->names) > UINT16_MAX) {
		add_table(f, from, number);
		fold_free(from);
		free(number);
		return;
	}
	empty_queue(from);
	from->renumber = number;
	f->joined = mem_grow(f->joined, &f->joined_cap, f->joined_n + 1,
			     sizeof(struct fold *));
	f->joined[f->joined_n++] = from;
	/* The text is in the other table of names, and its slots are done. */
	intern_free(from->names);
	free(from->slots);
	from->names = NULL;
	from->slots = NULL;
}

/* Give the names of a joined table the numbers that they have here. */
static bool
renumber_item(void *arg, unsigned worker, size_t item)
{
	const struct fold *all = arg;
	struct fold *f = all->joined[item];
	const uint32_t *number = f->renumber;
	struct fold_entry *e;
	uint16_t *narrow;
	uint32_t *wide;
	size_t at = 0, i;

	(void)worker;
	while ((e = next_entry(f, &at)) != NULL) {
		narrow = (void *)(e->count + f->counts);
		wide = (void *)narrow;
		for (i = 0; i < e->n; i++) {
			if (e->narrow)
				narrow[i] = (uint16_t)number[narrow[i]];
			else
				wide[i] = number[wide[i]];
		}
	}
	return true;
}

/* Add the counts of all stacks of a table to sums; false if they are too large.
 */
static bool
add_sums(struct fold *f, struct count *sum)
{
	const struct fold_entry *e;
	size_t at = 0;
	bool fits = !f->overflow;
	int k;

	while (fits && (e = next_entry(f, &at)) != NULL) {
		for (k = 0; k < f->counts; k++)
			fits &= count_add(&sum[k], e->count[k]);
	}
	return fits;
}

/* Whether the counts of all tables add up, whichever stacks are equal. */
static bool
joined_fit(struct fold *f)
{
	struct count sum[2] = { 0 };
	size_t i;

	if (!add_sums(f, sum))
		return false;
	for (i = 0; i < f->joined_n; i++) {
		if (!add_sums(f->joined[i], sum))
			return false;
	}
	return true;
}

size_t
fold_size(struct fold *f)
{
	add_joined(f);
	empty_queue(f);
	return f->n;
}

bool
fold_next(struct fold *f, size_t *at, struct fold_stack *s)
{
	const struct fold_entry *e;
	size_t i;

	if (*at == 0)
		add_joined(f);
	e = next_entry(f, at);
	if (e == NULL)
		return false;
	f->stack = mem_grow(f->stack, &f->stack_cap, e->n, sizeof(*f->stack));
	for (i = 0; i < e->n; i++)
		f->stack[i] = entry_id(e, f->counts, i);
	*s = (struct fold_stack){ .id = f->stack,
				  .n = e->n,
				  .count = e->count,
				  .place = place_of(f, e) };
	return true;
}

void
fold_drop(struct fold *f, const struct fold_stack *s)
{
	entry_at(f, s->place)->dropped = true;
	f->n--;
}

/* Fewer stacks are sorted and printed before other threads have begun. */
#define LEAST_STACKS 8192

/* The number of threads that pay for sorting and printing n stacks. */
static unsigned
threads_for(const struct fold *f, size_t n)
{
	return f->threads > 1 && n >= LEAST_STACKS ? f->threads : 1;
}

/* Stacks to sort and print; equal ones of several tables have not met yet. */
struct fold_list {
	struct fold_entry **e;
	size_t n;
};

static void
list_table(struct fold *f, struct fold_list *list)
{
	struct fold_entry *e;
	size_t at = 0;

	while ((e = next_entry(f, &at)) != NULL)
		list->e[list->n++] = e;
}

/* All stacks, in the order of arrival in each table. */
static struct fold_list
list_entries(struct fold *f)
{
	struct fold_list list = { 0 };
	size_t i, n;

	empty_queue(f);
	n = f->n;
	for (i = 0; i < f->joined_n; i++)
		n += f->joined[i]->n;
	parallel_each(threads_for(f, n), f->joined_n, renumber_item, f);
	list.e = mem_zero(n, sizeof(struct fold_entry *));
	list_table(f, &list);
	for (i = 0; i < f->joined_n; i++)
		list_table(f->joined[i], &list);
	return list;
}

/* Sorting. */

struct fold_sort {
	struct stack_order order;
	uint64_t random;
	int counts;
};

/* Some stacks, which are equal above depth. */
struct fold_part {
	struct fold_entry **e;
	size_t n, depth;
};

/* The rank that sorts e at a depth; no stack is ever deeper than its end. */
static uint32_t
key(const struct fold_sort *sort, const struct fold_entry *e, size_t depth)
{
	uint32_t id = entry_id(e, sort->counts, depth);

	return depth + 1 == e->n ? sort->order.last[id] : sort->order.inner[id];
}

static void
swap(struct fold_entry **a, struct fold_entry **b)
{
	struct fold_entry *t = *a;

	*a = *b;
	*b = t;
}

/* Make one of equal stacks, each of another table.  fold_fits() has asked. */
static void
merge_equal(const struct fold_sort *sort, struct fold_entry **e, size_t n)
{
	size_t i;
	int k;

	for (i = 1; i < n; i++) {
		for (k = 0; k < sort->counts; k++)
			count_add(&e[0]->count[k], e[i]->count[k]);
		e[i]->dropped = true;
	}
}

/*
 * Partition stacks by the rank of one frame into less, equal and greater.  The
 * equal stacks go one frame deeper.  If they end here, they are one stack.
 */
static void
partition(const struct fold_sort *sort, struct fold_part all,
	  struct fold_part part[3])
{
	struct fold_entry **e = all.e;
	/* Random: no input can choose bad pivots. */
	size_t below = 0, i = 0, above = all.n,
	       pivot = (all.n * sort->random >> 32) % all.n;
	uint32_t rank = key(sort, e[pivot], all.depth), k;

	while (i < above) {
		k = key(sort, e[i], all.depth);
		if (k < rank)
			swap(&e[below++], &e[i++]);
		else if (k > rank)
			swap(&e[i], &e[--above]);
		else
			i++;
	}
	part[0] = (struct fold_part){ e, below, all.depth };
	part[1] = (struct fold_part){ e + below, above - below, all.depth + 1 };
	part[2] = (struct fold_part){ e + above, all.n - above, all.depth };
	if (e[below]->n == all.depth + 1) {
		merge_equal(sort, e + below, part[1].n);
		part[1].n = 0;
	}
}

/*
 * Multikey quicksort (Bentley and Sedgewick 1997) compares shared callers once
 * and not for each pair of stacks.  The loop takes the largest part, so that
 * the recursion is at most log2(n) deep.
 */
static void
sort_part(const struct fold_sort *sort, struct fold_part all)
{
	struct fold_part part[3];
	int i, largest;

	while (all.n > 1) {
		partition(sort, all, part);
		largest = 0;
		for (i = 1; i < 3; i++) {
			if (part[i].n > part[largest].n)
				largest = i;
		}
		for (i = 0; i < 3; i++) {
			if (i != largest)
				sort_part(sort, part[i]);
		}
		all = part[largest];
	}
}

/* Parts that threads sort; the largest is not much of the whole. */
#define PARTS 256

struct fold_parts {
	const struct fold_sort *sort;
	struct fold_part part[PARTS];
	size_t n;
};

static bool
sort_item(void *arg, unsigned worker, size_t item)
{
	const struct fold_parts *all = arg;

	(void)worker;
	sort_part(all->sort, all->part[item]);
	return true;
}

/* Partition the largest part until all are small. */
static void
split_parts(struct fold_parts *all, size_t small)
{
	struct fold_part part[3], *largest;
	size_t i;

	while (all->n + 2 <= PARTS) {
		largest = all->part;
		for (i = 1; i < all->n; i++) {
			if (all->part[i].n > largest->n)
				largest = &all->part[i];
		}
		if (largest->n <= small)
			return;
		partition(all->sort, *largest, part);
		*largest = part[0];
		all->part[all->n++] = part[1];
		all->part[all->n++] = part[2];
	}
}

static void
sort_list(const struct fold *f, const struct fold_list *list)
{
	const unsigned threads = threads_for(f, list->n);
	struct fold_sort sort = { .order = stack_order_new(f->names),
				  .random = f->seed | 1,
				  .counts = f->counts };
	struct fold_parts all = { .sort = &sort,
				  .part = { { list->e, list->n, 0 } },
				  .n = 1 };

	if (threads > 1)
		split_parts(&all, list->n / threads / 8);
	parallel_each(threads, all.n, sort_item, &all);
	stack_order_free(&sort.order);
}

static void
print_stack(struct buf *out, const struct fold *f, const struct fold_entry *e)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (i > 0)
			buf_char(out, ';');
		buf_str(out, intern_name(f->names, entry_id(e, f->counts, i)));
	}
}

static void
print_stacks(struct foldout *o, const struct fold *f, struct fold_entry **e,
	     size_t n)
{
	size_t i, start;

	for (i = 0; i < n; i++) {
		if (e[i]->dropped)
			continue;
		start = o->text.len;
		print_stack(&o->text, f, e[i]);
		foldout_line(o, start, e[i]->count);
	}
}

/*
 * A thread prints some stacks at a time, and several times in a round.  The
 * text of a round is in memory, so long stacks are fewer.
 */
#define PRINT_STACKS 1024
#define PRINT_FIRST 64 /* in the first round */
#define PRINT_BYTES ((size_t)256 * 1024)
#define PRINT_TURNS 4

struct fold_round {
	const struct fold *f;
	struct fold_entry **e;
	size_t n, turn; /* stacks of the round, and of one item */
	struct foldout out[PARALLEL_MAX * PRINT_TURNS];
};

static bool
print_item(void *arg, unsigned worker, size_t item)
{
	struct fold_round *round = arg;
	const size_t first = item * round->turn, left = round->n - first;

	(void)worker;
	print_stacks(&round->out[item], round->f, round->e + first,
		     left < round->turn ? left : round->turn);
	return true;
}

/* Print a round; return the number of bytes. */
static size_t
print_round(struct fold_round *round, FILE *out)
{
	const size_t n = (round->n + round->turn - 1) / round->turn;
	size_t i, bytes = 0;

	parallel_each(round->f->threads, n, print_item, round);
	for (i = 0; i < n; i++) {
		bytes += round->out[i].text.len;
		buf_write(&round->out[i].text, out);
	}
	return bytes;
}

/* The number of stacks that have about PRINT_BYTES. */
static size_t
next_turn(size_t stacks, size_t bytes)
{
	const size_t average = bytes / stacks + 1, n = PRINT_BYTES / average;

	return n < 1 ? 1 : n < PRINT_STACKS ? n : PRINT_STACKS;
}

/* Print by several threads, and write what they printed in order. */
static void
print_rounds(const struct fold *f, struct foldout *o,
	     const struct fold_list *list)
{
	const size_t items = f->threads * PRINT_TURNS;
	struct fold_round round = { .f = f, .e = list->e, .turn = PRINT_FIRST };
	size_t i, bytes, left = list->n;

	for (i = 0; i < items; i++) {
		round.out[i] = *o;
		round.out[i].text = (struct buf){ 0 };
		round.out[i].buffer = SIZE_MAX; /* never write */
	}
	buf_write(&o->text, o->out);
	o->written = true;
	for (; left > 0; left -= round.n, round.e += round.n) {
		round.n = left < items * round.turn ? left : items * round.turn;
		bytes = print_round(&round, o->out);
		round.turn = next_turn(round.n, bytes);
	}
	for (i = 0; i < items; i++)
		buf_free(&round.out[i].text);
}

void
fold_threads(struct fold *f, unsigned threads)
{
	f->threads = threads < PARALLEL_MAX ? threads : PARALLEL_MAX;
}

void
fold_clear(struct fold *f)
{
	empty_queue(f);
	free_joined(f);
	memset(f->slots, 0, (f->mask + 1) * sizeof(*f->slots));
	f->used = 1;
	f->n = 0;
}

struct fold *
fold_renew(struct fold *f)
{
	struct fold *renewed = fold_new(f->counts);
	struct intern *names = fold_names(renewed);
	struct fold_stack s;
	uint32_t *id = NULL;
	size_t at = 0, i, cap = 0;

	while (fold_next(f, &at, &s)) {
		id = mem_grow(id, &cap, s.n, sizeof(*id));
		for (i = 0; i < s.n; i++)
			id[i] = intern_id(names,
					  intern_name(fold_names(f), s.id[i]));
		fold_add(renewed, id, s.n, s.count);
	}
	fold_free(f);
	free(id);
	return renewed;
}

bool
fold_fits(struct fold *f)
{
	empty_queue(f);
	if (f->joined_n > 0 && !joined_fit(f)) {
		add_joined(f);
		empty_queue(f);
	}
	return !f->overflow;
}

size_t
fold_memory(const struct fold *f)
{
	return f->used * sizeof(*f->pool) + (f->mask + 1) * sizeof(*f->slots) +
	       intern_memory(f->names);
}

void
fold_print(struct fold *f, struct foldout *o)
{
	struct fold_list list = list_entries(f);

	sort_list(f, &list);
	if (threads_for(f, list.n) > 1)
		print_rounds(f, o, &list);
	else
		print_stacks(o, f, list.e, list.n);
	free(list.e);
}

void
fold_write(struct fold *f, struct count min, FILE *out)
{
	struct foldout o = { .out = out, .counts = f->counts, .min = min };

	fold_print(f, &o);
	foldout_end(&o);
}
