/* refold.c - a filter of folded text that changes stacks. */
#include "refold.h"

#include <err.h>
#include <inttypes.h>

#define FLUSH (64 * 1024)

/* Names from which on those of snapshots that are over may be forgotten. */
#define MANY 4096

static void
flush(struct refold *r)
{
	buf_write(&r->out, stdout);
}

/* Another table of names, of the fold or without one. */
static void
begin_names(struct refold *r, int counts)
{
	if (r->fold == NULL)
		intern_free(r->names);
	fold_free(r->fold);
	r->fold = r->merge ? fold_new(counts) : NULL;
	r->fold_counts = counts;
	r->names = r->merge ? fold_names(r->fold) : intern_new();
	r->names_limit = 0;
	if (r->begin != NULL)
		r->begin(r);
}

/* What one count of a profile adds up to. */
static double
total(struct refold *r, int k)
{
	struct fold_stack s;
	double sum = 0;
	size_t at = 0;

	while (fold_next(r->fold, &at, &s))
		sum += count_double(s.count[k]);
	return sum;
}

/* Leave out what is below a share of all counts. */
static void
drop_small(struct refold *r)
{
	double least[2] = { 0, 0 }, sum = total(r, r->fold_counts - 1);
	double share = 0;
	struct fold_stack s;
	size_t at = 0;
	bool small;
	int k;

	for (k = 0; k < r->fold_counts; k++)
		least[k] = r->min_share * total(r, k);
	while (fold_next(r->fold, &at, &s)) {
		small = true;
		for (k = 0; k < r->fold_counts; k++)
			small = small && count_double(s.count[k]) < least[k];
		if (!small)
			continue;
		r->below++;
		share += count_double(s.count[r->fold_counts - 1]) / sum;
		fold_drop(r->fold, at);
	}
	if (share > r->below_share)
		r->below_share = share;
}

/* Write the stacks that were merged so far. */
static void
write_merged(struct refold *r)
{
	/* To write takes all names into account, even those of no stack. */
	if (r->fold == NULL || r->silent || fold_size(r->fold) == 0)
		return;
	if (!fold_fits(r->fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
	if (r->min_share > 0)
		drop_small(r);
	flush(r);
	fold_write(r->fold, count_of(0), stdout);
	fold_clear(r->fold);
}

/*
 * A snapshot has ended.  A stream that has no end brings new names for ever:
 * begin anew when there are twice as many as in the first one.
 */
static void
end_snapshot(struct refold *r)
{
	write_merged(r);
	buf_char(&r->out, '\n');
	flush(r);
	fflush(stdout);
	if (r->names == NULL)
		return;
	if (r->names_limit == 0)
		r->names_limit = MANY + 2 * intern_size(r->names);
	else if (intern_size(r->names) > r->names_limit)
		begin_names(r, r->fold_counts);
}

static void
write_meta(struct refold *r, const struct meta *meta)
{
	meta_print(&r->out, meta);
	if (r->out.len > FLUSH)
		flush(r);
}

/* Verdicts of folddiff are on stacks whose frames were not changed. */
static void
begin_profile(struct refold *r, struct folded *f)
{
	write_merged(r);
	meta_unset(&f->header, "test");
	if (r->drops)
		meta_unset(&f->header, "n");
	write_meta(r, &f->header);
	r->out_counts = 0;
	r->had_header = true;
	r->header_is_old = false;
}

static void
check_counts(struct refold *r, const struct folded *f, const struct input *in)
{
	if (r->header_is_old && !r->silent) {
		write_merged(r);
		buf_printf(&r->out, "#fold=1;counts=%d\n", f->counts);
		r->out_counts = 0;
		r->had_header = r->header_is_old = false;
	}
	if (r->out_counts != 0 && f->counts != r->out_counts && !r->silent)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %d counts a line, before it was %d",
		     in->name, in->line, f->counts, r->out_counts);
	if (r->names == NULL || (r->merge && f->counts != r->fold_counts))
		begin_names(r, f->counts);
	r->out_counts = f->counts;
}

/* What was lost before a sample that is dropped was before the next one. */
static void
carry_lost(struct refold *r, struct folded *f)
{
	uint64_t n = 0;

	meta_u64(&f->own, "lost", &n);
	if (__builtin_add_overflow(r->lost, n, &r->lost))
		r->lost = UINT64_MAX;
	if (r->lost > n)
		meta_set_u64(&f->own, "lost", r->lost);
}

/* A sample's metadata are of its line only; a verdict's are no sample's. */
static void
take_stack(struct refold *r, struct folded *f, const struct input *in)
{
	check_counts(r, f, in);
	r->now = f;
	r->single = f->own.n > 0 && !meta_has(&f->own, "node");
	if (r->single)
		carry_lost(r, f);
	r->stack(r, f, in, r->merge && !r->single);
}

void
refold_read(struct input *in, void *arg)
{
	struct refold *r = arg;
	struct folded f = { .raw = r->raw, .counts = r->asked };
	enum folded_kind kind;

	r->header_is_old = r->had_header;
	r->lost = 0;
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			take_stack(r, &f, in);
		} else if (r->silent) {
			continue;
		} else if (kind == FOLDED_META && f.is_header) {
			begin_profile(r, &f);
		} else if (kind == FOLDED_BLANK) {
			end_snapshot(r);
		}
	}
	folded_free(&f);
}

void
refold_add(struct refold *r, const uint32_t *id, size_t n)
{
	fold_add(r->fold, id, n, r->now->count);
}

struct buf *
refold_line(struct refold *r)
{
	if (r->single) {
		write_merged(r);
		write_meta(r, &r->now->own);
		r->lost = 0;
	}
	return &r->out;
}

void
refold_line_end(struct refold *r)
{
	int k;

	for (k = 0; k < r->now->counts; k++) {
		buf_char(&r->out, ' ');
		count_print(&r->out, r->now->count[k]);
	}
	buf_char(&r->out, '\n');
	if (r->out.len > FLUSH)
		flush(r);
}

void
refold_end(struct refold *r)
{
	write_merged(r);
	flush(r);
}

void
refold_free(struct refold *r)
{
	if (r->fold == NULL)
		intern_free(r->names);
	fold_free(r->fold);
	buf_free(&r->out);
}
