/* process_life.c - forgets the processes of a recording that have ended. */
#include "symbols/process_life.h"

#include "base/mem.h"
#include "symbols/process-internal.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Collect when this many new versions, or bytes of address spaces, exist. */
enum { MANY_VERSIONS = 4096, MANY_BYTES = 1 << 20 };

/* Threads. */

static void
live_on(struct processes *all, struct process *p)
{
	if (p->life.ended)
		DL_DELETE(all->ended, p);
	p->life.ended = false;
}

/* A thread, or a process without threads, has ended. */
static void
end(struct processes *all, struct process *p, uint64_t when)
{
	if (p->life.alive || p->life.threads > 0 || p->id < 0)
		return;
	live_on(all, p);
	p->life.ended = true;
	p->life.end = when;
	DL_APPEND(all->ended, p);
}

static void
begin_life(struct processes *all, struct process *p)
{
	live_on(all, p);
	p->life.number++;
	p->life.pid = p->id;
	p->life.of = p->life.number;
	p->life.threads = 1;
	p->life.alive = true;
}

/* The thread lives. */
static void
add_thread(struct processes *all, int64_t pid, int64_t tid)
{
	struct process *p = process_get(all, pid), *t = process_get(all, tid);

	if (t->life.alive && t->life.pid == pid && t->life.of == p->life.number)
		return;
	live_on(all, p);
	live_on(all, t);
	t->life.alive = true;
	t->life.pid = pid;
	t->life.of = p->life.number;
	p->life.threads++;
}

static void
end_thread(struct processes *all, int64_t tid, uint64_t when)
{
	struct process *t = process_find(all, tid), *p;

	if (t == NULL)
		return;
	p = t->life.alive ? process_find(all, t->life.pid) : NULL;
	t->life.alive = false;
	if (p != NULL && p->life.number == t->life.of && p->life.threads > 0)
		p->life.threads--;
	end(all, t, when);
	if (p != NULL && p != t)
		end(all, p, when);
}

/* perf also writes a FORK record for a process that existed before. */
static void
add_fork(struct processes *all, const struct perf_record *r)
{
	if (r->pid == r->tid && !(r->misc & PERF_RECORD_MISC_FORK_EXEC))
		begin_life(all, process_get(all, r->pid));
	else
		add_thread(all, r->pid, r->tid);
}

void
process_life_add(struct processes *all, const struct perf_record *r,
		 uint64_t when)
{
	const struct process *t = process_find(all, r->tid);

	/* A record that comes too late. */
	if (t != NULL && t->life.ended && t->life.end > when)
		return;
	switch (r->type) {
	case PERF_RECORD_FORK:
		add_fork(all, r);
		break;
	case PERF_RECORD_COMM:
		/* A thread that executes a program ends the others. */
		if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
			begin_life(all, process_get(all, r->pid));
		else
			add_thread(all, r->pid, r->tid);
		break;
	case PERF_RECORD_EXIT:
		end_thread(all, r->tid, when);
		break;
	default:
		break;
	}
}

void
process_life_seen(struct processes *all, int64_t pid, int64_t tid,
		  uint64_t when)
{
	const struct process *p = process_find(all, pid), *t;

	if (p == NULL || !p->life.ended || p->life.end >= when || tid < 0)
		return;
	t = process_find(all, tid);
	if (t == NULL || !t->life.ended)
		add_thread(all, pid, tid);
}

/* Forgetting. */

static bool
has_ended(const struct process *p, uint64_t before)
{
	return p->life.ended && p->life.end < before;
}

/* Drop the versions that others have replaced before this time. */
static void
trim(struct process *p, uint64_t before)
{
	size_t n = 0;

	while (n + 1 < p->memories && p->memory[n + 1].when <= before)
		n++;
	if (n > 0)
		memmove(p->memory, p->memory + n,
			(p->memories - n) * sizeof(*p->memory));
	p->memories -= n;
	for (n = 0; n + 1 < p->comms && p->comm[n + 1].when <= before;)
		n++;
	if (n > 0)
		memmove(p->comm, p->comm + n,
			(p->comms - n) * sizeof(*p->comm));
	p->comms -= n;
	p->last_memory = p->last_comm = 0;
}

static void
clear(struct process *p)
{
	free(p->memory);
	free(p->comm);
	p->memory = NULL;
	p->comm = NULL;
	p->memories = p->memory_cap = p->comms = p->comm_cap = 0;
	p->last_memory = p->last_comm = 0;
}

static void
see(void *arg, const struct mapping *m)
{
	const struct processes *all = arg;
	struct known_file *f;

	/* Drop const: each mapped file is part of a known one. */
	memcpy(&f, &m->file, sizeof(f));
	f->seen = all->collections;
}

static void
move_memory(struct processes *all, struct process *p)
{
	struct view *v;
	size_t i;

	for (i = 0; i < p->memories; i++) {
		v = &p->memory[i].view;
		v->space = addr_space_move(&all->spaces, v->space, see, all);
		v->before = addr_space_move(&all->spaces, v->before, see, all);
	}
}

/* Free the private files that no address space has. */
static void
free_files(struct processes *all, struct process *p,
	   const struct process_gone *gone)
{
	struct known_file **at = &p->files, *f;

	while ((f = *at) != NULL) {
		if (f->seen == all->collections) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		if (gone->file(gone->arg, &f->file)) {
			all->number = mem_grow(all->number, &all->numbers_cap,
					       all->numbers + 1,
					       sizeof(*all->number));
			all->number[all->numbers++] = f->file.number;
		}
		HASH_DEL(all->files, f);
		free(f);
	}
}

/*
 * A child may still have the private memory of a process, whose names are those
 * of the process.
 */
static void
free_process(struct processes *all, struct process *p,
	     const struct process_gone *gone)
{
	if (p->files != NULL)
		return;
	gone->thread(gone->arg, p->id);
	DL_DELETE(all->ended, p);
	HASH_DEL(all->processes, p);
	process_free_one(p);
}

static void
collect(struct processes *all, uint64_t before, const struct process_gone *gone)
{
	struct process *p, *next;

	all->collections++;
	addr_space_keep(&all->spaces);
	addr_space_begin_move(&all->spaces);
	for (p = all->processes; p != NULL; p = p->hh.next) {
		if (has_ended(p, before))
			clear(p);
		else
			trim(p, before);
		move_memory(all, p);
	}
	addr_space_end_move(&all->spaces);
	all->last_comm = all->last_memory = NULL;
	HASH_ITER(hh, all->processes, p, next)
	{
		free_files(all, p, gone);
		if (has_ended(p, before))
			free_process(all, p, gone);
	}
}

void
process_life_forget(struct processes *all, uint64_t before,
		    const struct process_gone *gone)
{
	if (all->versions < all->versions_kept + MANY_VERSIONS &&
	    all->spaces.arena.size < all->bytes_kept + MANY_BYTES)
		return;
	collect(all, before, gone);
	all->versions = 0;
	all->versions_kept = HASH_COUNT(all->processes);
	all->bytes_kept = 2 * all->spaces.arena.size +
			  all->versions_kept * sizeof(struct process);
}

uint32_t
process_life_collections(const struct processes *all)
{
	return all->collections;
}
