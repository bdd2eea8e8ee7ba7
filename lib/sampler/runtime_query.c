/* runtime_query.c - whether a process runs an interpreter that is known. */
#include "sampler/runtime_query.h"

#include "base/mem.h"
#include "interp/interp_runtime.h"
#include "sampler/procfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The mappings of a process; slices point into text. */
static struct proc_map *
read_maps(int64_t pid, struct buf *text, size_t *n)
{
	struct proc_map *map = NULL;
	size_t cap = 0;
	struct str rest;
	char path[64];

	*n = 0;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
	if (!procfile_read(text, path))
		return NULL;
	rest = buf_slice(text);
	while (rest.len > 0) {
		map = mem_grow(map, &cap, *n + 1, sizeof(*map));
		if (proctext_map(str_cut(&rest, '\n'), &map[*n]))
			++*n;
	}
	return map;
}

enum runtime
runtime_query(int64_t pid)
{
	const struct interp_reader reader = { .tid = pid };
	struct interp *interp = interp_new();
	struct buf text = { 0 }, why = { 0 };
	struct interp_target target = { .pid = pid };
	struct proc_map *map;
	enum runtime known;

	map = read_maps(pid, &text, &target.n);
	target.map = map;
	interp_runtime_find(interp, &target, &reader, &why);
	known = interp_has_steps(interp) ? RUNTIME_COMPILER :
		interp_is_active(interp) ? RUNTIME_INTERPRETER :
		interp_has_tasks(interp) ? RUNTIME_TASKS :
					   RUNTIME_NONE;
	interp_free(interp);
	free(map);
	buf_free(&text);
	buf_free(&why);
	return known;
}
