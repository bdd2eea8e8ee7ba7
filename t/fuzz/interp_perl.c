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

struct perl {
	const struct perl_layout *layout;
	struct perl_names *names;
};

static void
walk(void *arg, struct interp_copy *copy, struct interp_stack *s)
{
	static const struct perl_variables variables = { 8, 16, 24, 32 };
	const struct perl *perl = arg;

	perl_walk(perl->layout, copy, &variables, true, s);
}

static void
name(void *arg, const struct interp_reader *reader,
     struct interp_functions *names, struct interp_stack *s)
{
	const struct perl *perl = arg;

	perl_names_find(perl->names, reader, names, s);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct perl_statements statements = { .nextstate = 7,
						    .threaded = size % 2 };
	struct perl perl;
	const struct memory_walk steps = { walk, name, &perl };
	struct interp_memory m;

	if (!interp_memory_begin(&m, data, size))
		return 0;
	perl.layout = perl_layout_of(28 + data[0] % 7 * 2);
	perl.names = perl_names_new(perl.layout, &statements);
	interp_memory_sample(&m, &steps);
	perl_names_free(perl.names);
	return 0;
}
