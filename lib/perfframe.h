/* perfframe.h - the frames of perf script text, as perfline.h its heads. */
#ifndef PERFFRAME_H
#define PERFFRAME_H

#include "str.h"

enum perfframe_kind {
	PERFFRAME_USER,
	PERFFRAME_KERNEL,
	PERFFRAME_JIT,
	PERFFRAME_INLINE
};

#define NO_OFFSET UINT64_MAX
struct perfframe {
	uint64_t addr;
	struct str name;   /* without its offset; empty if missing */
	struct str module; /* empty if missing */
	uint64_t offset;   /* the +0x1f behind the name; or NO_OFFSET */
};

/* What a module's frames are. */
enum perfframe_kind perfframe_kind(struct str module);

/*
 * Read "addr name+0x1f (module)".  The module may be missing unless strict;
 * then the name may too.  False if the line is no frame.
 */
bool perfframe_read(struct str line, bool strict, struct perfframe *f);

/*
 * Whether a line that was read is no frame.  Behind blanks, and not the tab of
 * frames, stands what perf script -F +phys_addr,+data_page_size prints below
 * them; a tab is behind the addresses of -F +brstackinsn.
 */
bool perfframe_is_data(struct str line, const struct perfframe *f);

/*
 * Read the frame behind an event, of a sample without a chain.  Before it may
 * stand an address of data, perf script -F +addr, and what is there.
 */
bool perfframe_only(struct str rest, struct perfframe *f);

/*
 * Whether this is the line that perf script -F +srcline prints behind a
 * frame; *source is then "file:line" without blanks and brackets, perhaps
 * empty.
 */
bool perfframe_source(struct str line, struct str *source);

#endif
