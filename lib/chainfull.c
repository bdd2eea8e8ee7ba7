/* chainfull.c - whether a chain is as long as who recorded it lets it be. */
#include "chainfull.h"

/* kernel.perf_event_max_stack as the kernel has it. */
enum { MAX_STACK = 127 };

/*
 * The limit may be a number which is not recorded; a chain that is longer than
 * usual tells that it was raised, which people do to a power of two.
 */
bool
chainfull_chain(struct chainfull *f, const struct perf_event *ev, size_t n)
{
	if (ev->max_stack > 0)
		return n >= ev->max_stack;
	if (n > f->deepest)
		f->deepest = n;
	if (f->deepest > MAX_STACK)
		return n > MAX_STACK + 1 && (n & (n - 1)) == 0;
	return n == MAX_STACK;
}

bool
chainfull_branches(struct chainfull *f, size_t n, uint64_t most)
{
	if (n > f->branches)
		f->branches = n;
	if (most > 0)
		return n >= most;
	return n == 32 || (n == 16 && f->branches == 16);
}
