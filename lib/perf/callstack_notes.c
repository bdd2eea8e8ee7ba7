/* callstack_notes.c - notes on stacks of perf samples that are not whole. */
#include "perf/callstack_notes.h"

#include "base/utf8.h"
#include "perf/broken_chain.h"

#include <inttypes.h>

/* A record is at most 64 KB, so a larger copy than this has hardly any room. */
enum { LARGE_COPY = 60000 };

/* The smallest share of stacks that is worth a note. */
#define WORTH_A_NOTE 0.01

static void
print_not_unwound(struct buf *line, uint64_t n, struct str whose)
{
	buf_printf(line, "%" PRIu64 " stack%s of ", n, str_plural(n, "", "s"));
	utf8_escape(line, whose);
	buf_printf(line, " %s not unwound: record with --call-graph fp",
		   str_plural(n, "was", "were"));
}

static bool
note_foreign(struct callstack_builder *b, struct buf *line)
{
	const uint64_t n = b->foreign;

	b->foreign = 0;
	if (n > 0)
		print_not_unwound(line, n, b->features->arch);
	return n > 0;
}

static bool
note_narrow(struct callstack_builder *b, struct buf *line)
{
	const uint64_t n = b->narrow;

	b->narrow = 0;
	if (n > 0)
		print_not_unwound(line, n, STR("32-bit programs"));
	return n > 0;
}

static bool
note_cut_off(struct callstack_builder *b, struct buf *line)
{
	const double share = (double)b->cut_off / (double)b->copies;

	if (b->cut_off == 0 || share < WORTH_A_NOTE ||
	    b->largest_copy > LARGE_COPY)
		return false;
	b->cut_off = 0;
	buf_printf(
	    line,
	    "%.0f %% of stacks are deeper than the copied %zu bytes: record "
	    "with --call-graph dwarf,%d, or with stackrecord --stack 60K",
	    100 * share, b->largest_copy, UNWIND_LARGEST_COPY);
	return true;
}

static bool
note_jit_ends(struct callstack_builder *b, struct buf *line)
{
	const double share = (double)b->jit_ends / (double)b->copies;

	if (b->jit_ends == 0 || share < WORTH_A_NOTE)
		return false;
	b->jit_ends = 0;
	buf_printf(line,
		   "%.0f %% of stacks end in code made at run time, without "
		   "frame pointers%s",
		   100 * share, b->jit_cure.len > 0 ? ": " : "");
	buf_str(line, b->jit_cure);
	return true;
}

/* The share of stacks; 0 if it is not worth a note. */
static double
noted_share(const struct callstack_builder *b, uint64_t n)
{
	const double share = n == 0 ? 0 : (double)n / (double)b->stacks;

	return share < WORTH_A_NOTE ? 0 : 100 * share;
}

static bool
note_missing(struct callstack_builder *b, struct buf *line)
{
	const double share = noted_share(b, b->missing);

	b->missing = 0;
	if (share > 0)
		buf_printf(
		    line,
		    "callers of %.0f %% of the stacks are missing, shown "
		    "as [missing]: record with --call-graph dwarf",
		    share);
	return share > 0;
}

static bool
note_repaired(struct callstack_builder *b, struct buf *line)
{
	const double share = noted_share(b, b->repaired);

	b->repaired = 0;
	if (share > 0)
		buf_printf(
		    line,
		    "%.0f %% of the stacks were repaired: added the only "
		    "possible caller of a function without a frame",
		    share);
	return share > 0;
}

bool
callstack_notes_next(struct callstack_builder *b, struct buf *line)
{
	return note_foreign(b, line) || note_narrow(b, line) ||
	       note_cut_off(b, line) || note_jit_ends(b, line) ||
	       note_missing(b, line) || note_repaired(b, line) ||
	       (b->java.jvms != NULL && jvm_stacks_note(b->java.jvms, line));
}
