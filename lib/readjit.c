/* readjit.c - JIT code in what perf recorded. */
#include "readjit.h"

#include <err.h>

struct jit *
readjit_open(const struct jitopt *options)
{
	struct buf why = { 0 };
	struct jit *jit = jitopt_open(options, -1, &why);

	if (jit == NULL)
		errx(2, "%.*s", (int)why.len, why.p);
	return jit;
}

void
readjit_close(struct jit *jit, struct sink *out)
{
	struct buf line = { 0 };

	for (; jit_note(jit, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	if (jit_bad(jit) > 0)
		sink_partial(out);
	buf_free(&line);
	jit_free(jit);
}
