/*
 * lengths - the lengths of instructions of x86-64 by lib/arch/x86_64_decode.c.
 *
 * Reads lines of bytes in hexadecimal, "48 89 e5", an instruction each, and
 * prints those whose length is another one, with that; at the end how many were
 * read, and how many of these are not known.
 */
#include "arch/x86_64_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(void)
{
	/* Another instruction follows. */
	char line[256], code[64], *at, *end;
	struct x86_instruction x;
	unsigned long all = 0, unknown = 0;
	size_t n;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		memset(code, 0x90, sizeof(code));
		for (n = 0, at = line; n < X86_64_LONGEST; n++, at = end) {
			code[n] = (char)strtoul(at, &end, 16);
			if (end == at)
				break;
		}
		code[n] = (char)0x90;
		x86_64_decode((struct str){ code, sizeof(code) }, &x);
		all++;
		unknown += x.length == 0;
		if (x.length != 0 && x.length != n)
			printf("%zu: %s", x.length, line);
	}
	printf("%lu %lu\n", all, unknown);
	return fflush(stdout) != 0;
}
