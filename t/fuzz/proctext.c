/* proctext - lib/proctext as a libFuzzer target: any text of /proc. */
#include "os/proctext.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* A slice that a parser gave must lie in the text. */
static void
check(struct str text, struct str part)
{
	if (part.len > 0 &&
	    (part.p < text.p || part.p + part.len > text.p + text.len))
		abort();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct str text = { (const char *)data, size }, rest = text, value;
	struct proc_stat stat;
	struct proc_call call;
	struct proc_map map;
	struct proc_schedstat schedstat;

	if (proctext_stat(text, &stat))
		check(text, stat.name);
	if (proctext_call(text, &call) && call.number > INT32_MAX)
		abort();
	proctext_schedstat(text, &schedstat);
	if (proctext_status(text, STR("State"), &value))
		check(text, value);
	while (rest.len > 0) {
		if (!proctext_map(str_cut(&rest, '\n'), &map))
			continue;
		check(text, map.path);
		if (map.end <= map.start ||
		    (proctext_is_code(&map) && map.prot.p[2] != 'x'))
			abort();
	}
	return 0;
}
