/* interp_maps.c - runtimes that can only name their functions themselves. */
#include "interp/interp_maps.h"

#include <stdio.h>
#include <unistd.h>

/* A runtime by the name of its file, and what makes it write a perf map. */
static const struct {
	const char *file, *hint;
} runtimes[] = { { "beam.smp", "Erlang; to name its functions, start it with "
			       "+JPperf true" },
		 { "bun", "bun; to name its functions, start it with "
			  "BUN_JSC_useJITDump=1" },
		 { "deno", "deno; to name its functions, start it with "
			   "--v8-flags=--perf-basic-prof" },
		 { "libcoreclr.so",
		   ".NET; to name its functions, start it with "
		   "DOTNET_PerfMapEnabled=1" } };

static const char *
find_hint(struct str file)
{
	size_t i;

	for (i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (str_eq(file, str_of(runtimes[i].file)))
			return runtimes[i].hint;
	}
	return NULL;
}

static bool
may_be(struct str file)
{
	return find_hint(file) != NULL;
}

static bool
has_map(int64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%lld/root/tmp/perf-%lld.map",
		 (long long)pid, (long long)pid);
	return access(path, F_OK) == 0;
}

/* There never is a runtime, only a reason why. */
static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	const char *hint = find_hint(interp_binary_name(target->map[map].path));

	(void)reader;
	if (hint != NULL && !has_map(target->pid))
		buf_str(why, str_of(hint));
	return NULL;
}

const struct interp_language interp_maps_language = { .may_be = may_be,
						      .open = open_runtime };
