/* folded.h - reader of folded text: stacks, counts, metadata; folded(5). */
#ifndef FOLDED_H
#define FOLDED_H

#include "base/count.h"
#include "folded/meta.h"
#include "io/input.h"

enum folded_kind {
	FOLDED_END,
	FOLDED_STACK,
	FOLDED_META,    /* our metadata, already parsed into header or own */
	FOLDED_COMMENT, /* another tool's line that begins with '#' */
	FOLDED_BLANK    /* end of a snapshot */
};

/*
 * The reader's state for one input.  All zero at the start, but for raw and
 * counts; release with folded_free().
 */
struct folded {
	bool raw;              /* option: do not escape stacks */
	struct str line;       /* as read, without LF or CR */
	struct str stack;      /* of FOLDED_STACK: frames with ';' between */
	struct count count[2]; /* the second is zero if there is one */
	int counts;            /* per line; 0: the first stack decides */
	bool read_stack;       /* the first stack has decided counts */
	struct meta header;    /* keys of the header in force */
	struct meta own;       /* keys that hold for the next stack only */
	bool is_header;        /* the last FOLDED_META was a header */
	bool own_used;         /* own belongs to the stack just read */
	bool own_old;          /* own belongs to a malformed stack line */
	struct buf clean;
};

/*
 * Read the next line.  Slices are valid until the next call.  The stack has
 * its bytes escaped (utf8.h) unless f->raw, and no ';' at either end.  A
 * malformed line is skipped and counted with input_bad().  Another version of
 * the format, or a count beyond 64 bits, ends the program with status 2.
 */
enum folded_kind folded_read(struct folded *f, struct input *in);

void folded_free(struct folded *f);

/* The stack without ';' at either end and without blanks at its end. */
struct str folded_trim(struct str stack);

/*
 * The name without its suffix, _[k] _[j] _[i] _[w] _[0] or _[1].  *suffix is
 * the letter, or 0 if there is no suffix.
 */
struct str folded_frame_name(struct str frame, char *suffix);

/*
 * Whether a frame stands for a function without a name: [unknown],
 * [libc.so.6 <7f12>].
 */
bool folded_is_nameless(struct str frame);

#endif
