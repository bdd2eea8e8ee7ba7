/*
 * collide - names that share a small part of a hash table.
 *
 *	collide N
 *
 * Prints N names. XXH3 without a seed puts all of them into 2048 of the
 * first 131072 slots, so that a table without a seed, or with a known one,
 * compares each with all that came before.
 */
#include "base/hash.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 131072
#define USED 2048

int
main(int argc, char *argv[])
{
	unsigned long n, i;
	char name[32];

	if (argc != 2)
		errx(2, "usage: collide N");
	n = strtoul(argv[1], NULL, 10);
	for (i = 0; n > 0; i++) {
		snprintf(name, sizeof(name), "f%lu", i);
		if (hash_bytes(name, strlen(name)) % SLOTS >= USED)
			continue;
		puts(name);
		n--;
	}
	return fflush(stdout) != 0;
}
