/* perfscript_inline.h - inlined functions at the addresses of perf script text.
 */
#ifndef PERFSCRIPT_INLINE_H
#define PERFSCRIPT_INLINE_H

#include "base/buf.h"
#include "symbols/debug_path.h"

/*
 * Debug information is about the addresses of a file's symbols, which perf
 * script never prints.  It prints offsets in the file (Linux 5.12 to 6.1) or
 * addresses of the process, and no build-ids.  So we try each kind of address.
 * An address is right if the file has the printed function there, at the
 * printed offset.
 */
struct perfscript_inline;

struct perfscript_inline_options {
	struct debug_path_options places;
	bool mangled; /* do not demangle names */
	bool lines;   /* find source lines */
};

/*
 * The options are the caller's and outlive it.  Returns NULL, with a message
 * appended to *why, as debug_path_new() does.
 */
struct perfscript_inline *
perfscript_inline_new(const struct perfscript_inline_options *options,
		      struct buf *why);
void perfscript_inline_free(struct perfscript_inline *p);

/* A frame as perf printed it. */
struct perfscript_inline_place {
	struct str name, module;
	uint64_t address;
	uint64_t offset; /* from the function's start, if has_offset */
	bool has_offset;
	bool is_return; /* the address is a return address */
};

struct perfscript_inline_frame {
	struct str name; /* empty for the outermost: as perf printed it */
	struct str line; /* "file:line"; empty if not wanted or unknown */
};

/*
 * The functions at a place, innermost first; the outermost is not inlined.
 * Returns their number, 0 if nothing is known of the place.  *frames is valid
 * until the next call.
 */
size_t perfscript_inline_find(struct perfscript_inline *p,
			      const struct perfscript_inline_place *place,
			      const struct perfscript_inline_frame **frames);

/*
 * Append the next line on files that were not found, and what to do; false if
 * there are no more.  Call it after the last perfscript_inline_find().
 */
bool perfscript_inline_note(struct perfscript_inline *p, struct buf *line);

#endif
