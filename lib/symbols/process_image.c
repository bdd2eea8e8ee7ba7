/* process_image.c - the memory of a process at one time. */
#include "symbols/process_image.h"

#include "base/hash.h"
#include "symbols/dso.h"
#include "symbols/process_life.h"
#include "unwind/unwind.h"

void
process_image_set(struct process_image *i, int64_t pid, uint64_t when)
{
	const uint32_t collections = process_life_collections(i->processes);

	if (i->collections != collections)
		i->mapping = NULL;
	i->collections = collections;
	i->pid = pid;
	i->executes = false;
	i->view = pid < 0 ? (struct view){ .number = 1 } :
			    process_view(i->processes, pid, when);
	i->has_jit = jit_has_names(i->jit, pid);
	i->jit_when = when;
}

void
process_image_exec(struct process_image *i)
{
	i->executes = true;
}

const struct mapping *
process_image_find(struct process_image *i, uint64_t address)
{
	const struct mapping *m = i->mapping;

	/* Most callers are in the same file. */
	if (m != NULL && i->mapping_view == i->view.number &&
	    address >= m->start && address < m->end)
		return m;
	m = addr_space_find(i->view.space, address);
	if (m != NULL) {
		i->mapping = m;
		i->mapping_view = i->view.number;
	} else if (i->executes) {
		m = addr_space_find(i->view.before, address);
	}
	return m;
}

/* Unwinding. */

static bool
find_rules(void *arg, uint64_t address, struct unwind_map *map)
{
	struct process_image *i = arg;
	const struct mapping *m = process_image_find(i, address);
	struct jit_unwind jit;

	if (i->has_jit &&
	    jit_unwind(i->jit, i->pid, i->jit_when, address, &jit)) {
		*map = (struct unwind_map){ .start = jit.start,
					    .end = jit.end,
					    .bias = jit.bias,
					    .cfi = jit.cfi };
		return true;
	}
	if (m == NULL)
		return false;
	*map = (struct unwind_map){ .start = m->start, .end = m->end };
	map->cfi = dso_cfi(i->dsos, m, address, &map->bias);
	return true;
}

static bool
read_code(void *arg, uint64_t address, void *to, size_t n)
{
	struct process_image *i = arg;
	const struct mapping *m = process_image_find(i, address);

	return m != NULL && n <= m->end - address &&
	       dso_read(i->dsos, m, address, to, n);
}

/*
 * A number that is the same while find_rules() gives the same answers.  A child
 * has its parent's view, but JIT code of its own.
 */
static uint64_t
space_number(const struct process_image *i)
{
	uint64_t key[3] = { i->view.number, (uint64_t)i->pid };

	if (!i->has_jit)
		return i->view.number;
	key[2] = jit_changes(i->jit, i->pid, i->jit_when);
	return hash_bytes(key, sizeof(key));
}

void
process_image_unwind(struct process_image *i, struct unwind_thread *thread)
{
	thread->space = space_number(i);
	thread->trampoline = process_trampoline(i->processes, i->pid);
	thread->map = find_rules;
	thread->read = read_code;
	thread->arg = i;
}
