/*
 * growdata BYTES [spoilt] - a perf.data file on standard input, written with
 * its records over and over, so that they have so many bytes.  A spoilt one has
 * a sample without any content in the middle.
 *
 * The header has the place of the records at byte 40, as offset and size, and
 * at byte 72 a bit for each feature.  The places of the features follow the
 * records, and their contents follow those.
 *
 * Of a stream, which has a header of 16 bytes and no features, the kernel's
 * records and the ends of rounds are repeated.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 40, FEATURES = 72, HEADER = 104, STREAM = 16 };

enum { OF_PERF = 64, FINISHED_ROUND = 68 }; /* types of records */

/* Type 9, user mode, and the size of this header. */
static const char spoilt[] = { 9, 0, 0, 0, 2, 0, 8, 0 };

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

/* The records of a stream that can be repeated. */
static size_t
keep_records(char *to, const char *file, size_t n)
{
	size_t at, kept = 0;
	uint32_t type;
	uint16_t size;

	for (at = STREAM; at + 8 <= n; at += size) {
		memcpy(&type, file + at, sizeof(type));
		memcpy(&size, file + at + 6, sizeof(size));
		if (size < 8 || size > n - at)
			errx(2, "not a whole stream");
		if (type >= OF_PERF && type != FINISHED_ROUND)
			continue;
		memcpy(to + kept, file + at, size);
		kept += size;
	}
	return kept;
}

static int
grow_stream(const char *file, size_t n, uint64_t bytes, bool spoils)
{
	static char records[16 << 20];
	const size_t size = keep_records(records, file, n);
	uint64_t i, more;

	if (size == 0)
		errx(2, "a stream without records");
	more = bytes / size;
	print(file, n);
	for (i = 0; i < more; i++) {
		if (spoils && i == more / 2)
			print(spoilt, sizeof(spoilt));
		print(records, size);
	}
	return fflush(stdout) == 0 ? 0 : 2;
}

int
main(int argc, char *argv[])
{
	static char file[16 << 20];
	const size_t n = fread(file, 1, sizeof(file), stdin);
	const bool spoils = argc == 3 && strcmp(argv[2], "spoilt") == 0;
	uint64_t data, size, more, added, i;
	size_t features;

	if ((argc != 2 && !spoils) || n < HEADER ||
	    memcmp(file, "PERFILE2", 8) != 0)
		errx(2, "usage: growdata BYTES [spoilt] <perf.data");
	if (number(file + 8) == STREAM)
		return grow_stream(file, n, strtoull(argv[1], NULL, 10),
				   spoils);
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
