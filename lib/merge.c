/* merge.c - the metadata of merged profiles. */
#include "merge.h"

#include "mem.h"

#include <stdlib.h>

/* Keys whose values are lists with commas. */
static const char *const list_keys[MERGE_LISTS] = { "host", "src" };

static void
copy_keys(struct meta *to, const struct meta *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		meta_set_raw(to, from->entry[i].key.p, from->entry[i].value);
}

void
merge_begin(struct merge *m, const struct meta *header)
{
	m->has_header = header != NULL;
	if (header != NULL)
		copy_keys(&m->one, header);
	/* Judgements are of the profile they came with. */
	meta_unset(&m->one, "test");
	m->is_stream = m->same_count = true;
	m->stacks = m->lost = 0;
}

/* Whether a key has a rule of its own, so that it may differ. */
static bool
has_rule(struct str key)
{
	static const char *const keys[] = { "fold", "unit", "host",  "src",
					    "time", "dur",  "n",     "exposure",
					    "took", "lost", "broken" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return false;
}

static void
note_keys(struct meta *one, const struct meta *own)
{
	const struct meta_entry *e = own->entry;
	size_t i;

	for (i = 0; i < own->n; i++) {
		if (!has_rule(e[i].key) && meta_has(one, e[i].key.p) &&
		    !str_eq(meta_get(one, e[i].key.p), e[i].value))
			meta_unset(one, e[i].key.p);
	}
}

void
merge_stack(struct merge *m, const struct meta *own, struct count count)
{
	uint64_t time, lost;

	if (m->stacks++ == 0) {
		m->count = count;
		m->first_time = UINT64_MAX;
		m->last_time = 0;
	}
	m->same_count &= count_cmp(m->count, count) == 0;
	note_keys(&m->one, own);
	if (meta_u64(own, "lost", &lost) &&
	    __builtin_add_overflow(m->lost, lost, &m->lost))
		m->lost = UINT64_MAX;
	if (!meta_ns(own, "time", &time)) {
		m->is_stream = false;
		return;
	}
	m->first_time = time < m->first_time ? time : m->first_time;
	m->last_time = time > m->last_time ? time : m->last_time;
}

/* What the samples of a stream say, where its header does not. */
static void
set_stream_keys(struct merge *m)
{
	struct meta *one = &m->one;

	if (!m->is_stream || m->stacks == 0)
		return;
	if (!meta_has(one, "n"))
		meta_set_u64(one, "n", m->stacks);
	if (!meta_has(one, "lost") && m->lost > 0)
		meta_set_u64(one, "lost", m->lost);
	if (!meta_has(one, "quantum") && m->same_count && m->count.micro == 0 &&
	    m->count.units > 0)
		meta_set_u64(one, "quantum", m->count.units);
	if (!meta_has(one, "time") && !meta_has(one, "dur")) {
		meta_set_ns(one, "time", m->first_time);
		meta_set_ns(one, "dur", m->last_time - m->first_time);
	}
}

static bool
is_equal(const struct meta *a, const struct meta *b, const char *key)
{
	return meta_has(a, key) == meta_has(b, key) &&
	       str_eq(meta_get(a, key), meta_get(b, key));
}

/*
 * Read a number, or with two counts one for each, with a comma between; returns
 * how many.  If it is neither, both are 0.
 */
static int
read_numbers(const struct meta *m, const char *key, uint64_t n[2])
{
	struct str second = meta_get(m, key), first = str_cut(&second, ',');

	n[0] = n[1] = 0;
	if (second.len == 0)
		return str_u64(first, &n[0]) ? 1 : 0;
	if (str_u64(first, &n[0]) && str_u64(second, &n[1]))
		return 2;
	n[0] = 0;
	return 0;
}

static void
set_numbers(struct meta *m, const char *key, const uint64_t n[2], int count)
{
	struct buf value = { 0 };

	buf_u64(&value, n[0]);
	if (count == 2) {
		buf_char(&value, ',');
		buf_u64(&value, n[1]);
	}
	meta_set_raw(m, key, buf_slice(&value));
	buf_free(&value);
}

/* Add up a key; missing is zero, or unknown and so is the sum. */
static const char *
add_key(struct meta *a, const struct meta *b, const char *key, bool zero)
{
	uint64_t x[2], y[2];
	int in_a = read_numbers(a, key, x), in_b = read_numbers(b, key, y);

	if (!meta_has(a, key) && in_b == 0)
		return NULL;
	if (zero && in_a == 0)
		in_a = in_b;
	if (zero && in_b == 0)
		in_b = in_a;
	if (in_a == 0 || in_a != in_b)
		meta_unset(a, key);
	else if (__builtin_add_overflow(x[0], y[0], &x[0]) ||
		 __builtin_add_overflow(x[1], y[1], &x[1]))
		return "its numbers add up to more than 64 bits";
	else
		set_numbers(a, key, x, in_a);
	return NULL;
}

/* From the earliest start to the last end, on one clock. */
static void
join_times(struct meta *a, const struct meta *b)
{
	uint64_t start_a, start_b, end_a, end_b, start, end;

	if (!is_equal(a, b, "clock") || !meta_ns(a, "time", &start_a) ||
	    !meta_ns(b, "time", &start_b) || !meta_ns(a, "dur", &end_a) ||
	    !meta_ns(b, "dur", &end_b) ||
	    __builtin_add_overflow(start_a, end_a, &end_a) ||
	    __builtin_add_overflow(start_b, end_b, &end_b)) {
		meta_unset(a, "time");
		meta_unset(a, "dur");
		return;
	}
	start = start_a < start_b ? start_a : start_b;
	end = end_a > end_b ? end_a : end_b;
	meta_set_ns(a, "time", start);
	meta_set_ns(a, "dur", end - start);
}

/* Move the words of lists with commas to where each is once. */
static void
take_lists(struct merge *m)
{
	struct str rest;
	int i;

	for (i = 0; i < MERGE_LISTS; i++) {
		rest = meta_get(&m->one, list_keys[i]);
		if (rest.len > 0 && m->words[i] == NULL)
			m->words[i] = intern_new();
		while (rest.len > 0)
			intern_id(m->words[i], str_cut(&rest, ','));
		meta_unset(&m->one, list_keys[i]);
	}
}

static const char *
join(struct meta *a, const struct meta *b)
{
	const char *reason;
	size_t i;

	if (meta_has(a, "unit") && meta_has(b, "unit") &&
	    !is_equal(a, b, "unit"))
		return "its unit differs from that of a profile before";
	if (meta_has(a, "counts") && meta_has(b, "counts") &&
	    !is_equal(a, b, "counts"))
		return "a profile before has another number of counts";
	if (!meta_has(a, "unit") && meta_has(b, "unit"))
		meta_set_raw(a, "unit", meta_get(b, "unit"));
	reason = add_key(a, b, "n", false);
	if (reason == NULL)
		reason = add_key(a, b, "exposure", false);
	if (reason == NULL)
		reason = add_key(a, b, "took", false);
	if (reason == NULL)
		reason = add_key(a, b, "lost", true);
	if (reason == NULL)
		reason = add_key(a, b, "broken", true);
	join_times(a, b);
	for (i = a->n; i > 0; i--) {
		const char *key = a->entry[i - 1].key.p;

		if (!has_rule(a->entry[i - 1].key) && !is_equal(a, b, key))
			meta_unset(a, key);
	}
	return reason;
}

const char *
merge_end(struct merge *m)
{
	struct str kind = meta_get(&m->one, "kind");
	const char *reason = NULL;

	if (kind.len > 0 && !str_eq(kind, STR("delta")))
		return "it is no delta, and only deltas may be added up";
	set_stream_keys(m);
	take_lists(m);
	if (!m->has_header && m->stacks == 0) {
		/* nothing at all: merging it changes nothing */
	} else if (!m->has_all) {
		copy_keys(&m->all, &m->one);
		m->has_all = true;
	} else {
		reason = join(&m->all, &m->one);
	}
	meta_free(&m->one);
	return reason;
}

void
merge_drop(struct merge *m)
{
	meta_free(&m->one);
}

static int
compare_words(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void
set_list(struct meta *header, const char *key, const struct intern *words)
{
	uint32_t i, n = intern_size(words);
	struct str *word = mem_zero(n, sizeof(*word));
	struct buf list = { 0 };

	for (i = 0; i < n; i++)
		word[i] = intern_name(words, i);
	qsort(word, n, sizeof(*word), compare_words);
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_char(&list, ',');
		buf_str(&list, word[i]);
	}
	meta_set_raw(header, key, buf_slice(&list));
	buf_free(&list);
	free(word);
}

void
merge_print(const struct merge *m, int counts, struct buf *out)
{
	struct meta header = { 0 };
	int i;

	copy_keys(&header, &m->all);
	for (i = 0; i < MERGE_LISTS; i++) {
		if (m->words[i] != NULL)
			set_list(&header, list_keys[i], m->words[i]);
	}
	meta_set(&header, "fold", STR("1"));
	meta_set_u64(&header, "counts", (uint64_t)counts);
	meta_sort(&header);
	meta_print(out, &header);
	meta_free(&header);
}

void
merge_restart(struct merge *m)
{
	int i;

	meta_free(&m->all);
	m->has_all = false;
	for (i = 0; i < MERGE_LISTS; i++) {
		intern_free(m->words[i]);
		m->words[i] = NULL;
	}
}

void
merge_free(struct merge *m)
{
	merge_restart(m);
	meta_free(&m->one);
}
