/*
 * cfitest - evaluate expressions of call frame information, for tests.
 *
 * Each line of standard input is one, its bytes in hexadecimal; it begins with
 * 0x1000 on its stack.  Register n is known to be 0x100 * n, but for those
 * above 9, and so is memory, where each byte is the lowest of its address, but
 * for what lies below 0x100.  Prints the value, or "bad".  With -4, words have
 * 4 bytes.
 */
#include "unwind/cfiexpr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	unsigned char *byte = to;
	size_t i;

	(void)arg;
	for (i = 0; i < n; i++)
		byte[i] = (unsigned char)(address + i);
	return address >= 0x100;
}

static size_t
parse(const char *line, char *bytes)
{
	unsigned byte;
	size_t n = 0;
	int length;

	for (; sscanf(line, "%2x%n", &byte, &length) == 1; line += length)
		bytes[n++] = (char)byte;
	return n;
}

int
main(int argc, char *argv[])
{
	struct arch_registers registers = { .known = 0x3ff };
	struct cfiexpr_context context = { .registers = &registers,
					   .bias = 0x10000,
					   .word = 8,
					   .read = read_memory };
	char *line = NULL, *bytes;
	size_t cap = 0, i;
	uint64_t result;

	if (argc > 1 && strcmp(argv[1], "-4") == 0)
		context.word = 4;
	for (i = 0; i < ARCH_REGISTERS; i++)
		registers.value[i] = 0x100 * i;
	while (getline(&line, &cap, stdin) > 0) {
		bytes = malloc(cap);
		if (bytes == NULL)
			return 2;
		if (cfiexpr_run((struct str){ bytes, parse(line, bytes) },
				0x1000, &context, &result))
			printf("%" PRIx64 "\n", result);
		else
			puts("bad");
		free(bytes);
	}
	free(line);
	return 0;
}
