/* perfframe.h - parses the frame lines of perf script text. */
#ifndef PERFFRAME_H
#define PERFFRAME_H

#include "base/str.h"

enum perfframe_kind {
	PERFFRAME_USER,
	PERFFRAME_KERNEL,
	PERFFRAME_JIT,
	PERFFRAME_INLINE
};

#define PERFFRAME_NO_OFFSET UINT64_MAX

/* Slices point into the line. */
struct perfframe {
	uint64_t addr;
	struct str name;   /* without its offset; empty if missing */
	struct str module; /* empty if missing */
	uint64_t offset;   /* the +0x1f after the name */
};

/* The kind of the frames of a module. */
enum perfframe_kind perfframe_kind(struct str module);

/*
 * Parse "addr name+0x1f (module)".  Unless strict, the module may be missing,
 * and then the name too.  False if the line is no frame.
 */
bool perfframe_read(struct str line, bool strict, struct perfframe *f);

/*
 * Whether a line that perfframe_read() accepted is no frame after all.  perf
 * script -F +phys_addr,+data_page_size prints data below the frames, after
 * blanks and not after the tab of a frame.  -F +brstackinsn prints a tab after
 * the address.
 */
bool perfframe_is_data(struct str line, const struct perfframe *f);

/*
 * Parse the frame after the event of a sample without a call chain.  perf
 * script -F +addr prints an address of data before the frame, and what is at
 * that address.
 */
bool perfframe_only(struct str rest, struct perfframe *f);

/*
 * Whether this is the line that perf script -F +srcline prints after a frame.
 * *source is then "file:line" without blanks and brackets, perhaps empty.
 */
bool perfframe_source(struct str line, struct str *source);

#endif
