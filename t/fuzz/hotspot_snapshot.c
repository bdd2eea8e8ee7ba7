/*
 * hotspot_snapshot - a snapshot of a HotSpot that is hostile, as a libFuzzer
 * target.
 *
 * The first eight words are registers, of which the stack pointer leads to the
 * 1024 bytes after them.  The rest is the file.
 */
#include "hotspot_unwind.h"

#include "interp/hotspot_snapshot.h"
#include "interp/interp_copy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { WORDS = 8, STACK = 1024, STACK_POINTER = 7 };

static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg;
	(void)address;
	(void)to;
	(void)n;
	return false;
}

static enum unwind_vm
step(void *arg, struct unwind_vm_frame *f)
{
	return hotspot_snapshot_step(arg, f);
}

static void
unwind_and_name(struct hotspot_snapshot *s, const unsigned char *data,
		uint64_t time)
{
	struct unwind_thread thread = { .read = read_memory,
					.step_vm = step,
					.arg = s };
	const struct interp_stack *stack;
	uint64_t word[WORDS];
	size_t i;

	memcpy(word, data, sizeof(word));
	thread.stack = (struct str){ (const char *)data + sizeof(word), STACK };
	thread.stack_start = word[STACK_POINTER];
	hotspot_snapshot_begin(s, time);
	hotspot_unwind(&thread, word, WORDS);
	stack = hotspot_snapshot_stack(s);
	if (stack->n > INTERP_STACK_DEPTH)
		abort();
	for (i = 0; i < stack->n; i++)
		hotspot_snapshot_name(s, &stack->frame[i]);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const size_t before = WORDS * sizeof(uint64_t) + STACK;
	struct hotspot_snapshot *s;
	struct buf why = { 0 };
	struct str file;
	bool cut;

	if (size < before)
		return 0;
	file = (struct str){ (const char *)data + before, size - before };
	s = hotspot_snapshot_read(file, &cut, &why);
	if (s != NULL) {
		unwind_and_name(s, data, 0);
		unwind_and_name(s, data, UINT64_MAX);
		hotspot_snapshot_append(s, file, &cut, &why);
	}
	hotspot_snapshot_free(s);
	buf_free(&why);
	return 0;
}
