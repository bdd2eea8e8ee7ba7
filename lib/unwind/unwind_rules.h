/* unwind_rules.h - the rules of an address. */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include "unwind/unwind-internal.h"

/*
 * Find the rules at an address of a mapping, or which kind of site without
 * rules it is.
 */
enum site_kind unwind_rules_mapped(const struct unwind_thread *t,
				   const struct unwind_map *map,
				   uint64_t address, struct cfi_row *row);

/* The same, and the bias of the mapping; SITE_UNMAPPED if there is none. */
enum site_kind unwind_rules_find(const struct unwind_thread *t,
				 uint64_t address, struct cfi_row *row,
				 uint64_t *bias);

/*
 * Whether code without rules is where clone(2) returns to.  C libraries have
 * none there, because this is the caller, with the rules before it, and the new
 * thread, too.  After that is code of the new thread alone, whose rules say
 * that it has no caller.
 */
bool unwind_rules_after_clone(const struct unwind_thread *t, uint64_t address,
			      struct cfi_row *before, uint64_t *bias);

#endif
