/* x86_64_return.h - how code of x86-64 gets back to its caller. */
#ifndef X86_64_RETURN_H
#define X86_64_RETURN_H

#include "arch/arch.h"

/* struct arch's find_return(). */
bool x86_64_return_find(const struct arch_code_reader *code, uint64_t pc,
			struct arch_return *r);

/* struct arch's reaches(). */
enum arch_reach x86_64_return_reaches(const struct arch_code_reader *code,
				      uint64_t start, uint64_t pc,
				      int64_t *depth);

/* struct arch's reach(). */
size_t x86_64_return_reach(struct str code);

#endif
