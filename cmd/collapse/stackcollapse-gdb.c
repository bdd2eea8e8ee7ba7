/*
 * stackcollapse-gdb - fold backtraces of debuggers: gdb, lldb, eu-stack and
 * pstack.
 */
#include "formats/backtrace.h"
#include "reader/collapse.h"

enum { OPT_SRCLINE = CMD_LONG };

static const struct cmd_option options[] = {
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to Python frames",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_lines;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_lines |= value == OPT_SRCLINE;
	return value == OPT_SRCLINE;
}

static void
read_gdb(struct input *in, struct sink *out)
{
	backtrace_read(in, out, with_lines);
}

int
main(int argc, char *argv[])
{
	static const struct reader gdb = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary =
		    "Fold thread backtraces of gdb, lldb, eu-stack and pstack.",
		.options = options,
		.setopt = set_option,
		.read = read_gdb
	};

	return collapse_main(argc, argv, &gdb);
}
