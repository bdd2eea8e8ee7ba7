/*
 * stackcollapse-austin - fold the samples of austin, a profiler of CPython, in
 * text or in the binary format MOJO.
 */
#include "formats/austin_mojo.h"
#include "formats/austin_text.h"
#include "reader/collapse.h"

enum { OPT_MEMORY = CMD_LONG, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "memory", OPT_MEMORY, NULL,
	  "count allocated kilobytes, for austin -f or -m", false },
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static struct austin_options wanted;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	wanted.memory |= value == OPT_MEMORY;
	wanted.lines |= value == OPT_SRCLINE;
	return value == OPT_MEMORY || value == OPT_SRCLINE;
}

static void
read_austin(struct input *in, struct sink *out)
{
	if (austin_mojo_begins(input_peek(in, 4)))
		austin_mojo_read(in, out, &wanted);
	else
		austin_text_read(in, out, &wanted);
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
