/* paragraph.h - the lines up to a blank line, with a hash of them. */
#ifndef PARAGRAPH_H
#define PARAGRAPH_H

#include "base/str.h"

struct paragraph {
	struct str text; /* its lines, without the blank line */
	/*
	 * The same for the same text.  Whoever writes the text can choose it:
	 * only for tables in which a collision costs nothing but a miss.
	 */
	uint64_t hash;
};

/*
 * Find the paragraph at the start of a block.  False if no blank line ends it;
 * a block that begins with LF has an empty one.  The 64 bytes after the block
 * must be readable.
 */
bool paragraph_find(struct paragraph *p, struct str block);

#endif
