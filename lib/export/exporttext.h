/* exporttext.h - names and numbers in the form that other tools expect. */
#ifndef EXPORTTEXT_H
#define EXPORTTEXT_H

#include "export/export.h"
#include "io/spill_queue.h"

/* Write text to e->out and empty it, if it has grown large. */
void exporttext_flush(struct export_profile *e, struct buf *text);

/*
 * The name of a frame, without its suffix if e->strip_suffixes is set.  *suffix
 * receives the letter of the suffix, or 0.  The result lives as long as the
 * names.
 */
struct str exporttext_name(const struct export_profile *e, uint32_t name,
			   char *suffix);

/*
 * The object file of a frame, as far as the name shows it: "[kernel]", "[jit]"
 * or the module of a frame without a symbol; else empty.
 */
struct str exporttext_object(const struct export_profile *e, uint32_t name);

/* The names of a stack, root first.  All zero is empty; free(3) id. */
struct exporttext_path {
	uint32_t *id;
	size_t n, cap;
};

/* Replace the path by that of a stack. */
void exporttext_path(const struct export_profile *e, uint32_t stack,
		     struct exporttext_path *p);

/* Append a thread's name: "comm 17/18". */
void exporttext_thread_name(const struct export_profile *e, uint32_t thread,
			    struct buf *out);

/* The unit of the counts; "samples" if unknown. */
struct str exporttext_unit(const struct export_profile *e);

/*
 * Append a count divided by 10^places, for JavaScript.  Counts it in e->large
 * if it is not exact there.
 */
void exporttext_number(struct export_profile *e, struct buf *out,
		       struct count c, unsigned places);

/*
 * Convert a count for a format that has whole numbers only.  If some counts
 * are decimals of microseconds, all are converted to nanoseconds.  Other
 * decimals are rounded, and counted in e->rounded.  Ends the program with
 * status 2 if the result exceeds max.
 */
uint64_t exporttext_whole(struct export_profile *e, struct count c,
			  uint64_t max);

/* The unit of what exporttext_whole() returns. */
struct str exporttext_whole_unit(const struct export_profile *e);

/*
 * A column of counts that waits until the stacks are written.  Much of it
 * waits in a temporary file.  All zero is empty.
 */
struct exporttext_column {
	struct spill_queue parts;
};

void exporttext_column_add(struct exporttext_column *column, struct count c);

/*
 * Append the column as a JSON array, divided by 10^places, and empty it.
 * Flushes out as exporttext_flush() does.
 */
void exporttext_column_write(struct export_profile *e,
			     struct exporttext_column *column, unsigned places,
			     struct buf *out);

#endif
