/* merge.c - the metadata of merged profiles. */
#include "merge.h"

#include "mem.h"

#include <stdlib.h>

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
	m->stacks = 0;
}

void
merge_stack(struct merge *m, const struct meta *own, struct count count)
{
	uint64_t time;

	if (m->stacks++ == 0) {
		m->count = count;
		m->first_time = UINT64_MAX;
		m->last_time = 0;
	}
	m->same_count &= count_cmp(m->count, count) == 0;
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
	if (!meta_has(one, "quantum") && m->same_count && m->count.micro == 0)
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

/* Add up a key; missing is zero, or unknown and so is the sum. */
static const char *
add_key(struct meta *a, const struct meta *b, const char *key, bool zero)
{
	uint64_t x = 0, y = 0;
	bool has_a = meta_u64(a, key, &x), has_b = meta_u64(b, key, &y);

	if (!has_a && !has_b)
		return NULL;
	if (!(has_a && has_b) && !zero)
		meta_unset(a, key);
	else if (__builtin_add_overflow(x, y, &x))
		return "the numbers of samples add up to more than 64 bits";
	else
		meta_set_u64(a, key, x);
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

static int
compare_words(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Unite two lists with commas; each word once, sorted. */
static void
unite(struct meta *a, const struct meta *b, const char *key)
{
	struct str rest[2] = { meta_get(a, key), meta_get(b, key) };
	struct str *word = NULL;
	struct buf list = { 0 };
	size_t i, n = 0, cap = 0;
	int k;

	for (k = 0; k < 2; k++) {
		while (rest[k].len > 0) {
			word = mem_grow(word, &cap, n + 1, sizeof(*word));
			word[n++] = str_cut(&rest[k], ',');
		}
	}
	if (n > 0)
		qsort(word, n, sizeof(*word), compare_words);
	for (i = 0; i < n; i++) {
		if (i > 0 && str_eq(word[i], word[i - 1]))
			continue;
		if (list.len > 0)
			buf_char(&list, ',');
		buf_str(&list, word[i]);
	}
	if (n > 0)
		meta_set_raw(a, key, buf_slice(&list));
	buf_free(&list);
	free(word);
}

/* Whether a key has a rule of its own, so that it may differ. */
static bool
has_rule(struct str key)
{
	static const char *const keys[] = { "fold", "unit", "host",
					    "src",  "time", "dur",
					    "n",    "lost", "broken" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return false;
}

static const char *
join(struct meta *a, const struct meta *b)
{
	const char *reason;
	size_t i;

	if (meta_has(a, "unit") && meta_has(b, "unit") &&
	    !is_equal(a, b, "unit"))
		return "its unit differs from that of a profile before";
	if (!meta_has(a, "unit") && meta_has(b, "unit"))
		meta_set_raw(a, "unit", meta_get(b, "unit"));
	reason = add_key(a, b, "n", false);
	if (reason == NULL)
		reason = add_key(a, b, "lost", true);
	if (reason == NULL)
		reason = add_key(a, b, "broken", true);
	join_times(a, b);
	unite(a, b, "host");
	unite(a, b, "src");
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
merge_free(struct merge *m)
{
	meta_free(&m->all);
	meta_free(&m->one);
}
