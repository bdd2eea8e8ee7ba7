/*
 * stackcollapse-gdb - fold backtraces of debuggers: gdb, lldb, eu-stack and
 * pstack.
 */
#include "formats/backtrace.h"
#include "reader/collapse.h"

int
main(int argc, char *argv[])
{
	static const struct reader gdb = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the backtraces that gdb, lldb, eu-stack and "
			   "pstack print of threads.",
		.read = backtrace_read
	};

	return collapse_main(argc, argv, &gdb);
}
