/*
 * mutate_perfdata - a mutator of perf.data files: records of the data section.
 * The sections of features that follow it keep their places.
 */
#include "mutate.h"

/* struct perf_file_header of perf's header.h. */
enum { DATA_AT = 40, DATA_SIZE = 48, FEATURES = 72, HEADER = 104 };

static int
find(const uint8_t *data, size_t size, size_t *begin, size_t *end)
{
	uint64_t at, n;

	if (size < HEADER || memcmp(data, "PERFILE2", 8) != 0)
		return 0;
	at = mutate_get(data + DATA_AT, 8);
	n = mutate_get(data + DATA_SIZE, 8);
	if (at > size || n > size - at)
		return 0;
	*begin = at;
	*end = at + n;
	return 1;
}

/* struct perf_event_header: type, misc, size. */
static size_t
length(const uint8_t *p, size_t n)
{
	const size_t size = n < 8 ? 0 : mutate_get(p + 6, 2);

	return size < 8 ? 0 : size;
}

static void
set_length(uint8_t *p, size_t n)
{
	mutate_put(p + 6, 2, n);
}

/* The table of features is behind the data: offset and size of each. */
static void
moved(uint8_t *data, size_t size, size_t end, ptrdiff_t delta)
{
	size_t at = end + (size_t)delta, bit;
	uint64_t offset;

	mutate_put(data + DATA_SIZE, 8,
		   mutate_get(data + DATA_SIZE, 8) + (uint64_t)delta);
	for (bit = 0; bit < 256; bit++) {
		if (!(data[FEATURES + bit / 8] >> bit % 8 & 1))
			continue;
		if (size < 16 || at > size - 16)
			break;
		offset = mutate_get(data + at, 8);
		if (offset >= end)
			mutate_put(data + at, 8, offset + (uint64_t)delta);
		at += 16;
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const struct mutate_format format = { find, length, set_length,
						     8, moved };

	return mutate_records(&format, data, size, max, seed);
}
