/* interp_cold.h - parts of functions that a compiler split off, by their code.
 */
#ifndef INTERP_COLD_H
#define INTERP_COLD_H

#include "elf/elffile.h"

/*
 * A compiler moves code that rarely runs to another section, as "name.cold".
 * In a stripped file this part has no symbol, but an unwind entry of its own,
 * into whose middle the function jumps.  Find it, by the addresses in the file
 * of the function: sets *end to after the part and returns its start, or 0 if
 * there is none.  For x86-64.
 */
uint64_t interp_cold_find(struct elffile *f, uint64_t start, uint64_t size,
			  uint64_t *end);

/*
 * Find the largest function that has an unwind entry, in the same way: of those
 * that begin with a frame of that many bytes, or if that is 0, of all.
 */
uint64_t interp_cold_find_largest(struct elffile *f, unsigned frame,
				  uint64_t *end);

/* The same of the functions that one calls directly, up to three calls deep. */
uint64_t interp_cold_find_called(struct elffile *f, uint64_t function,
				 uint64_t *end);

#endif
