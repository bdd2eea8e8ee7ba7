/* textcode.h - functions inlined at the addresses of perf script text. */
#ifndef TEXTCODE_H
#define TEXTCODE_H

#include "buf.h"
#include "places.h"

/*
 * perf script prints addresses in the file (Linux 5.12 to 6.1) or those of the
 * process, never those of the file's symbols, which debug information is
 * about; the text has no build-ids.  So an address is one that it may be, if
 * the file has the printed function there, as far behind its beginning as
 * printed.
 */
struct textcode;

struct textcode_options {
	struct places_options places;
	bool mangled; /* leave names as they are */
	bool lines;   /* source lines */
};

/* The options are the caller's and outlive it. */
struct textcode *textcode_new(const struct textcode_options *options);
void textcode_free(struct textcode *t);

/* A frame as it was printed. */
struct textcode_place {
	struct str name, module;
	uint64_t address;
	uint64_t offset; /* behind the name, if has_offset */
	bool has_offset;
	bool is_return; /* it is where a call returns to */
};

struct textcode_frame {
	struct str name; /* empty for the last one: as it was printed */
	struct str line; /* "file:line" if asked for and known, or empty */
};

/*
 * The functions at a place, innermost first, the last one not inlined.
 * Returns how many; 0 if nothing is known there.  *frames is valid until the
 * next call.
 */
size_t textcode_find(struct textcode *t, const struct textcode_place *place,
		     const struct textcode_frame **frames);

/*
 * Append what hindered it, and how that is cured: the next line of as many
 * as there are; false at the end.
 */
bool textcode_note(struct textcode *t, struct buf *line);

#endif
