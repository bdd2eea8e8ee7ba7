/* hotspot_unwind.h - for fuzzers: unwinds a stack of HotSpot. */
#ifndef FUZZ_HOTSPOT_UNWIND_H
#define FUZZ_HOTSPOT_UNWIND_H

#include "unwind/unwind.h"

#include <stdlib.h>

enum { HOTSPOT_UNWIND_FRAMES = 64 };

static bool
hotspot_unwind_map(void *arg, uint64_t address, struct unwind_map *found)
{
	(void)arg;
	(void)address;
	(void)found;
	return false;
}

/*
 * Unwind with registers that repeat n words.  The caller has set the stack or
 * read(), step_vm() and arg.
 */
static void
hotspot_unwind(struct unwind_thread *thread, const uint64_t *word, size_t n)
{
	struct unwind_frame frames[HOTSPOT_UNWIND_FRAMES];
	struct unwind *u = unwind_new();
	enum unwind_end end;
	size_t i;

	thread->arch = arch_of(62);
	thread->map = hotspot_unwind_map;
	for (i = 0; i < 17; i++)
		arch_set(&thread->registers, i, word[i % n]);
	if (unwind_stack(u, thread, frames, HOTSPOT_UNWIND_FRAMES, &end) >
	    HOTSPOT_UNWIND_FRAMES)
		abort();
	unwind_free(u);
}

#endif
