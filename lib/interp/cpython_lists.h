/* cpython_lists.h - the lists that asyncio keeps of its tasks, from 3.14 on. */
#ifndef CPYTHON_LISTS_H
#define CPYTHON_LISTS_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * A thread has a list of the tasks that it made, an interpreter one of those
 * whose threads have ended.  Both are rings with a head that is no task: struct
 * llist_node of CPython's pycore_llist.h.
 */
struct cpython_lists {
	/* Offsets of the heads in PyInterpreterState and in PyThreadState. */
	uint32_t interpreter, thread;
	uint32_t node; /* offset of a task's place in a list, in TaskObj */
};

/* Bytes of _AsyncioDebug. */
enum { CPYTHON_LISTS_BYTES = 104 };

/*
 * Set *l by _AsyncioDebug, struct _Py_AsyncioModuleDebugOffsets of
 * Modules/_asynciomodule.c; false if the bytes cannot be that.
 */
bool cpython_lists_parse(struct cpython_lists *l, const char *bytes);

/*
 * Find _AsyncioDebug in a file that a process has mapped, as for
 * interp_binary_find(), by its section; false if it is not there.
 */
bool cpython_lists_find(struct cpython_lists *l,
			const struct interp_target *target, size_t map,
			const struct interp_reader *reader);

/* Addresses of tasks.  All zero is empty; the array is the owner's to free. */
struct cpython_addresses {
	uint64_t *address;
	size_t n, cap;
};

/*
 * Append the tasks of the list with this head, until there are most in *tasks.
 * Those that follow one another in *last as well are read together.  False if
 * the list changed meanwhile, cannot be read, or has more tasks; *tasks then
 * has a part of them.
 */
bool cpython_lists_read(const struct cpython_lists *l,
			struct interp_copy *memory, uint64_t head,
			const struct cpython_addresses *last,
			struct cpython_addresses *tasks, size_t most);

#endif
