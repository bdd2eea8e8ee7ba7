/* missing_caller.h - the caller that a chain of frame pointers lacks. */
#ifndef MISSING_CALLER_H
#define MISSING_CALLER_H

#include "unwind/unwind_record.h"

/*
 * A function without a frame record of its own, UNWIND_RECORD_CALLERS, leaves
 * the frame pointer to its caller.  A chain then goes on with its caller's
 * caller.  The code says which function is missing: the next return address
 * follows a direct call of some function, and if that function calls the leaf,
 * it is the one.
 */
struct missing_callers;

struct missing_callers *missing_caller_new(void);
void missing_caller_free(struct missing_callers *m);

enum missing_caller {
	MISSING_CALLER_FOUND,
	MISSING_CALLER_UNKNOWN, /* no function fits, or several do */
	MISSING_CALLER_NONE,    /* the next address is that of the caller */
	MISSING_CALLER_INVALID  /* the next address is no return address */
};

struct missing_caller_query {
	struct unwind *unwind;
	const struct unwind_thread *thread; /* the machine and the callbacks */
	uint64_t leaf;                      /* the pc in the leaf */
	uint64_t next; /* the return address that follows it in the chain */
	/*
	 * Whether the stub at an address, as a PLT entry, leads to the function
	 * at another one.
	 */
	bool (*leads)(void *arg, uint64_t stub, uint64_t function);
	void *arg;
};

/*
 * Find the missing return address.  *several: the function calls the leaf at
 * several places, of which the address is the first one.
 *
 * Every cfi that map() returns must outlive m.  Answers are cached by files, so
 * leads() must not depend on the process.
 */
enum missing_caller missing_caller_find(struct missing_callers *m,
					const struct missing_caller_query *q,
					uint64_t *address, bool *several);

#endif
