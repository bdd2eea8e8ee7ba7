/*
 * interp_perl - Perl in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp_memory.h"

#include "interp/perl_names.h"
#include "interp/perl_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct perl_variables variables = { 8, 16, 24, 32 };
	const struct perl_statements statements = { .nextstate = 7,
						    .threaded = size % 2 };
	struct interp_memory m = { data + 2, size - 2, 0, 0 };
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = &m };
	struct interp_functions *functions = interp_functions_new();
	const struct perl_layout *l;
	struct perl_names *names;
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
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
			interp_memory_merge(&m, &s);
		}
		perl_names_free(names);
	}
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(functions);
	return 0;
}
