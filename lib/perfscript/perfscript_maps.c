/* perfscript_maps.c - mappings of files, from perf script text. */
#include "perfscript/perfscript_maps.h"

#include "base/intern.h"
#include "base/mem.h"

#include <stdlib.h>

/* The mappings of a file are a list, the newest first. */
struct perfscript_map {
	int64_t pid;
	uint64_t start, size, offset;
	size_t before; /* the next older one of the same file, or NONE */
};

#define NONE SIZE_MAX

struct perfscript_maps {
	struct intern *paths;
	size_t *newest; /* mapping, by path */
	size_t newest_cap;
	struct perfscript_map *map;
	size_t n, cap;
	enum { UNKNOWN, IN_FILE, IN_PROCESS } kind; /* of printed addresses */
};

struct perfscript_maps *
perfscript_maps_new(void)
{
	struct perfscript_maps *maps = mem_zero(1, sizeof(*maps));

	maps->paths = intern_new();
	return maps;
}

void
perfscript_maps_free(struct perfscript_maps *maps)
{
	intern_free(maps->paths);
	free(maps->newest);
	free(maps->map);
	free(maps);
}

void
perfscript_maps_add(struct perfscript_maps *maps, const struct perfline_map *m)
{
	uint32_t n = intern_size(maps->paths),
		 id = intern_id(maps->paths, m->path);

	if (id == n) {
		maps->newest = mem_grow(maps->newest, &maps->newest_cap,
					(size_t)n + 1, sizeof(*maps->newest));
		maps->newest[id] = NONE;
	}
	maps->map = mem_grow(maps->map, &maps->cap, maps->n + 1,
			     sizeof(*maps->map));
	maps->map[maps->n] = (struct perfscript_map){ m->pid, m->start, m->size,
						      m->offset,
						      maps->newest[id] };
	maps->newest[id] = maps->n++;
}

/* The search gives up after so many mappings of other processes. */
enum { MAX_SEARCH = 256 };

/* The mapping i, or the next older one of the same file, of a process. */
static size_t
next_of(const struct perfscript_maps *maps, size_t i, int64_t pid)
{
	int n = 0;

	while (i != NONE && maps->map[i].pid != pid && n++ < MAX_SEARCH)
		i = maps->map[i].before;
	return n > MAX_SEARCH ? NONE : i;
}

/* Find out the kind of printed addresses, if this one can be of only one. */
static void
detect_kind(struct perfscript_maps *maps, size_t i, int64_t pid,
	    uint64_t printed)
{
	bool in_file = false, in_process = false;
	const struct perfscript_map *m;

	for (; (i = next_of(maps, i, pid)) != NONE; i = m->before) {
		m = &maps->map[i];
		in_file |= printed - m->offset < m->size;
		in_process |= printed - m->start < m->size;
	}
	if (in_file != in_process)
		maps->kind = in_file ? IN_FILE : IN_PROCESS;
}

bool
perfscript_maps_address(struct perfscript_maps *maps, int64_t pid,
			struct str path, uint64_t printed, size_t *nth,
			uint64_t *address)
{
	const struct perfscript_map *m;
	uint32_t id;
	size_t i, n = 0;

	if (!intern_find(maps->paths, path, &id))
		return false;
	if (maps->kind == UNKNOWN)
		detect_kind(maps, maps->newest[id], pid, printed);
	if (maps->kind == UNKNOWN)
		return false;
	*address = printed;
	if (maps->kind == IN_PROCESS)
		return (*nth)++ == 0;
	for (i = maps->newest[id]; (i = next_of(maps, i, pid)) != NONE;
	     i = m->before) {
		m = &maps->map[i];
		if (printed - m->offset >= m->size || n++ < *nth)
			continue;
		*address = printed - m->offset + m->start;
		++*nth;
		return true;
	}
	return false;
}
