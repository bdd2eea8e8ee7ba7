/*
 * demo - something to look at in a flame graph: three threads that sort,
 * parse and hash for a second of CPU each.
 *
 * Compiled without optimisation, so that each function is seen; and the hot
 * ones are our own, because Debian's C library has no frame pointers and its
 * functions hide who called them.
 */
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS = 1, NWORDS = 4000, NBUCKETS = 1024 };

struct word {
	char text[24];
	struct word *next; /* in a bucket */
};

/* Whether the thread may go on: it has used less CPU than its share. */
static int
has_time(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec < SECONDS;
}

static uint32_t
random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static struct word *
make_words(uint32_t seed)
{
	struct word *words = calloc(NWORDS, sizeof(*words));
	size_t i, k, len;

	if (words == NULL)
		err(2, NULL);
	for (i = 0; i < NWORDS; i++) {
		len = 4 + random_next(&seed) % 16;
		for (k = 0; k < len; k++)
			words[i].text[k] = (char)('a' + random_next(&seed) % 4);
	}
	return words;
}

/* Like strcmp(3). */
static int
compare_text(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a - *b;
}

/* Sorting: a recursion that shows as a tower. */

static void
insertion_sort(struct word *words, size_t n)
{
	struct word word;
	size_t i, k;

	for (i = 1; i < n; i++) {
		word = words[i];
		for (k = i; k > 0; k--) {
			if (compare_text(words[k - 1].text, word.text) <= 0)
				break;
			words[k] = words[k - 1];
		}
		words[k] = word;
	}
}

/* Merge two sorted halves; spare has room for all. */
static void
merge(struct word *words, size_t half, size_t n, struct word *spare)
{
	size_t i = 0, k = half, to = 0;

	while (i < half && k < n) {
		if (compare_text(words[i].text, words[k].text) <= 0)
			spare[to++] = words[i++];
		else
			spare[to++] = words[k++];
	}
	while (i < half)
		spare[to++] = words[i++];
	memcpy(words, spare, to * sizeof(*words));
}

static void
merge_sort(struct word *words, size_t n, struct word *spare)
{
	size_t half = n / 2;

	if (n <= 32) {
		insertion_sort(words, n);
		return;
	}
	merge_sort(words, half, spare);
	merge_sort(words + half, n - half, spare);
	merge(words, half, n, spare);
}

static void *
sort_thread(void *arg)
{
	static struct word spare[NWORDS];
	struct word *words;
	uint32_t seed = 1;

	while (has_time()) {
		words = make_words(seed++);
		merge_sort(words, NWORDS, spare);
		free(words);
	}
	return arg;
}

/* Parsing: expression, term and factor call one another. */

static long parse_expression(const char **p);

static long
parse_number(const char **p)
{
	long n = 0;

	while (**p >= '0' && **p <= '9')
		n = n * 10 + *(*p)++ - '0';
	return n;
}

static long
parse_factor(const char **p)
{
	long n;

	if (**p != '(')
		return parse_number(p) + 1;
	(*p)++;
	n = parse_expression(p);
	(*p)++;
	return n;
}

static long
parse_term(const char **p)
{
	long n = parse_factor(p);

	while (**p == '*') {
		(*p)++;
		n = n * parse_factor(p) % 1000003;
	}
	return n;
}

static long
parse_expression(const char **p)
{
	long n = parse_term(p);

	while (**p == '+') {
		(*p)++;
		n += parse_term(p);
	}
	return n;
}

static void *
parse_thread(void *arg)
{
	const char *text = "1+22*(333+4444*(5+66)*777)*(8888+9)+10*"
			   "(11+12*(13+14*(15+16*(17+18)*19)+20)+21)";
	volatile long sum = 0;
	const char *p;
	int i;

	while (has_time()) {
		for (i = 0; i < 1000; i++) {
			p = text;
			sum += parse_expression(&p);
		}
	}
	return arg;
}

/* Hashing: a table that is filled and searched. */

static uint32_t
hash_word(const char *text)
{
	uint32_t hash = 2166136261;

	while (*text != '\0')
		hash = (hash ^ (unsigned char)*text++) * 16777619;
	return hash;
}

static struct word *
find_word(struct word *bucket, const char *text)
{
	while (bucket != NULL && compare_text(bucket->text, text) != 0)
		bucket = bucket->next;
	return bucket;
}

static void
count_words(struct word *words, struct word **table)
{
	struct word **bucket;
	size_t i;

	for (i = 0; i < NWORDS; i++) {
		bucket = &table[hash_word(words[i].text) % NBUCKETS];
		if (find_word(*bucket, words[i].text) != NULL)
			continue;
		words[i].next = *bucket;
		*bucket = &words[i];
	}
}

static void *
hash_thread(void *arg)
{
	struct word *table[NBUCKETS], *words;
	uint32_t seed = 1;

	while (has_time()) {
		memset(table, 0, sizeof(table));
		words = make_words(seed++);
		count_words(words, table);
		free(words);
	}
	return arg;
}

static pthread_t
start(const char *name, void *(*run)(void *))
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, run, NULL);

	if (error != 0)
		errx(2, "%s: %s", name, strerror(error));
	pthread_setname_np(thread, name);
	return thread;
}

int
main(void)
{
	pthread_t thread[] = {
		start("sorter", sort_thread),
		start("parser", parse_thread),
		start("hasher", hash_thread),
	};
	size_t i;

	for (i = 0; i < sizeof(thread) / sizeof(*thread); i++)
		pthread_join(thread[i], NULL);
	return 0;
}
