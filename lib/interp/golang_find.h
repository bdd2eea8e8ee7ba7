/* golang_find.h - the Go runtime's list of goroutines, found in its data. */
#ifndef GOLANG_FIND_H
#define GOLANG_FIND_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * Format: Go 1.18 to 1.24, 64 bits: src/runtime/runtime2.go, struct g.  What
 * comes before atomicstatus has grown by a word in 1.23.
 */
enum {
	GOLANG_STACK_LOW = 0,
	GOLANG_STACK_HIGH = 8,
	GOLANG_SP = 56, /* sched */
	GOLANG_PC = 64,
	GOLANG_SELF = 72,
	GOLANG_ID = 8, /* after atomicstatus */
	GOLANG_REASON = 32,
	GOLANG_SIZE = 192 /* what is read of a g */
};

/* Where the program has what it needs to list goroutines. */
struct golang_found {
	uint64_t list;    /* address of runtime.allgs, a slice; 0: not found */
	uint64_t reasons; /* of runtime.waitReasonStrings; 0: not found */
	size_t status;    /* offset of g.atomicstatus */
};

/*
 * Search the writable data of a program, n ranges.  A program that has just
 * begun has no goroutines yet.
 */
void golang_find(struct interp_copy *memory, const struct interp_range *data,
		 size_t n, struct golang_found *found);

#endif
