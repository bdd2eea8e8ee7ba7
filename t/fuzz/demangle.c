/*
 * demangle - lib/demangle as a libFuzzer target: lines come in, and each is a
 * name.
 */
#include "demangle/demangle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
one(struct str name)
{
	struct buf out = { 0 };

	buf_char(&out, 'x');
	if (!demangle(&out, name) && out.len != 1)
		abort();
	if (out.p[0] != 'x')
		abort();
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct str rest = { (const char *)data, size }, line;

	while (rest.len > 0) {
		line = str_cut(&rest, '\n');
		/* Symbols are cut at a NUL before they come here. */
		if (memchr(line.p, '\0', line.len) == NULL)
			one(line);
	}
	return 0;
}
