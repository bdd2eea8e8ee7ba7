/*
 * interp - lib/interp as a libFuzzer target: CPython in a process whose memory
 * is hostile.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp/cpython_code.h"
#include "interp/cpython_walk.h"
#include "interp/interp_merge.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct memory {
	const unsigned char *data;
	size_t size;
	unsigned char holes;
	size_t reads;
};

/* As process_vm_readv(2): up to the first address that cannot be read. */
static size_t
read_memory(void *arg, const struct iovec *to, const struct iovec *from,
	    size_t n)
{
	struct memory *m = arg;
	uint64_t address, end;
	size_t i, part, done = 0;
	char *p;

	m->reads++;
	for (i = 0; i < n; i++) {
		address = (uint64_t)(uintptr_t)from[i].iov_base;
		end = address + from[i].iov_len;
		for (p = to[i].iov_base; address != end;
		     address += part, p += part, done += part) {
			if (m->holes >> (address / 4096 % 8) & 1)
				return done;
			part = m->size - address % m->size;
			if (part > 4096 - address % 4096)
				part = 4096 - address % 4096;
			if (part > end - address)
				part = end - address;
			memcpy(p, m->data + address % m->size, part);
		}
	}
	return done;
}

static bool
choose_layout(unsigned choice, const struct memory *m,
	      struct cpython_layout *layout)
{
	const unsigned oldest = 5, describes_itself = 13;
	const unsigned minor = oldest + choice % 9;
	const struct cpython_layout *known = minor == oldest ?
						 cpython_layout_of(2, 7) :
						 cpython_layout_of(3, minor);
	const char *why;

	if (minor == describes_itself)
		return m->size >= CPYTHON_LAYOUT_BYTES &&
		       cpython_layout_read(layout, (const char *)m->data, 3,
					   minor, &why);
	*layout = *known;
	return true;
}

/* Native frames whose places are in the memory, too. */
static void
merge(const struct memory *m, const struct interp_stack *s)
{
	const struct interp_ranges loops = { { { 0x10, 0x80 } }, 1 };
	struct interp_entries entries = { 0 };
	struct unwind_frame native[16] = { { .pc = 0 } };
	size_t i;

	for (i = 0; i < 16 && i < m->size; i++) {
		native[i].pc = m->data[i];
		native[i].sp = i * 16;
	}
	for (i = 0; i <= 16; i += 8) {
		interp_merge(s, native, i, i > 8, &loops, &entries);
		if (entries.n != s->n && (s->complete || entries.n > s->n))
			abort();
	}
	interp_merge_free(&entries);
}

static void
walk_and_name(struct memory *m, const struct cpython_layout *layout)
{
	const struct interp_reader reader = { 0, read_memory, m };
	struct interp_functions *functions = interp_functions_new();
	struct cpython_codes *codes = cpython_code_new(
	    layout, 0, (struct interp_range){ 0, 0 });
	struct interp_listed thread = { .block = 8 };
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	const struct interp_moment moment = { .sp = 64 };
	struct buf stack = { 0 };
	int i;

	memcpy(&thread.id, m->data + (8 + layout->thread.id) % (m->size - 8),
	       sizeof(thread.id));
	for (i = 0; i < 3; i++) {
		interp_stack_clear(&s);
		interp_copy_begin(&copy, &reader, &spans, &moment, &stack, 256);
		copy.max_reads = INTERP_COPY_HELD;
		cpython_walk(layout, &copy, &thread, &s);
		interp_copy_end(&copy, &spans);
		/* Spans of the last sample may take a few calls, too. */
		if (s.n > INTERP_STACK_DEPTH ||
		    copy.bytes.len > INTERP_COPY_BYTES ||
		    copy.reads > INTERP_COPY_HELD + 8)
			abort();
		cpython_code_name(codes, &reader, functions, &s);
		merge(m, &s);
	}
	if (m->reads > 4 * INTERP_COPY_READS)
		abort();
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	buf_free(&stack);
	cpython_code_free(codes);
	interp_functions_free(functions);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct cpython_layout layout;
	struct memory m;

	if (size < 2 + 64)
		return 0;
	m = (struct memory){ data + 2, size - 2, data[1], 0 };
	if (choose_layout(data[0], &m, &layout))
		walk_and_name(&m, &layout);
	return 0;
}
