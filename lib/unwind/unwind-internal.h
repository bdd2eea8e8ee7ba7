/* unwind-internal.h - how the unwinder keeps and reports its steps. */
#ifndef UNWIND_INTERNAL_H
#define UNWIND_INTERNAL_H

#include "unwind/unwind.h"

/* How a step to a caller ended. */
enum unwind_step {
	STEP_CALLER, /* the registers are the caller's now */
	STEP_COMPLETE,
	STEP_TRUNCATED,
	STEP_CUT, /* truncated, but a larger copy would have helped */
	STEP_LOST
};

/*
 * How to step from an address to its caller.  A profile has the same addresses
 * again and again, and most steps need a sum and a few loads.  The other few
 * in a hundred are worked out each time (SITE_RULES).
 */
enum site_kind {
	SITE_EMPTY,   /* the slot is free */
	SITE_OFFSETS, /* of the CFA and of saved registers */
	SITE_GUESSED, /* the same, worked out from the code */
	SITE_SEARCH,  /* like that, but the code does not say */
	SITE_RULES,
	SITE_POINTER,  /* by frame pointer */
	SITE_ROOT,     /* no caller */
	SITE_UNMAPPED, /* no code there */
};

#define MAX_SAVED 7

/* A cache line of today's CPUs. */
struct unwind_site {
	uint64_t address, space;
	uint8_t kind, cfa_register, saved;
	uint8_t saved_register[MAX_SAVED];
	int32_t cfa, pc;
	int32_t saved_at[MAX_SAVED]; /* from the CFA */
};

_Static_assert(sizeof(struct unwind_site) == 64, "a site fills a cache line");

/* 32768 sites are 2 MB, a huge page; only what is used is touched. */
#define SITES_LOG 15
#define SITES ((size_t)1 << SITES_LOG)

/*
 * A fact about a place in code, valid in all processes that map its file.  For
 * an address: whose frame record the frame pointer points to.  For the start of
 * a function: whether its code sets the frame pointer.
 */
struct place_fact {
	uint64_t owner; /* the struct cfi of the file; without one, the space */
	uint64_t vaddr;
	uint8_t fact1; /* the fact + 1; 0: the slot is free */
};

#define RECORDS_LOG 16
#define SETTERS_LOG 13
#define FACTS (((size_t)1 << RECORDS_LOG) + ((size_t)1 << SETTERS_LOG))

struct unwind {
	struct unwind_site *sites;
	struct place_fact *records;
	struct place_fact *setters; /* the rest of the records' memory */
};

/* Spreads sequences of numbers, such as addresses and spaces. */
static inline uint64_t
unwind_mix(uint64_t address, uint64_t space)
{
	return (address ^ space * UINT64_C(0x9e3779b97f4a7c15)) *
	       UINT64_C(0xd6e8feb86659fd93);
}

/*
 * Whether a register that was saved at an address has its value again.  At the
 * end of a function, compilers say until the return where registers were saved.
 * But what was popped lies below the stack pointer, and copies made by perf
 * lack it.
 */
static inline bool
unwind_was_popped(const struct arch *a, uint64_t address, uint64_t sp)
{
	return address < sp && sp - address <= 16u * a->word;
}

/* An address without its signature. */
static inline uint64_t
unwind_unsigned_address(const struct arch *a, uint64_t address)
{
	return a->address_bits < 64 ?
		   address & ((UINT64_C(1) << a->address_bits) - 1) :
		   address;
}

#endif
