/* unnamed.c - parse frames without a name, in code that a JIT compiler made. */
#include "folded/unnamed.h"

#include "folded/folded.h"
#include "folded/name.h"

/*
 * Whether a module is memory in which JIT compilers put code.  There perf
 * script prints addresses of the process, and not of a file.
 */
static bool
is_jit_memory(struct str module)
{
	return str_eq(module, STR("unknown")) || str_eq(module, STR("anon")) ||
	       str_eq(module, STR("zero")) || str_eq(module, STR("heap")) ||
	       str_eq(module, STR("stack")) || str_eq(module, STR("jit")) ||
	       str_starts(module, STR("[anon")) ||
	       str_starts(module, STR("[heap")) ||
	       str_starts(module, STR("[stack")) ||
	       str_starts(module, STR("SYSV")) ||
	       str_starts(module, STR("memfd:")) ||
	       (str_starts(module, STR("perf-")) &&
		str_ends(module, STR(".map")));
}

bool
unnamed_parse(struct str frame, struct unnamed *u)
{
	struct str name = folded_frame_name(frame, &u->suffix);

	return name_ismissing(name, &u->module, &u->has_address, &u->address) &&
	       is_jit_memory(u->module);
}

int64_t
unnamed_root_pid(struct str root)
{
	const char *dash = memrchr(root.p, '-', root.len), *slash;
	struct str digits;
	uint64_t pid;

	if (dash == NULL)
		return -1;
	digits = str_range(dash + 1, root.p + root.len);
	slash = str_find(digits, '/');
	if (slash != NULL)
		digits.len = (size_t)(slash - digits.p);
	return str_u64(digits, &pid) && pid <= INT32_MAX ? (int64_t)pid : -1;
}

int64_t
unnamed_module_pid(struct str module)
{
	uint64_t pid;

	if (!str_starts(module, STR("perf-")))
		return -1;
	module = str_skip(module, 5);
	if (!str_ends(module, STR(".map")))
		return -1;
	module.len -= 4;
	return str_u64(module, &pid) && pid <= INT32_MAX ? (int64_t)pid : -1;
}
