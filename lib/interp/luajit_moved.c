/* luajit_moved.c - stacks of values of LuaJIT that grow in this moment. */
#include "interp/luajit_moved.h"

#include <string.h>

/* Bytes of the C stack that the functions which move a stack may use. */
enum { FRAMES = 2048 };

/* Bytes at the start of a free block that the allocator changes. */
enum { FREED = 48 };

/* The largest stack of values that is compared, in bytes. */
enum { COMPARED = 65536 };

/* Addresses that a process may have. */
static const uint64_t lowest = 4096, highest = UINT64_C(1) << 47;

/* Registers that functions keep on x86-64, by their DWARF numbers. */
static const unsigned kept[] = { 3, 6, 12, 13, 14, 15 };

enum { KEPT = sizeof(kept) / sizeof(*kept) };

/* The word number i that may be a place; false if there are no more. */
static bool
get_word(struct interp_copy *copy, const struct luajit_state *state, size_t i,
	 uint64_t *word)
{
	const uint64_t at = copy->moment.sp + 8 * ((uint64_t)i - KEPT);

	if (i < KEPT) {
		*word = copy->moment.registers->value[kept[i]];
		return true;
	}
	return at < state->c_frame && at - copy->moment.sp < FRAMES &&
	       luajit_frame_get(copy, at, word, sizeof(*word));
}

void
luajit_moved_base(struct interp_copy *copy, struct luajit_state *state)
{
	const uint64_t size = state->stack_end - state->stack;
	struct luajit_frame f;
	uint64_t word, base, found = 0;
	size_t i;

	if (state->base - state->stack < size || copy->moment.registers == NULL)
		return;
	for (i = 0; get_word(copy, state, i, &word); i++) {
		base = state->base - word + state->stack;
		if (state->base - word >= size || base == found ||
		    !luajit_frame_read(copy, state, base, &f))
			continue;
		if (found != 0)
			return;
		found = base;
	}
	if (found != 0)
		state->base = found;
}

/* Whether n bytes of the stack of values are the same at another place. */
static bool
are_same(struct interp_copy *copy, uint64_t a, uint64_t b, size_t n)
{
	char x[1024], y[sizeof(x)];
	size_t part;

	for (; n > 0; n -= part, a += part, b += part) {
		part = n < sizeof(x) ? n : sizeof(x);
		if (!luajit_frame_get(copy, a, x, part) ||
		    !interp_copy_read(copy, b, y, part) ||
		    memcmp(x, y, part) != 0)
			return false;
	}
	return true;
}

bool
luajit_moved_stack(struct interp_copy *copy, struct luajit_state *state,
		   uint64_t *base)
{
	const uint64_t size = *base - state->stack, frame = 16;
	uint64_t word;
	size_t i;

	if (size < FREED + frame || size > COMPARED ||
	    copy->moment.registers == NULL)
		return false;
	for (i = 0; get_word(copy, state, i, &word); i++) {
		if (word % 8 != 0 || word == state->stack ||
		    word - lowest >= highest - lowest ||
		    word - copy->moment.sp < copy->stack.len ||
		    !are_same(copy, *base - frame, word + size - frame,
			      frame) ||
		    !are_same(copy, state->stack + FREED, word + FREED,
			      (size_t)size - FREED))
			continue;
		*base = word + size;
		state->stack_end += word - state->stack;
		state->stack = word;
		return true;
	}
	return false;
}
