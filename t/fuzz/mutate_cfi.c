/* mutate_cfi - a mutator of the inputs of unwind.c, by CIEs and FDEs. */
#include "mutate.h"

#include "unwind/unwind.h"

/* Sizes and flags, registers; then .eh_frame of a size that comes first. */
enum { EH_FRAME = 8 + sizeof(((struct unwind_thread *)0)->registers.value) };

static int
find(const uint8_t *data, size_t size, size_t *begin, size_t *end)
{
	if (size < EH_FRAME)
		return 0;
	*begin = EH_FRAME;
	*end = EH_FRAME + mutate_get(data, 2);
	if (*end > size)
		*end = size;
	return 1;
}

static size_t
length(const uint8_t *p, size_t n)
{
	const size_t size = n < 8 ? 0 : mutate_get(p, 4);

	return size < 4 ? 0 : size + 4;
}

static void
set_length(uint8_t *p, size_t n)
{
	mutate_put(p, 4, n - 4);
}

static void
moved(uint8_t *data, size_t size, size_t end, ptrdiff_t delta)
{
	(void)size, (void)end;
	mutate_put(data, 2, mutate_get(data, 2) + (uint64_t)delta);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const struct mutate_format format = { find, length, set_length,
						     8, moved };

	return mutate_records(&format, data, size, max, seed);
}
