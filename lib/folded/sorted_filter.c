/* sorted_filter.c - sorted output for a filter that changes stacks. */
#include "folded/sorted_filter.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

#define BUFFER (64 * 1024)

struct sorted_filter_entry {
	size_t at, len; /* place of the stack in text */
	struct count count[2];
	int counts;
};

struct sorted_filter {
	FILE *out;
	struct buf output; /* not yet written */
	struct buf old;    /* the last stack as read */
	bool sorted;       /* the input so far; its stacks are buffered */

	/* Buffered stacks. */
	struct buf text, spare_text;
	struct sorted_filter_entry *entry, *spare;
	size_t n, cap, spare_cap;
	size_t limit; /* with this many, write those that are due */
	size_t *run;  /* the first entry of each sorted run */
	size_t runs, run_cap;
};

struct sorted_filter *
sorted_filter_new(FILE *out)
{
	struct sorted_filter *sf = mem_zero(1, sizeof(*sf));

	sf->out = out;
	sf->sorted = true;
	sf->limit = 1;
	return sf;
}

void
sorted_filter_free(struct sorted_filter *sf)
{
	if (sf == NULL)
		return;
	buf_free(&sf->output);
	buf_free(&sf->old);
	buf_free(&sf->text);
	buf_free(&sf->spare_text);
	free(sf->entry);
	free(sf->spare);
	free(sf->run);
	free(sf);
}

static struct str
entry_stack(const struct sorted_filter *sf, const struct sorted_filter_entry *e)
{
	return (struct str){ sf->text.p + e->at, e->len };
}

static void
begin_run(struct sorted_filter *sf)
{
	sf->run = mem_grow(sf->run, &sf->run_cap, sf->runs + 2,
			   sizeof(*sf->run));
	sf->run[sf->runs++] = sf->n;
}

static void
add_entry(struct sorted_filter *sf, struct str stack, const struct count *count,
	  int counts)
{
	struct sorted_filter_entry *e;

	if (sf->n == 0 ||
	    str_cmp(entry_stack(sf, &sf->entry[sf->n - 1]), stack) > 0)
		begin_run(sf);
	sf->entry = mem_grow(sf->entry, &sf->cap, sf->n + 1,
			     sizeof(*sf->entry));
	e = &sf->entry[sf->n++];
	*e = (struct sorted_filter_entry){
		sf->text.len, stack.len, { count[0], count[1] }, counts
	};
	buf_str(&sf->text, stack);
}

/* Merge the run from a to b with the run from b to c. */
static void
merge_pair(const struct sorted_filter *sf, struct sorted_filter_entry *to,
	   size_t a, size_t b, size_t c)
{
	size_t i = a, j = b;
	bool first;

	for (to += a; a < c; a++) {
		first = i < b && (j == c ||
				  str_cmp(entry_stack(sf, &sf->entry[i]),
					  entry_stack(sf, &sf->entry[j])) <= 0);
		*to++ = first ? sf->entry[i++] : sf->entry[j++];
	}
}

/* Merge neighbouring runs until one is left. */
static void
merge_all(struct sorted_filter *sf)
{
	struct sorted_filter_entry *merged;
	size_t i, n;

	if (sf->runs > 1)
		sf->spare = mem_grow(sf->spare, &sf->spare_cap, sf->cap,
				     sizeof(*sf->spare));
	while (sf->runs > 1) {
		sf->run[sf->runs] = sf->n;
		for (i = n = 0; i < sf->runs; i += 2, n++) {
			merge_pair(sf, sf->spare, sf->run[i], sf->run[i + 1],
				   i + 2 <= sf->runs ? sf->run[i + 2] : sf->n);
			sf->run[n] = sf->run[i];
		}
		sf->runs = n;
		merged = sf->spare;
		sf->spare = sf->entry;
		sf->entry = merged;
		n = sf->spare_cap;
		sf->spare_cap = sf->cap;
		sf->cap = n;
	}
}

/* Writing. */

static void
print(struct sorted_filter *sf, struct str stack, const struct count *count,
      int counts)
{
	struct buf *out = &sf->output;
	int i;

	buf_str(out, stack);
	for (i = 0; i < counts; i++) {
		buf_char(out, ' ');
		count_print(out, count[i]);
	}
	buf_char(out, '\n');
	if (out->len >= BUFFER)
		buf_write(out, sf->out);
}

static void
add_counts(struct sorted_filter_entry *e,
	   const struct sorted_filter_entry *other)
{
	if (!count_add(&e->count[0], other->count[0]) ||
	    !count_add(&e->count[1], other->count[1]))
		errx(2, "the counts of a stack add up to more than 64 bits");
}

/*
 * Write the buffered stacks that sort before a bound, or all if it is NULL.
 * Returns how many entries that was.
 */
static size_t
write_before(struct sorted_filter *sf, const struct str *bound)
{
	struct sorted_filter_entry *e;
	size_t i;

	merge_all(sf);
	for (i = 0; i < sf->n;) {
		e = &sf->entry[i];
		if (bound != NULL && str_cmp(entry_stack(sf, e), *bound) >= 0)
			break;
		for (i++; i < sf->n && str_eq(entry_stack(sf, e),
					      entry_stack(sf, &sf->entry[i]));
		     i++)
			add_counts(e, &sf->entry[i]);
		print(sf, entry_stack(sf, e), e->count, e->counts);
	}
	return i;
}

/*
 * A lower bound of all later stacks, however the filter changes their frames
 * that begin with '[': the text before the first frame that begins with '[' or
 * a smaller byte.  A later stack of a sorted profile equals this one up to a
 * frame where it is greater.  If that frame begins with '[', then the frame of
 * this stack begins with a smaller byte or with '[' too, and is not in the
 * bound.
 */
static struct str
lower_bound(struct str stack)
{
	struct str rest = stack;
	const char *p;

	while (*rest.p > '[' || (unsigned char)*rest.p >= 0x80) {
		p = str_find(rest, ';');
		if (p == NULL)
			return stack;
		rest = str_range(p + 1, stack.p + stack.len);
		if (rest.len == 0)
			return stack;
	}
	return str_range(stack.p, rest.p);
}

/* Write the stacks that sort before a bound, and remove them. */
static void
write_due(struct sorted_filter *sf, struct str bound)
{
	size_t i = write_before(sf, &bound), n = sf->n;
	struct buf text = sf->text;
	struct sorted_filter_entry e;

	sf->spare_text.len = 0;
	for (sf->n = 0; i < n; i++) {
		e = sf->entry[i];
		buf_add(&sf->spare_text, text.p + e.at, e.len);
		e.at = sf->spare_text.len - e.len;
		sf->entry[sf->n++] = e;
	}
	sf->text = sf->spare_text;
	sf->spare_text = text;
	if (sf->n == 0)
		sf->runs = 0;
	sf->limit = 2 * sf->n + 1;
}

/* Write all buffered stacks, and begin a profile that may be sorted. */
static void
flush(struct sorted_filter *sf)
{
	write_before(sf, NULL);
	sf->n = sf->runs = sf->text.len = sf->old.len = 0;
	sf->limit = 1;
	sf->sorted = true;
}

/* From now on, write stacks at once. */
static void
stop_sorting(struct sorted_filter *sf)
{
	if (sf->sorted)
		flush(sf);
	sf->sorted = false;
}

void
sorted_filter_begin(struct sorted_filter *sf)
{
	sf->old.len = 0;
}

void
sorted_filter_stack(struct sorted_filter *sf, struct str old, struct str stack,
		    const struct count *count, int counts)
{
	if (sf->sorted && str_cmp(buf_slice(&sf->old), old) > 0)
		stop_sorting(sf);
	if (!sf->sorted) {
		print(sf, stack, count, counts);
		return;
	}
	sf->old.len = 0;
	buf_str(&sf->old, old);
	if (sf->n >= sf->limit)
		write_due(sf, lower_bound(old));
	add_entry(sf, stack, count, counts);
}

void
sorted_filter_meta(struct sorted_filter *sf, struct str line, bool is_header)
{
	if (is_header)
		flush(sf);
	else
		stop_sorting(sf); /* a sample of a stream */
	buf_str(&sf->output, line);
	buf_char(&sf->output, '\n');
}

void
sorted_filter_blank(struct sorted_filter *sf)
{
	flush(sf);
	buf_char(&sf->output, '\n');
	buf_write(&sf->output, sf->out);
	fflush(sf->out);
}

void
sorted_filter_end(struct sorted_filter *sf)
{
	flush(sf);
	buf_write(&sf->output, sf->out);
}
