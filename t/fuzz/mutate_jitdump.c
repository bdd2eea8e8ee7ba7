/* mutate_jitdump - a mutator of jitdumps, by records; perf's jitdump.h. */
#include "mutate.h"

static int
find(const uint8_t *data, size_t size, size_t *begin, size_t *end)
{
	/* "JiTD", the version, the size of the header. */
	if (size < 40 || mutate_get(data, 4) != 0x4A695444)
		return 0;
	*begin = mutate_get(data + 8, 4);
	*end = size;
	return 1;
}

/* Type, length, time. */
static size_t
length(const uint8_t *p, size_t n)
{
	const size_t size = n < 16 ? 0 : mutate_get(p + 4, 4);

	return size < 16 ? 0 : size;
}

static void
set_length(uint8_t *p, size_t n)
{
	mutate_put(p + 4, 4, n);
}

static void
moved(uint8_t *data, size_t size, size_t end, ptrdiff_t delta)
{
	(void)data, (void)size, (void)end, (void)delta;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const struct mutate_format format = { find, length, set_length,
						     16, moved };

	return mutate_records(&format, data, size, max, seed);
}
