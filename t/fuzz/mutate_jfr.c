/*
 * mutate_jfr - a mutator of JFR recordings, by the events of the first chunk.
 * Numbers of the header are big-endian, lengths of events LEB128.
 */
#include "mutate.h"

enum { CHUNK_SIZE = 8, CONSTANTS = 16, METADATA = 24, HEADER = 68 };

static uint64_t
get(const uint8_t *p)
{
	return __builtin_bswap64(mutate_get(p, 8));
}

static void
put(uint8_t *p, uint64_t value)
{
	mutate_put(p, 8, __builtin_bswap64(value));
}

static int
find(const uint8_t *data, size_t size, size_t *begin, size_t *end)
{
	if (size < HEADER || memcmp(data, "FLR", 4) != 0 ||
	    get(data + CHUNK_SIZE) > size)
		return 0;
	*begin = HEADER;
	*end = get(data + CHUNK_SIZE);
	return 1;
}

static size_t
length(const uint8_t *p, size_t n)
{
	size_t i, value = 0;

	for (i = 0; i < n && i < 4; i++) {
		value |= (size_t)(p[i] & 0x7f) << 7 * i;
		if (!(p[i] & 0x80))
			return value > 4 ? value : 0;
	}
	return 0;
}

/* In four bytes, as the JVM writes it. */
static void
set_length(uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)((n >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
}

static void
moved(uint8_t *data, size_t size, size_t end, ptrdiff_t delta)
{
	size_t at;

	(void)size, (void)end;
	put(data + CHUNK_SIZE, get(data + CHUNK_SIZE) + (uint64_t)delta);
	/* Most events come before these two. */
	for (at = CONSTANTS; at <= METADATA; at += 8)
		put(data + at, get(data + at) + (uint64_t)delta);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const struct mutate_format format = { find, length, set_length,
						     4, moved };

	return mutate_records(&format, data, size, max, seed);
}
