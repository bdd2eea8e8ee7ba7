/* variable.h - where the value of a variable is at an address. */
#ifndef VARIABLE_H
#define VARIABLE_H

#include "base/buf.h"
#include "elf/die.h"

enum { VARIABLE_STEPS = 8 };

enum variable_type {
	VARIABLE_SIGNED,
	VARIABLE_UNSIGNED,
	VARIABLE_POINTER,
	VARIABLE_STRING /* characters in memory, up to a NUL */
};

/* The value is in a register, or in memory to which a register leads. */
struct variable_value {
	bool absolute; /* base is an address of the file, not a register */
	uint64_t base; /* else the DWARF number of a register */
	/* Read memory at the value so far plus each of these, in order. */
	int64_t offset[VARIABLE_STEPS];
	size_t steps;
	enum variable_type type;
	uint32_t size; /* in bytes, but of a string */
	/* A parameter that the function stores in its prologue. */
	bool after_prologue;
};

struct variable_query {
	struct die unit, function; /* that have the address */
	uint64_t vaddr;
	/* The function begins there: skip what was inlined into it. */
	bool at_entry;
	bool has_cfa; /* the CFA there is a register plus an offset */
	uint32_t cfa_register;
	int64_t cfa_offset;
	/* "size", "req->id", "name.text[2]"; a pointer to text is followed */
	struct str expression;
	bool string; /* of a pointer to characters, the characters */
};

/*
 * Find a parameter, a local variable, or a variable of the unit.  False, with
 * the reason appended to why, if there is none, or if its value is not a number
 * or a string in one piece.
 */
bool variable_find(const struct variable_query *q, struct variable_value *v,
		   struct buf *why);

#endif
