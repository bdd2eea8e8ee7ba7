/*
 * stackcollapse-austin - fold the samples of austin, a profiler of CPython, in
 * text or in the binary format MOJO.
 */
#include "formats/austin_mojo.h"
#include "formats/austin_text.h"
#include "reader/collapse.h"

enum { OPT_MEMORY = CMD_LONG };

static const struct cmd_option options[] = {
	{ "memory", OPT_MEMORY, NULL, "of austin -f or -m: kilobytes taken",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_memory;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_memory |= value == OPT_MEMORY;
	return value == OPT_MEMORY;
}

static void
read_austin(struct input *in, struct sink *out)
{
	if (austin_mojo_begins(input_peek(in, 4)))
		austin_mojo_read(in, out, with_memory);
	else
		austin_text_read(in, out, with_memory);
}

int
main(int argc, char *argv[])
{
	static const struct reader austin = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the samples of austin.",
		.options = options,
		.setopt = set_option,
		.read = read_austin
	};

	return collapse_main(argc, argv, &austin);
}
