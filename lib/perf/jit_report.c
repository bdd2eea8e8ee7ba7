/* jit_report.c - passes what was wrong with names of JIT code to a sink. */
#include "perf/jit_report.h"

void
jit_report(struct jit *jit, struct sink *out)
{
	struct buf line = { 0 };

	for (; jit_note(jit, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	if (jit_bad(jit) > 0)
		sink_partial(out);
	buf_free(&line);
}
