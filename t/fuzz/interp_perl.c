/*
 * interp_perl - Perl in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp/interp_merge.h"
#include "interp/perl_names.h"
#include "interp/perl_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct memory {
	const unsigned char *data;
	size_t size;
	unsigned char holes;
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

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct perl_variables variables = { 8, 16, 24, 32 };
	const struct perl_statements statements = { .nextstate = 7,
						    .threaded = size % 2 };
	struct memory m = { data + 2, size - 2, 0 };
	const struct interp_reader reader = { 0, read_memory, &m };
	const struct interp_ranges loops = { { { 0x10, 0x80 } }, 1 };
	const struct unwind_frame native[] = { { .pc = 0x20 }, { .pc = 0x90 } };
	struct interp_functions *functions = interp_functions_new();
	const struct perl_layout *l;
	struct perl_names *names;
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	struct interp_entries entries = { 0 };
	int i;

	if (size >= 2 + 64) {
		m.holes = data[1];
		l = perl_layout_of(28 + data[0] % 7 * 2);
		names = perl_names_new(l, &statements);
		for (i = 0; i < 3; i++) {
			interp_stack_clear(&s);
			interp_copy_begin(&copy, &reader, &spans, NULL, NULL,
					  0);
			perl_walk(l, &copy, &variables, true, &s);
			interp_copy_end(&copy, &spans);
			if (s.n > INTERP_STACK_DEPTH ||
			    copy.bytes.len > INTERP_COPY_BYTES ||
			    copy.reads > INTERP_COPY_READS)
				abort();
			perl_names_find(names, &reader, functions, &s);
			interp_merge(&s, native, 2, true, &loops, &entries);
			if (entries.n > s.n)
				abort();
		}
		perl_names_free(names);
	}
	interp_merge_free(&entries);
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(functions);
	return 0;
}
