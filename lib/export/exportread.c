/* exportread.c - reads profiles and passes them to an export format. */
#include "export/exportread.h"

#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"
#include "folded/measure.h"

#include <err.h>
#include <stdlib.h>

/* A sample of a stream, to be sorted. */
struct export_record {
	struct export_sample sample;
	uint64_t number; /* makes the order stable */
};

/* The number of a thread. */
struct exportread_thread {
	int64_t id[2]; /* pid and tid */
	uint32_t number;
	UT_hash_handle hh;
};

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct export_record *a = x, *b = y;
	int order = compare(a->sample.time, b->sample.time);

	return order != 0 ? order : compare(a->number, b->number);
}

static int
by_thread(const void *x, const void *y)
{
	const struct export_record *a = x, *b = y;
	int order = compare(a->sample.thread, b->sample.thread);

	return order != 0 ? order : by_time(x, y);
}

static void
begin(struct stacks *s)
{
	struct exportread *r = s->arg;

	s->names = r->profile.names;
}

/* The first stack decides whether samples are written one by one. */
static void
choose_order(struct exportread *r)
{
	struct export_profile *e = &r->profile;
	enum export_order order = r->format->order;

	e->counts = r->stacks.counts;
	r->begun = true;
	if (order == EXPORT_SUMS || e->counts == 2 ||
	    !r->stacks.seen.is_sample) {
		e->tree = tree_new(e->names, e->counts, false);
		return;
	}
	trie_init(&r->trie);
	e->samples = extsort_new(sizeof(struct export_record),
				 order == EXPORT_BY_TIME ? by_time : by_thread);
	e->start = UINT64_MAX;
}

/* The number of the sample's thread; root_name is for a new thread. */
static uint32_t
thread_of(struct exportread *r, uint32_t root_name)
{
	const int64_t id[2] = { r->stacks.seen.pid, r->stacks.seen.tid };
	struct export_profile *e = &r->profile;
	struct exportread_thread *thread;

	HASH_FIND(hh, r->threads, id, sizeof(id), thread);
	if (thread != NULL)
		return thread->number;
	thread = mem_zero(1, sizeof(*thread));
	memcpy(thread->id, id, sizeof(id));
	thread->number = e->nthreads;
	HASH_ADD(hh, r->threads, id, sizeof(id), thread);
	e->thread = mem_grow(e->thread, &r->thread_cap, e->nthreads + (size_t)1,
			     sizeof(*e->thread));
	e->thread[e->nthreads++] = (struct export_thread){ id[0], id[1],
							   root_name };
	return thread->number;
}

static void
add_sample(struct exportread *r, const uint32_t *id, size_t n,
	   struct count count)
{
	struct export_record record = { .number = r->n++ };
	struct export_sample *sample = &record.sample;

	if (!r->stacks.seen.is_sample)
		errx(2, "stacks without a time after samples of a stream");
	sample->stack = trie_add(&r->trie, id, n);
	sample->count[0] = count;
	sample->time = r->stacks.seen.time;
	sample->thread = thread_of(r, id[0]);
	if (sample->time < r->profile.start)
		r->profile.start = sample->time;
	extsort_add(r->profile.samples, &record);
}

static bool
add(struct stacks *s, const uint32_t *id, size_t n, const struct count *count)
{
	struct exportread *r = s->arg;

	if (!r->begun)
		choose_order(r);
	if (r->profile.tree == NULL)
		add_sample(r, id, n, *count);
	else if (!count_iszero(count[0]) || !count_iszero(count[1]))
		return tree_add(r->profile.tree, id, n, count);
	return true;
}

/*
 * Whether to read a stack: of a stream, samples of one event, which have the
 * same unit; of a profile, all stacks unless the user chose an event.
 */
static bool
wants(struct stacks *s, const struct folded *f)
{
	struct exportread *r = s->arg;

	return (r->event == NULL && !meta_has(&f->own, "time")) ||
	       event_choice_add_sample(r->events, &f->own, &f->header) !=
		   EVENT_SKIPPED;
}

void
exportread_file(struct exportread *r, struct input *in)
{
	if (r->profile.names == NULL) {
		r->profile.names = intern_new();
		buf_str(&r->file, str_basename(str_of(in->name)));
		r->events = event_choice_new(r->event);
		event_choice_at_once(r->events);
		r->stacks.begin = begin;
		r->stacks.accepts = wants;
		r->stacks.add = add;
		r->stacks.timed = r->format->order != EXPORT_SUMS;
		r->stacks.arg = r;
	}
	stacks_read(&r->stacks, in);
}

/*
 * Without a unit in the metadata, recognise the period of a clock, and counts
 * that are no numbers of samples.
 */
static void
add_unit(struct exportread *r, struct meta *all)
{
	const struct tree *t = r->profile.tree;
	struct measure_evidence e = { 0 };
	struct measure m;
	uint32_t i;
	int k;

	if (t == NULL || meta_has(all, "unit") || meta_has(all, "event"))
		return;
	for (i = 1; i < t->n; i++) {
		for (k = 0; k < t->counts; k++) {
			measure_add(&e, tree_self(t, i, k));
			e.total += count_double(tree_self(t, i, k));
		}
	}
	measure_init(&m, all, &e);
	if (!str_eq(buf_slice(&m.unit), STR("samples"))) {
		meta_set(all, "unit", buf_slice(&m.unit));
		if (m.quantum > 0)
			meta_set_u64(all, "quantum", m.quantum);
	}
	measure_free(&m);
}

/*
 * Decode the metadata and make them printable, without the keys of folded text
 * itself.
 */
static void
decode_meta(struct exportread *r)
{
	struct buf line = { 0 }, bytes = { 0 }, value = { 0 };
	struct meta all = { 0 };
	size_t i;

	event_choice_describe(r->events, &r->stacks.merge.all);
	add_unit(r, &r->stacks.merge.all);
	meta_merge_print(&r->stacks.merge, r->profile.counts, &line);
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
 * Renumber names in the order of the tree, which is sorted, so that the output
 * does not depend on the order of the input.
 */
static void
renumber_names(struct export_profile *e)
{
	uint32_t *number = mem_zero(intern_size(e->names) + (size_t)1,
				    sizeof(*number)); /* plus 1; 0 if new */
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
	struct export_profile *e = &r->profile;

	if (!r->begun) {
		r->stacks.counts = 1;
		choose_order(r);
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
exportread_next(struct export_profile *e, struct export_sample *sample)
{
	const struct export_record *record;
	int k;

	if (e->samples != NULL) {
		record = extsort_next(e->samples);
		if (record != NULL)
			*sample = record->sample;
		return record != NULL;
	}
	*sample = (struct export_sample){ 0 };
	while (++e->next < e->nframes) {
		sample->stack = e->next;
		for (k = 0; k < e->counts; k++)
			sample->count[k] = tree_self(e->tree, e->next, k);
		if (!count_iszero(sample->count[0]) ||
		    !count_iszero(sample->count[1]))
			return true;
	}
	e->next = 0;
	return false;
}

void
exportread_write(struct exportread *r, FILE *out)
{
	struct export_profile *e = &r->profile;

	finish(r);
	decode_meta(r);
	set_title(r);
	e->strip_suffixes = r->format->has_annotations && !r->keep_suffixes;
	e->out = out;
	r->format->write(e);
}

static void
free_threads(struct exportread *r)
{
	struct exportread_thread *thread, *next;

	HASH_ITER(hh, r->threads, thread, next)
	{
		HASH_DEL(r->threads, thread);
		free(thread);
	}
}

void
exportread_free(struct exportread *r)
{
	struct export_profile *e = &r->profile;

	stacks_free(&r->stacks);
	if (e->samples != NULL) {
		extsort_free(e->samples);
		trie_free(&r->trie);
	}
	tree_free(e->tree);
	intern_free(e->names);
	free_threads(r);
	event_choice_free(r->events);
	meta_free(&e->meta);
	free(e->thread);
	buf_free(&r->file);
	buf_free(&r->title_text);
}
