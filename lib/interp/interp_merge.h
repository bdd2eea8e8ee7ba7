/* interp_merge.h - one stack of native frames and a virtual machine's. */
#ifndef INTERP_MERGE_H
#define INTERP_MERGE_H

#include "interp/interp_binary.h"
#include "interp/interp_stack.h"
#include "unwind/unwind.h"

/* A frame of the virtual machine among native frames. */
struct interp_entry {
	uint32_t at; /* it stands before this native frame, to the leaf */
	uint32_t function, line;
	bool replaces; /* that frame is the loop that executes it */
	/*
	 * The native frame of its own code, which only plumbing separates from
	 * at; the merge does not look for it, and leaves has_code false.
	 */
	bool has_code;
	uint32_t code;
	uint64_t native; /* as in struct interp_vm_frame */
};

/* All zero is empty; release with interp_merge_free(). */
struct interp_entries {
	struct interp_entry *entry; /* leaf first, by at */
	size_t n, cap;
	/*
	 * Frames of the two kinds do not fit together: all of the virtual
	 * machine's stand in one place.
	 */
	bool unmerged;
	/* They have the callers that the native frames lack, on other stacks.
	 */
	bool continues;
};

/*
 * Find the places of the frames of s among n native ones.  complete says that
 * no native frames are missing at the root.
 */
void interp_merge(const struct interp_stack *s,
		  const struct unwind_frame *native, size_t n, bool complete,
		  const struct interp_ranges *loops,
		  struct interp_entries *entries);

void interp_merge_free(struct interp_entries *entries);

#endif
