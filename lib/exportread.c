/* exportread.c - reads profiles for another tool's format. */
#include "exportread.h"

#include "mem.h"
#include "utf8.h"

#include <err.h>
#include <stdlib.h>

/* A sample of a stream while they are sorted. */
struct record {
	struct export_sample sample;
	uint64_t number; /* no two are equal */
};

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct record *a = x, *b = y;
	int order = compare(a->sample.time, b->sample.time);

	return order != 0 ? order : compare(a->number, b->number);
}

static int
by_thread(const void *x, const void *y)
{
	const struct record *a = x, *b = y;
	int order = compare(a->sample.thread, b->sample.thread);

	return order != 0 ? order : by_time(x, y);
}

static void
begin(struct stacks *s)
{
	struct exportread *r = s->arg;

	s->names = r->profile.names;
}

/* The first stack decides whether samples are kept apart. */
static void
choose(struct exportread *r)
{
	struct exported *e = &r->profile;
	enum export_order order = r->format->order;

	e->counts = r->stacks.counts;
	r->begun = true;
	if (order == EXPORT_SUMS || e->counts == 2 || !r->stacks.seen.sample) {
		e->tree = tree_new(e->names, e->counts, false);
		return;
	}
	trie_init(&r->trie);
	r->threads = intern_new();
	e->samples = sorter_new(sizeof(struct record),
				order == EXPORT_BY_TIME ? by_time : by_thread);
	e->start = UINT64_MAX;
}

/* The number of a thread, whose sample has this root frame. */
static uint32_t
thread_of(struct exportread *r, uint32_t root_name)
{
	int64_t key[2] = { r->stacks.seen.pid, r->stacks.seen.tid };
	struct exported *e = &r->profile;
	uint32_t i;

	i = intern_id(r->threads,
		      (struct str){ (const char *)key, sizeof(key) });
	if (i == e->nthreads) {
		e->thread = mem_grow(e->thread, &r->thread_cap, i + (size_t)1,
				     sizeof(*e->thread));
		e->thread[e->nthreads++] =
		    (struct export_thread){ key[0], key[1], root_name };
	}
	return i;
}

static void
add_sample(struct exportread *r, const uint32_t *id, size_t n,
	   struct count count)
{
	struct record record = { .number = r->n++ };
	struct export_sample *s = &record.sample;

	if (!r->stacks.seen.sample)
		errx(2, "stacks without a time behind samples of a stream");
	s->stack = trie_add(&r->trie, id, n);
	s->count[0] = count;
	s->time = r->stacks.seen.time;
	s->thread = thread_of(r, id[0]);
	if (s->time < r->profile.start)
		r->profile.start = s->time;
	sorter_add(r->profile.samples, &record);
}

static bool
add(struct stacks *s, const uint32_t *id, size_t n, const struct count *count)
{
	struct exportread *r = s->arg;

	if (!r->begun)
		choose(r);
	if (r->profile.tree == NULL)
		add_sample(r, id, n, *count);
	else if (!count_iszero(count[0]) || !count_iszero(count[1]))
		return tree_add(r->profile.tree, id, n, count);
	return true;
}

/*
 * Of a stream samples of one event, which have one unit; of a profile all,
 * unless an event is asked for.
 */
static bool
wants(struct stacks *s, const struct folded *f)
{
	struct exportread *r = s->arg;

	return (r->event == NULL && !meta_has(&f->own, "time")) ||
	       events_see_sample(r->events, &f->own, &f->header);
}

void
exportread_file(struct exportread *r, struct input *in)
{
	if (r->profile.names == NULL) {
		r->profile.names = intern_new();
		buf_str(&r->file, str_basename(str_of(in->name)));
		r->events = events_new(r->event);
		r->stacks.begin = begin;
		r->stacks.wants = wants;
		r->stacks.add = add;
		r->stacks.timed = r->format->order != EXPORT_SUMS;
		r->stacks.arg = r;
	}
	stacks_read(&r->stacks, in);
}

/*
 * Metadata as it is meant: decoded, and safe to write; without what is of
 * folded text alone.
 */
static void
take_meta(struct exportread *r)
{
	struct buf line = { 0 }, bytes = { 0 }, value = { 0 };
	struct meta all = { 0 };
	size_t i;

	events_describe(r->events, &r->stacks.merge.all);
	merge_print(&r->stacks.merge, r->profile.counts, &line);
	line.len--; /* LF */
	meta_parse(&all, buf_slice(&line));
	meta_unset(&all, "fold");
	meta_unset(&all, "counts");
	for (i = 0; i < all.n; i++) {
		bytes.len = value.len = 0;
		meta_decode(&bytes, all.entry[i].value);
		utf8_escape(&value, buf_slice(&bytes));
		meta_set_raw(&r->profile.meta, all.entry[i].key.p,
			     buf_slice(&value));
	}
	meta_free(&all);
	buf_free(&line);
	buf_free(&bytes);
	buf_free(&value);
}

/*
 * Number names by the tree, which is sorted, so that it does not show in what
 * order they were read.
 */
static void
renumber_names(struct exported *e)
{
	uint32_t *number = mem_zero(intern_size(e->names) + (size_t)1,
				    sizeof(*number)); /* plus 1 */
	struct intern *names = intern_new();
	uint32_t i, *name;

	for (i = 1; i < e->tree->n; i++) {
		name = &e->tree->node[i].name;
		if (number[*name] == 0)
			number[*name] =
			    1 + intern_id(names, intern_name(e->names, *name));
		*name = number[*name] - 1;
	}
	free(number);
	intern_free(e->names);
	e->names = names;
}

static void
finish(struct exportread *r)
{
	struct exported *e = &r->profile;

	if (!r->begun) {
		r->stacks.counts = 1;
		choose(r);
	}
	if (e->tree != NULL) {
		tree_finish(e->tree, UINT32_MAX);
		renumber_names(e);
		e->frame = e->tree->node;
		e->nframes = e->tree->n;
		e->decimals = e->tree->micro[0] != NULL ||
			      e->tree->micro[1] != NULL;
	} else {
		e->frame = r->trie.frame;
		e->nframes = r->trie.n;
	}
}

static void
set_title(struct exportread *r)
{
	struct str title = meta_get(&r->profile.meta, "title");

	if (r->title != NULL)
		title = str_of(r->title);
	else if (title.len == 0)
		title = buf_slice(&r->file);
	utf8_escape(&r->title_text, title);
	r->profile.title = buf_slice(&r->title_text);
}

bool
export_next(struct exported *e, struct export_sample *s)
{
	const struct record *record;
	int k;

	if (e->samples != NULL) {
		record = sorter_next(e->samples);
		if (record != NULL)
			*s = record->sample;
		return record != NULL;
	}
	*s = (struct export_sample){ 0 };
	while (++e->next < e->nframes) {
		s->stack = e->next;
		for (k = 0; k < e->counts; k++)
			s->count[k] = tree_self(e->tree, e->next, k);
		if (!count_iszero(s->count[0]) || !count_iszero(s->count[1]))
			return true;
	}
	e->next = 0;
	return false;
}

void
exportread_write(struct exportread *r, FILE *out)
{
	struct exported *e = &r->profile;

	finish(r);
	take_meta(r);
	set_title(r);
	e->annotates = r->format->annotates && !r->keep_suffixes;
	e->out = out;
	r->format->write(e);
}

void
exportread_free(struct exportread *r)
{
	struct exported *e = &r->profile;

	stacks_free(&r->stacks);
	if (e->samples != NULL) {
		sorter_free(e->samples);
		trie_free(&r->trie);
	}
	tree_free(e->tree);
	intern_free(e->names);
	intern_free(r->threads);
	events_free(r->events);
	meta_free(&e->meta);
	free(e->thread);
	buf_free(&r->file);
	buf_free(&r->title_text);
}
