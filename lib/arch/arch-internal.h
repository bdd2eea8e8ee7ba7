/* arch-internal.h - for the files of the machines. */
#ifndef ARCH_INTERNAL_H
#define ARCH_INTERNAL_H

#include "arch/arch.h"

extern const struct arch arch_aarch64;
extern const struct arch arch_i386;
extern const struct arch arch_riscv64;
extern const struct arch arch_x86_64;

/* An initializer for struct arch_order that counts the elements. */
#define ARCH_ORDER(...) \
	{ \
		sizeof((const uint8_t[]){ __VA_ARGS__ }), \
		{ \
			__VA_ARGS__ \
		} \
	}

/* Read 4 bytes of code; all machines here are little-endian. */
static inline uint32_t
arch_code_u32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

#endif
