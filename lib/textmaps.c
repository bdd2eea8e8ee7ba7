/* textmaps.c - where files are in processes, by perf script text. */
#include "textmaps.h"

#include "intern.h"
#include "mem.h"

#include <stdlib.h>

/* The newest mapping of a file in a process is looked at first. */
struct map {
	int64_t pid;
	uint64_t start, size, offset;
	size_t before; /* of the same file; NONE: there is none */
};

#define NONE SIZE_MAX

struct textmaps {
	struct intern *paths;
	size_t *newest; /* of a path */
	size_t newest_cap;
	struct map *map;
	size_t n, cap;
	enum { UNKNOWN, IN_FILE, IN_PROCESS } printed; /* addresses */
};

struct textmaps *
textmaps_new(void)
{
	struct textmaps *t = mem_zero(1, sizeof(*t));

	t->paths = intern_new();
	return t;
}

void
textmaps_free(struct textmaps *t)
{
	intern_free(t->paths);
	free(t->newest);
	free(t->map);
	free(t);
}

void
textmaps_add(struct textmaps *t, const struct perfline_map *m)
{
	uint32_t n = intern_size(t->paths), id = intern_id(t->paths, m->path);

	if (id == n) {
		t->newest = mem_grow(t->newest, &t->newest_cap, (size_t)n + 1,
				     sizeof(*t->newest));
		t->newest[id] = NONE;
	}
	t->map = mem_grow(t->map, &t->cap, t->n + 1, sizeof(*t->map));
	t->map[t->n] = (struct map){ m->pid, m->start, m->size, m->offset,
				     t->newest[id] };
	t->newest[id] = t->n++;
}

/* How many mappings of one file are looked at. */
enum { LOOKED_AT = 256 };

/* The next mapping of a process, from one of the same file on, or NONE. */
static size_t
next_of(const struct textmaps *t, size_t i, int64_t pid)
{
	int n = 0;

	while (i != NONE && t->map[i].pid != pid && n++ < LOOKED_AT)
		i = t->map[i].before;
	return n > LOOKED_AT ? NONE : i;
}

/* What is printed shows where only one of both can be. */
static void
learn(struct textmaps *t, size_t i, int64_t pid, uint64_t printed)
{
	bool in_file = false, in_process = false;
	const struct map *m;

	for (; (i = next_of(t, i, pid)) != NONE; i = m->before) {
		m = &t->map[i];
		in_file |= printed - m->offset < m->size;
		in_process |= printed - m->start < m->size;
	}
	if (in_file != in_process)
		t->printed = in_file ? IN_FILE : IN_PROCESS;
}

bool
textmaps_address(struct textmaps *t, int64_t pid, struct str path,
		 uint64_t printed, size_t *nth, uint64_t *address)
{
	const struct map *m;
	uint32_t id;
	size_t i, n = 0;

	if (!intern_find(t->paths, path, &id))
		return false;
	if (t->printed == UNKNOWN)
		learn(t, t->newest[id], pid, printed);
	if (t->printed == UNKNOWN)
		return false;
	*address = printed;
	if (t->printed == IN_PROCESS)
		return (*nth)++ == 0;
	for (i = t->newest[id]; (i = next_of(t, i, pid)) != NONE;
	     i = m->before) {
		m = &t->map[i];
		if (printed - m->offset >= m->size || n++ < *nth)
			continue;
		*address = printed - m->offset + m->start;
		++*nth;
		return true;
	}
	return false;
}
