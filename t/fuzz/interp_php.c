/*
 * interp_php - PHP in a process whose memory is hostile, as a libFuzzer target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp_memory.h"

#include "interp/php_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct php {
	struct php_functions *functions;
	struct php_calls calls;
};

static void
walk(void *arg, struct interp_copy *copy, struct interp_stack *s)
{
	struct php *php = arg;

	php_walk(php->functions, &php->calls, copy, 8, s);
	php_walk_request(php->functions, copy, 8, s);
}

static void
name(void *arg, const struct interp_reader *reader,
     struct interp_functions *names, struct interp_stack *s)
{
	const struct php *php = arg;

	php_functions_name(php->functions, reader, names, s);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const uint8_t minors[] = { 4, 0, 1, 2, 3, 4 };
	struct php php = { NULL, { 0 } };
	const struct memory_walk steps = { walk, name, &php };
	struct interp_memory m;

	if (!interp_memory_begin(&m, data, size))
		return 0;
	php.functions = php_functions_new(
	    php_layout_of(data[0] % 6 == 0 ? 7 : 8, minors[data[0] % 6]));
	interp_memory_sample(&m, &steps);
	php_functions_free(php.functions);
	free(php.calls.call);
	return 0;
}
