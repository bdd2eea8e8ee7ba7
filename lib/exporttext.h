/* exporttext.h - names and numbers as formats of other tools have them. */
#ifndef EXPORTTEXT_H
#define EXPORTTEXT_H

#include "export.h"
#include "queue.h"

/* Write out what has gathered, if that is much. */
void export_flush(struct exported *e, struct buf *text);

/*
 * A frame's name as the format shows it, with its suffix unless that has a
 * place of its own; *suffix is its letter or 0.
 */
struct str export_name(const struct exported *e, uint32_t name, char *suffix);

/*
 * Where a frame's code is, as far as its name says so: "[kernel]", "[jit]", or
 * the module of a frame without a name; else empty.
 */
struct str export_object(const struct exported *e, uint32_t name);

/* Frames of a stack, root first, in a buffer that is grown. */
struct export_path {
	uint32_t *id;
	size_t n, cap;
};
void export_path(const struct exported *e, uint32_t stack,
		 struct export_path *p);

/* Append a thread's name: "comm 17/18". */
void export_thread_name(const struct exported *e, uint32_t thread,
			struct buf *out);

/* What the counts are: "samples" if that is not known. */
struct str export_unit(const struct exported *e);

/* Append a count divided by ten so many times, for JavaScript to read. */
void export_number(struct exported *e, struct buf *out, struct count c,
		   unsigned places);

/*
 * A count for a format of whole numbers.  Decimals of microseconds make all
 * counts nanoseconds, which is what export_whole_unit() says; others are
 * rounded.  Ends the program with status 2 where it exceeds max.
 */
uint64_t export_whole(struct exported *e, struct count c, uint64_t max);
struct str export_whole_unit(const struct exported *e);

/*
 * Counts that are kept until the stacks they belong to are written; all zero
 * is empty.  They are then appended as an array, divided as above, and gone.
 */
struct export_column {
	struct queue parts;
};
void export_keep(struct export_column *column, struct count c);
void export_array(struct exported *e, struct export_column *column,
		  unsigned places, struct buf *out);

#endif
