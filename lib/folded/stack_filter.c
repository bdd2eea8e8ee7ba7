/* stack_filter.c - the loop of a filter that changes stacks of folded text. */
#include "folded/stack_filter.h"

#include <err.h>
#include <inttypes.h>

#define FLUSH (64 * 1024)

/* Keep at least this many names from one snapshot to the next. */
#define MIN_NAMES 4096

static void
flush(struct stack_filter *sf)
{
	buf_write(&sf->out, stdout);
}

/* Start a new table of names, which belongs to the fold if there is one. */
static void
begin_names(struct stack_filter *sf, int counts)
{
	if (sf->fold == NULL)
		intern_free(sf->names);
	fold_free(sf->fold);
	sf->fold = sf->merge ? fold_new(counts) : NULL;
	sf->fold_counts = counts;
	sf->names = sf->merge ? fold_names(sf->fold) : intern_new();
	sf->names_limit = 0;
	if (sf->begin != NULL)
		sf->begin(sf);
}

/* The sum of one count of all stacks. */
static double
total(struct stack_filter *sf, int k)
{
	struct fold_stack s;
	double sum = 0;
	size_t at = 0;

	while (fold_next(sf->fold, &at, &s))
		sum += count_double(s.count[k]);
	return sum;
}

/* Leave out stacks below a share of all counts. */
static void
drop_small(struct stack_filter *sf)
{
	double least[2] = { 0, 0 }, sum = total(sf, sf->fold_counts - 1);
	double share = 0;
	struct fold_stack s;
	size_t at = 0;
	bool small;
	int k;

	for (k = 0; k < sf->fold_counts; k++)
		least[k] = sf->min_share * total(sf, k);
	while (fold_next(sf->fold, &at, &s)) {
		small = true;
		for (k = 0; k < sf->fold_counts; k++)
			small = small && count_double(s.count[k]) < least[k];
		if (!small)
			continue;
		sf->small++;
		share += count_double(s.count[sf->fold_counts - 1]) / sum;
		fold_drop(sf->fold, &s);
	}
	if (share > sf->small_share)
		sf->small_share = share;
}

/* Write the merged stacks and start anew. */
static void
write_merged(struct stack_filter *sf)
{
	/* fold_write() ranks all names, even if there are no stacks. */
	if (sf->fold == NULL || sf->silent || fold_size(sf->fold) == 0)
		return;
	if (!fold_fits(sf->fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
	if (sf->min_share > 0)
		drop_small(sf);
	flush(sf);
	fold_write(sf->fold, count_of(0), stdout);
	fold_clear(sf->fold);
}

/*
 * A live stream brings new names for ever.  Start a new table when there are
 * twice as many as after the first snapshot.
 */
static void
end_snapshot(struct stack_filter *sf)
{
	write_merged(sf);
	buf_char(&sf->out, '\n');
	flush(sf);
	fflush(stdout);
	if (sf->names == NULL)
		return;
	if (sf->names_limit == 0)
		sf->names_limit = MIN_NAMES + 2 * intern_size(sf->names);
	else if (intern_size(sf->names) > sf->names_limit)
		begin_names(sf, sf->fold_counts);
}

static void
write_meta(struct stack_filter *sf, const struct meta *meta)
{
	meta_print(&sf->out, meta);
	if (sf->out.len > FLUSH)
		flush(sf);
}

/* Tests of folddiff hold only for the frames before the change. */
static void
begin_profile(struct stack_filter *sf, struct folded *f)
{
	write_merged(sf);
	meta_unset(&f->header, "test");
	if (sf->drops)
		meta_unset(&f->header, "n");
	write_meta(sf, &f->header);
	sf->out_counts = 0;
	sf->had_header = true;
	sf->header_is_old = false;
}

static void
check_counts(struct stack_filter *sf, const struct folded *f,
	     const struct input *in)
{
	if (sf->header_is_old && !sf->silent) {
		write_merged(sf);
		buf_printf(&sf->out, "#fold=1;counts=%d\n", f->counts);
		sf->out_counts = 0;
		sf->had_header = sf->header_is_old = false;
	}
	if (sf->out_counts != 0 && f->counts != sf->out_counts && !sf->silent)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %d counts per line, but %d before",
		     in->name, in->line, f->counts, sf->out_counts);
	if (sf->names == NULL || (sf->merge && f->counts != sf->fold_counts))
		begin_names(sf, f->counts);
	sf->out_counts = f->counts;
}

/* Add the records lost before dropped samples to those of this sample. */
static void
carry_lost(struct stack_filter *sf, struct folded *f)
{
	uint64_t n = 0;

	meta_u64(&f->own, "lost", &n);
	if (__builtin_add_overflow(sf->lost, n, &sf->lost))
		sf->lost = UINT64_MAX;
	if (sf->lost > n)
		meta_set_u64(&f->own, "lost", sf->lost);
}

/*
 * Own metadata make a stack a sample, which is not merged.  The metadata of
 * folddiff's tests have the key node.
 */
static void
read_stack(struct stack_filter *sf, struct folded *f, const struct input *in)
{
	check_counts(sf, f, in);
	sf->current = f;
	sf->has_own = f->own.n > 0 && !meta_has(&f->own, "node");
	if (sf->has_own)
		carry_lost(sf, f);
	sf->stack(sf, f, in, sf->merge && !sf->has_own);
}

void
stack_filter_read(struct input *in, void *arg)
{
	struct stack_filter *sf = arg;
	struct folded f = { .raw = sf->raw, .counts = sf->counts_option };
	enum folded_kind kind;

	sf->header_is_old = sf->had_header;
	sf->lost = 0;
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			read_stack(sf, &f, in);
		} else if (sf->silent) {
			continue;
		} else if (kind == FOLDED_META && f.is_header) {
			begin_profile(sf, &f);
		} else if (kind == FOLDED_BLANK) {
			end_snapshot(sf);
		}
	}
	folded_free(&f);
}

void
stack_filter_add(struct stack_filter *sf, const uint32_t *id, size_t n)
{
	fold_add(sf->fold, id, n, sf->current->count);
}

struct buf *
stack_filter_line(struct stack_filter *sf)
{
	if (sf->has_own) {
		write_merged(sf);
		write_meta(sf, &sf->current->own);
		sf->lost = 0;
	}
	return &sf->out;
}

void
stack_filter_line_end(struct stack_filter *sf)
{
	int k;

	for (k = 0; k < sf->current->counts; k++) {
		buf_char(&sf->out, ' ');
		count_print(&sf->out, sf->current->count[k]);
	}
	buf_char(&sf->out, '\n');
	if (sf->out.len > FLUSH)
		flush(sf);
}

void
stack_filter_end(struct stack_filter *sf)
{
	write_merged(sf);
	flush(sf);
}

void
stack_filter_free(struct stack_filter *sf)
{
	if (sf->fold == NULL)
		intern_free(sf->names);
	fold_free(sf->fold);
	buf_free(&sf->out);
}
