/*
 * interp_php - PHP in a process whose memory is hostile, as a libFuzzer target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp/interp_merge.h"
#include "interp/php_walk.h"

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
	uint64_t address;
	size_t i, j, done = 0;
	char *p;

	m->reads++;
	for (i = 0; i < n; i++) {
		address = (uint64_t)(uintptr_t)from[i].iov_base;
		p = to[i].iov_base;
		for (j = 0; j < from[i].iov_len; j++, address++, done++) {
			if (m->holes >> (address / 4096 % 8) & 1)
				return done;
			p[j] = (char)m->data[address % m->size];
		}
	}
	return done;
}

static void
merge(const struct memory *m, const struct interp_stack *s)
{
	const struct interp_ranges loops = { { { 0x10, 0x80 } }, 1 };
	struct interp_entries entries = { 0 };
	struct unwind_frame native[16] = { { .pc = 0 } };
	size_t i;

	for (i = 0; i < 16 && i < m->size; i++)
		native[i].pc = m->data[i];
	for (i = 0; i <= 16; i += 8) {
		interp_merge(s, native, i, i > 8, &loops, &entries);
		if (entries.n != s->n)
			abort();
	}
	interp_merge_free(&entries);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const uint8_t minors[] = { 4, 0, 1, 2, 3, 4 };
	struct memory m = { data + 2, size - 2, 0, 0 };
	const struct interp_reader reader = { 0, read_memory, &m };
	struct interp_functions *names = interp_functions_new();
	struct php_functions *functions;
	struct php_calls calls = { 0 };
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	int i;

	if (size >= 2 + 64) {
		m.holes = data[1];
		functions = php_functions_new(php_layout_of(
		    data[0] % 6 == 0 ? 7 : 8, minors[data[0] % 6]));
		for (i = 0; i < 3; i++) {
			interp_stack_clear(&s);
			interp_copy_begin(&copy, &reader, &spans, NULL, NULL,
					  0);
			php_walk(functions, &calls, &copy, 8, &s);
			php_walk_request(functions, &copy, 8, &s);
			interp_copy_end(&copy, &spans);
			if (s.n > INTERP_STACK_DEPTH ||
			    copy.bytes.len > INTERP_COPY_BYTES ||
			    copy.reads > INTERP_COPY_READS)
				abort();
			php_functions_name(functions, &reader, names, &s);
			merge(&m, &s);
		}
		php_functions_free(functions);
	}
	free(calls.call);
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(names);
	return 0;
}
