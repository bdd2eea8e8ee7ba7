/* ruby_memory.h - objects in the memory of a Ruby process. */
#ifndef RUBY_MEMORY_H
#define RUBY_MEMORY_H

#include "interp/interp_copy.h"
#include "interp/ruby_layout.h"

/* What objects are read with. */
struct ruby_memory {
	const struct ruby_layout *l;
	struct interp_copy *copy;
	uint64_t symbols; /* address of the table of symbols; 0 if unknown */
	/* Symbols that name what a class keeps; 0 until they are found. */
	uint64_t classpath, attached;
};

/* Read a word; false if there is no such memory. */
bool ruby_memory_word(struct ruby_memory *m, uint64_t address, uint64_t *word);

/* Set text to a String, or its first 4 KB; it stays empty if it is none. */
void ruby_memory_string(struct ruby_memory *m, uint64_t string,
			struct buf *text);

/* The elements of an Array; false if it is none. */
bool ruby_memory_array(struct ruby_memory *m, uint64_t array,
		       uint64_t *elements, uint64_t *n);

/* Set text to the name of a symbol by its ID. */
void ruby_memory_symbol(struct ruby_memory *m, uint64_t id, struct buf *text);

/*
 * Set text to what stands before the name of a method that belongs to a class
 * or module: "Name#"; "Name." if the owner is a singleton class.  It stays
 * empty for a class without a name, and for the singleton class of any other
 * object.
 */
void ruby_memory_owner(struct ruby_memory *m, uint64_t owner, struct buf *text);

/*
 * Find the table of symbols, which Ruby's library does not export, in its data
 * around an address; it is not there before Ruby has started.
 */
void ruby_memory_find_symbols(struct ruby_memory *m, uint64_t near);

#endif
