/* hotspot_chunks.h - frames of a virtual thread in the heap of a HotSpot. */
#ifndef HOTSPOT_CHUNKS_H
#define HOTSPOT_CHUNKS_H

#include "interp/hotspot_walk.h"

/* Bytes below the first frame that belong to it, with its return address. */
enum { HOTSPOT_CHUNKS_BELOW = 16 };

/* A copy of frames that a virtual thread has in one object, a StackChunk. */
struct hotspot_chunk {
	uint64_t sp, end;  /* addresses: of the first frame, after the last */
	const char *bytes; /* from sp - HOTSPOT_CHUNKS_BELOW up to end */
};

/*
 * Add the methods of all frames, leaf first.  The memory is that of the
 * process, for code and methods.  False if frames are missing.
 */
bool hotspot_chunks_walk(struct hotspot_walker *w, struct interp_copy *memory,
			 struct interp_stack *s, const struct hotspot_chunk *c);

#endif
