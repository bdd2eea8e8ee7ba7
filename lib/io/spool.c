/* spool.c - a copy of an input, so that it can be read twice. */
#include "io/spool.h"

#include "io/spill.h"

void
spool(struct input *in)
{
	struct spill copy = { .what = "a copy of the input" };
	struct str bytes;
	uint64_t size;

	while ((bytes = input_bytes(in, 1)).len > 0) {
		spill_write(&copy, bytes.p, bytes.len);
		input_take(in, bytes.len);
	}
	size = copy.size;
	input_replace(in, spill_detach(&copy), size);
}
