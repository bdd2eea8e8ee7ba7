/* folded.h - reading folded text: stacks, counts, metadata; folded(5). */
#ifndef FOLDED_H
#define FOLDED_H

#include "count.h"
#include "input.h"
#include "meta.h"

enum folded_kind {
	FOLDED_END,
	FOLDED_STACK,
	FOLDED_META,    /* our metadata; already in header or own */
	FOLDED_COMMENT, /* another tool's line that begins with '#' */
	FOLDED_BLANK    /* end of a snapshot */
};

/*
 * One input of folded text.  All zero at the start of an input, but for
 * counts: 1 or 2 where an option says how many counts a line has.  Release
 * with folded_free().
 */
struct folded {
	bool raw;              /* set it for stacks that are not made clean */
	struct str line;       /* as read, without LF or CR */
	struct str stack;      /* of FOLDED_STACK: frames with ';' between */
	struct count count[2]; /* the second is zero where there is one */
	int counts;            /* counts a line, 0 until known */
	bool read_stack;       /* counts are settled by a stack line */
	struct meta header;    /* keys of the header in force */
	struct meta own;       /* keys for the next stack line only */
	bool is_header;        /* the FOLDED_META just read is a header */
	bool own_used;         /* own belongs to a stack already read */
	bool own_old;          /* or to a line that was not understood */
	struct buf clean;
};

/*
 * Read the next line.  Slices are valid until the next call.  Stacks come
 * clean (utf8.h), without ';' at their ends.  A line that is none of the
 * above is counted as not understood and skipped.  Another version of the
 * format, or a count beyond 64 bits, ends the program with status 2.
 */
enum folded_kind folded_read(struct folded *f, struct input *in);

void folded_free(struct folded *f);

/* The stack without what may stand at its ends: ';', and blanks behind it. */
struct str folded_trim(struct str stack);

/*
 * The name without a suffix _[k] _[j] _[i] _[w] _[0] _[1]; *suffix is the
 * letter, or 0 if there is none.
 */
struct str frame_name(struct str frame, char *suffix);

#endif
