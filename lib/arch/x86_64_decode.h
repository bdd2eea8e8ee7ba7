/* x86_64_decode.h - instructions of x86-64: lengths and jumps. */
#ifndef X86_64_DECODE_H
#define X86_64_DECODE_H

#include "base/str.h"

/* Format: Intel's manual, volume 2, appendix A. */

/* An instruction. */
struct x86_instruction {
	size_t length;        /* 0: unknown */
	bool operand16, wide; /* prefixes: 66, REX.W */
	uint8_t rex;
	uint8_t map; /* 0, or 0x0f, 0x38, 0x3a */
	uint8_t opcode, modrm;
	size_t modrm_at; /* 0: it has none */
};

enum { X86_64_LONGEST = 15 }; /* bytes of an instruction */

/*
 * Decode the instruction that code begins with; the length is 0 if it is none
 * that compilers emit, or longer than the code.
 */
void x86_64_decode(struct str code, struct x86_instruction *x);

/* A signed number of 1 or 4 bytes in code; 0 beyond its end. */
int64_t x86_64_decode_number(struct str code, size_t at, size_t size);

/*
 * Find the target of a direct jump that is not a call; next is the address
 * after it.  False if the instruction is no such jump.
 */
bool x86_64_decode_jump(struct str code, const struct x86_instruction *x,
			uint64_t next, uint64_t *target, bool *conditional);

/* Whether it is a return. */
bool x86_64_decode_returns(const struct x86_instruction *x);

/* Whether it is an indirect jump; or other code that does not go on. */
bool x86_64_decode_jumps_anywhere(const struct x86_instruction *x);
bool x86_64_decode_ends(const struct x86_instruction *x);

static inline uint8_t
x86_64_decode_byte(struct str code, size_t at)
{
	return at < code.len ? (uint8_t)code.p[at] : 0;
}

#endif
