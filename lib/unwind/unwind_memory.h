/* unwind_memory.h - the memory of a thread: its stack copy, and the rest. */
#ifndef UNWIND_MEMORY_H
#define UNWIND_MEMORY_H

#include "unwind/unwind-internal.h"

/* Copy n bytes at an address; the argument is the struct unwind_thread. */
bool unwind_memory_read(void *arg, uint64_t address, void *to, size_t n);

/* As unwind_memory_load(), for what is not a word of 64 bits in the copy. */
bool unwind_memory_load_far(const struct unwind_thread *t, uint64_t address,
			    uint64_t *n);

/* Read a word of the thread's memory. */
static inline bool
unwind_memory_load(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	const uint64_t offset = address - t->stack_start;

	/* Nearly all words are of 64 bits and in the copy. */
	if (offset < t->stack.len && sizeof(*n) <= t->stack.len - offset &&
	    t->arch->word == sizeof(*n) && t->reads == NULL) {
		memcpy(n, t->stack.p + offset, sizeof(*n));
		return true;
	}
	return unwind_memory_load_far(t, address, n);
}

/*
 * How a step ends that cannot read an address.  The size of the whole stack is
 * unknown: up to the largest that threads commonly have, the copy was too
 * short.
 */
enum unwind_step unwind_memory_missing(const struct unwind_thread *t,
				       uint64_t address);

/* Read as much code as there is at an address, up to size bytes. */
size_t unwind_memory_code(const struct unwind_thread *t, uint64_t address,
			  char *to, size_t size);

#endif
