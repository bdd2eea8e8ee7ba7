/*
 * growdata BYTES [spoilt] - a perf.data file on standard input, written with
 * its records over and over, so that they have so many bytes.  A spoilt one has
 * a sample without any content in the middle.
 *
 * The header has the place of the records at byte 40, as offset and size, and
 * at byte 72 a bit for each feature.  The places of the features follow the
 * records, and their contents follow those.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 40, FEATURES = 72, HEADER = 104 };

static uint64_t
number(const char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static void
add(char *at, uint64_t n)
{
	n += number(at);
	memcpy(at, &n, sizeof(n));
}

static size_t
count_features(const char *header)
{
	size_t n = 0;
	int i;

	for (i = 0; i < 4; i++)
		n += (size_t)__builtin_popcountll(
		    number(header + FEATURES + 8 * i));
	return n;
}

static void
print(const char *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, stdout) != n)
		err(2, "standard output");
}

int
main(int argc, char *argv[])
{
	/* Type 9, user mode, and the size of this header. */
	static const char spoilt[] = { 9, 0, 0, 0, 2, 0, 8, 0 };
	static char file[16 << 20];
	const size_t n = fread(file, 1, sizeof(file), stdin);
	const bool spoils = argc == 3 && strcmp(argv[2], "spoilt") == 0;
	uint64_t data, size, more, added, i;
	size_t features;

	if ((argc != 2 && !spoils) || n < HEADER ||
	    memcmp(file, "PERFILE2", 8) != 0)
		errx(2, "usage: growdata BYTES [spoilt] <perf.data");
	data = number(file + DATA);
	size = number(file + DATA + 8);
	features = count_features(file);
	if (size == 0 || data + size + 16 * features > n)
		errx(2, "not a whole file");
	more = strtoull(argv[1], NULL, 10) / size;
	added = more * size + (spoils ? sizeof(spoilt) : 0);
	add(file + DATA + 8, added);
	for (i = 0; i < features; i++)
		add(file + data + size + 16 * i, added);
	print(file, data + size);
	for (i = 0; i < more; i++) {
		if (spoils && i == more / 2)
			print(spoilt, sizeof(spoilt));
		print(file + data, size);
	}
	print(file + data + size, n - data - size);
	return fflush(stdout) == 0 ? 0 : 2;
}
