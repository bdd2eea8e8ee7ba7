/* unwind_memory.c - the memory of a thread: its stack copy, and the rest. */
#include "unwind/unwind_memory.h"

/* Where an address is in the stack copy; NULL if it does not have n bytes. */
static const char *
copied(const struct unwind_thread *t, uint64_t address, size_t n)
{
	const uint64_t offset = address - t->stack_start;

	return offset < t->stack.len && n <= t->stack.len - offset ?
		   t->stack.p + offset :
		   NULL;
}

bool
unwind_memory_read(void *arg, uint64_t address, void *to, size_t n)
{
	const struct unwind_thread *t = arg;
	const char *p = copied(t, address, n);

	if (p == NULL)
		return t->read != NULL && t->read(t->arg, address, to, n);
	if (t->reads != NULL)
		unwind_reads_add(t->reads, address - t->stack_start, p, n);
	memcpy(to, p, n);
	return true;
}

bool
unwind_memory_load_far(const struct unwind_thread *t, uint64_t address,
		       uint64_t *n)
{
	uint64_t wide;
	uint32_t narrow;
	void *to = t->arch->word == 4 ? (void *)&narrow : &wide;

	if (!unwind_memory_read((void *)(uintptr_t)t, address, to,
				t->arch->word))
		return false;
	*n = t->arch->word == 4 ? narrow : wide;
	return true;
}

enum unwind_step
unwind_memory_missing(const struct unwind_thread *t, uint64_t address)
{
	const uint64_t largest = UINT64_C(1) << 30;
	const uint64_t offset = address - t->stack_start;

	if (offset + t->arch->word <= t->stack.len ||
	    offset >= t->stack.len + largest)
		return STEP_LOST;
	return offset < UNWIND_LARGEST_COPY ? STEP_CUT : STEP_TRUNCATED;
}

size_t
unwind_memory_code(const struct unwind_thread *t, uint64_t address, char *to,
		   size_t size)
{
	const size_t piece = 4;
	size_t n;

	if (t->read == NULL)
		return 0;
	if (t->read(t->arg, address, to, size))
		return size;
	for (n = 0; n + piece <= size; n += piece)
		if (!t->read(t->arg, address + n, to + n, piece))
			break;
	return n;
}
