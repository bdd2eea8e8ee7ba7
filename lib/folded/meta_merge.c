/* meta_merge.c - merge the metadata of profiles. */
#include "folded/meta_merge.h"

#include "base/mem.h"

#include <stdlib.h>

/* Keys whose values are lists, separated by commas. */
static const char *const list_keys[META_MERGE_LISTS] = { "host", "src" };

static void
copy_keys(struct meta *to, const struct meta *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		meta_set_raw(to, from->entry[i].key.p, from->entry[i].value);
}

void
meta_merge_begin(struct meta_merge *merge, const struct meta *header)
{
	merge->has_header = header != NULL;
	if (header != NULL)
		copy_keys(&merge->one, header);
	/* Tests of folddiff hold only for the profile they were made for. */
	meta_unset(&merge->one, "test");
	/* Sources that sampled at the same time shared rounds: do not add. */
	meta_unset(&merge->one, "rounds");
	merge->is_stream = merge->same_count = true;
	merge->stacks = merge->lost = 0;
}

/* Whether merging the key follows its own rule, so that values may differ. */
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
drop_differing(struct meta *one, const struct meta *own)
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
meta_merge_stack(struct meta_merge *merge, const struct meta *own,
		 struct count count)
{
	uint64_t time, lost;

	if (merge->stacks++ == 0) {
		merge->count = count;
		merge->first_time = UINT64_MAX;
		merge->last_time = 0;
	}
	merge->same_count &= count_cmp(merge->count, count) == 0;
	drop_differing(&merge->one, own);
	if (meta_u64(own, "lost", &lost) &&
	    __builtin_add_overflow(merge->lost, lost, &merge->lost))
		merge->lost = UINT64_MAX;
	if (!meta_ns(own, "time", &time)) {
		merge->is_stream = false;
		return;
	}
	merge->first_time = time < merge->first_time ? time : merge->first_time;
	merge->last_time = time > merge->last_time ? time : merge->last_time;
}

/* Compute keys from the samples of a stream, if its header lacks them. */
static void
set_stream_keys(struct meta_merge *merge)
{
	struct meta *one = &merge->one;

	if (!merge->is_stream || merge->stacks == 0)
		return;
	if (!meta_has(one, "n"))
		meta_set_u64(one, "n", merge->stacks);
	if (!meta_has(one, "lost") && merge->lost > 0)
		meta_set_u64(one, "lost", merge->lost);
	if (!meta_has(one, "quantum") && merge->same_count &&
	    merge->count.micro == 0 && merge->count.units > 0)
		meta_set_u64(one, "quantum", merge->count.units);
	if (!meta_has(one, "time") && !meta_has(one, "dur")) {
		meta_set_ns(one, "time", merge->first_time);
		meta_set_ns(one, "dur", merge->last_time - merge->first_time);
	}
}

static bool
is_equal(const struct meta *a, const struct meta *b, const char *key)
{
	return meta_has(a, key) == meta_has(b, key) &&
	       str_eq(meta_get(a, key), meta_get(b, key));
}

/*
 * Parse a value as a number, or as two numbers with a comma between for two
 * counts.  Returns how many there are; 0, with both set to 0, if malformed.
 */
static int
parse_numbers(const struct meta *m, const char *key, uint64_t n[2])
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

/*
 * Add a key of b to that of a.  A missing key is zero if missing_is_zero.
 * Otherwise it is unknown, and so is the sum.
 */
static const char *
add_key(struct meta *a, const struct meta *b, const char *key,
	bool missing_is_zero)
{
	uint64_t x[2], y[2];
	int in_a = parse_numbers(a, key, x), in_b = parse_numbers(b, key, y);

	if (!meta_has(a, key) && in_b == 0)
		return NULL;
	if (missing_is_zero && in_a == 0)
		in_a = in_b;
	if (missing_is_zero && in_b == 0)
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

/* The earliest start and the latest end; none if the clocks differ. */
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

/* Move the words of lists into sets. */
static void
merge_lists(struct meta_merge *merge)
{
	struct str rest;
	int i;

	for (i = 0; i < META_MERGE_LISTS; i++) {
		rest = meta_get(&merge->one, list_keys[i]);
		if (rest.len > 0 && merge->words[i] == NULL)
			merge->words[i] = intern_new();
		while (rest.len > 0)
			intern_id(merge->words[i], str_cut(&rest, ','));
		meta_unset(&merge->one, list_keys[i]);
	}
}

static const char *
join(struct meta *a, const struct meta *b)
{
	const char *reason;
	size_t i;

	if (meta_has(a, "unit") && meta_has(b, "unit") &&
	    !is_equal(a, b, "unit"))
		return "its unit differs from an earlier profile";
	if (meta_has(a, "counts") && meta_has(b, "counts") &&
	    !is_equal(a, b, "counts"))
		return "an earlier profile has another number of counts";
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
meta_merge_end(struct meta_merge *merge)
{
	struct str kind = meta_get(&merge->one, "kind");
	const char *reason = NULL;

	if (kind.len > 0 && !str_eq(kind, STR("delta")))
		return "only deltas can be added up, and it is not one";
	set_stream_keys(merge);
	merge_lists(merge);
	if (!merge->has_header && merge->stacks == 0) {
		/* an empty input changes nothing */
	} else if (!merge->has_all) {
		copy_keys(&merge->all, &merge->one);
		merge->has_all = true;
	} else {
		reason = join(&merge->all, &merge->one);
	}
	meta_free(&merge->one);
	return reason;
}

void
meta_merge_drop(struct meta_merge *merge)
{
	meta_free(&merge->one);
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
meta_merge_print(const struct meta_merge *merge, int counts, struct buf *out)
{
	struct meta header = { 0 };
	int i;

	copy_keys(&header, &merge->all);
	for (i = 0; i < META_MERGE_LISTS; i++) {
		if (merge->words[i] != NULL)
			set_list(&header, list_keys[i], merge->words[i]);
	}
	meta_set(&header, "fold", STR("1"));
	meta_set_u64(&header, "counts", (uint64_t)counts);
	meta_sort(&header);
	meta_print(out, &header);
	meta_free(&header);
}

void
meta_merge_restart(struct meta_merge *merge)
{
	int i;

	meta_free(&merge->all);
	merge->has_all = false;
	for (i = 0; i < META_MERGE_LISTS; i++) {
		intern_free(merge->words[i]);
		merge->words[i] = NULL;
	}
}

void
meta_merge_free(struct meta_merge *merge)
{
	meta_merge_restart(merge);
	meta_free(&merge->one);
}
