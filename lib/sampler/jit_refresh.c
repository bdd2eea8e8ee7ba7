/* jit_refresh.c - names of JIT code in running processes, kept up to date. */
#include "sampler/jit_refresh.h"

#include "base/arena.h"
#include "base/table.h"
#include "jit/jit_discover.h"
#include "os/clock.h"

#include <time.h>

#define SECOND ((uint64_t)1000000000)

/*
 * The interval between two reads doubles while they find nothing.  It is also
 * COST_FACTOR times as long as a read takes.
 */
#define SHORTEST_INTERVAL SECOND
#define LONGEST_INTERVAL (64 * SECOND)
enum { COST_FACTOR = 50 };

/* At most this many places without a name are remembered. */
enum { MAX_PLACES = 1 << 16 };

struct jit_process {
	int64_t pid;
	bool missing_names; /* a sample had code without a name */
	uint64_t next;      /* do not read again before this time */
	uint64_t interval;
	UT_hash_handle hh;
};

struct unnamed_code {
	struct {
		int64_t pid;
		uint64_t address;
	} key;
	uint64_t time;
	bool named; /* it has a name by now */
	UT_hash_handle hh;
};

struct jit_refresh {
	struct jit *jit;
	struct processes *processes;
	bool ask_jvms;
	struct jit_process *process;  /* a table, by pid */
	struct unnamed_code *unnamed; /* a table, by place */
	struct unnamed_code *next;    /* for jit_refresh_next_named() */
	struct arena arena;           /* of the elements */
};

struct jit_refresh *
jit_refresh_new(const struct jit_options *options, struct processes *processes,
		bool ask_jvms)
{
	struct jit_refresh *j = mem_zero(1, sizeof(*j));

	j->jit = jit_new(options);
	j->processes = processes;
	j->ask_jvms = ask_jvms;
	return j;
}

void
jit_refresh_free(struct jit_refresh *j)
{
	jit_free(j->jit);
	HASH_CLEAR(hh, j->process);
	HASH_CLEAR(hh, j->unnamed);
	arena_free(&j->arena);
	free(j);
}

struct jit *
jit_refresh_jit(const struct jit_refresh *j)
{
	return j->jit;
}

void
jit_refresh_add(struct jit_refresh *j, int64_t pid, bool ask)
{
	struct jit_process *p = arena_alloc(&j->arena, sizeof(*p));

	*p = (struct jit_process){ .pid = pid, .interval = SHORTEST_INTERVAL };
	HASH_ADD(hh, j->process, pid, sizeof(pid), p);
	jit_discover_search(j->jit, pid, NULL);
	if (j->ask_jvms && ask)
		jit_discover_jvm_start(j->jit, pid);
}

/* Code without a name. */

static void
remember(struct jit_refresh *j, int64_t pid, uint64_t time, uint64_t address)
{
	const struct unnamed_code new = { .key = { pid, address },
					  .time = time };
	struct unnamed_code *u;
	struct jit_process *p;

	HASH_FIND(hh, j->process, &pid, sizeof(pid), p);
	if (p != NULL)
		p->missing_names = true;
	HASH_FIND(hh, j->unnamed, &new.key, sizeof(new.key), u);
	if (u != NULL || HASH_COUNT(j->unnamed) == MAX_PLACES)
		return;
	u = arena_alloc(&j->arena, sizeof(*u));
	*u = new;
	HASH_ADD(hh, j->unnamed, key, sizeof(u->key), u);
}

enum jit_refresh_result
jit_refresh_find(struct jit_refresh *j, int64_t pid, uint64_t time,
		 uint64_t address, struct jit_symbol *found)
{
	const struct mapping *m;

	if (jit_find(j->jit, &(struct jit_place){ pid, time, address, false },
		     found))
		return JIT_REFRESH_NAMED;
	m = addr_space_find(process_view(j->processes, pid, time).space,
			    address);
	if (m == NULL || !addr_space_is_anonymous(m->file))
		return JIT_REFRESH_OTHER;
	remember(j, pid, time, address);
	return JIT_REFRESH_UNNAMED;
}

bool
jit_refresh_next_named(struct jit_refresh *j, struct jit_refresh_place *place,
		       struct jit_symbol *found)
{
	struct unnamed_code *u;

	while ((u = j->next) != NULL) {
		j->next = u->hh.next;
		*place = (struct jit_refresh_place){ u->key.pid, u->time,
						     u->key.address };
		if (u->named ||
		    !jit_find(j->jit,
			      &(struct jit_place){ place->pid, place->time,
						   place->address, false },
			      found))
			continue;
		u->named = true;
		return true;
	}
	return false;
}

/* Updates. */

/* Read the names of a process again; false if there is nothing new. */
static bool
read_again(struct jit_refresh *j, struct jit_process *p, uint64_t now)
{
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const bool has_new = jit_discover_refresh(j->jit, p->pid);
	uint64_t interval;

	p->missing_names = false;
	if (has_new) {
		p->interval = SHORTEST_INTERVAL;
	} else {
		if (j->ask_jvms)
			jit_discover_jvm_start(j->jit, p->pid);
		p->interval = p->interval < LONGEST_INTERVAL ? p->interval * 2 :
							       LONGEST_INTERVAL;
	}
	interval = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) * COST_FACTOR;
	p->next = now + (p->interval > interval ? p->interval : interval);
	return has_new;
}

void
jit_refresh_update(struct jit_refresh *j, bool last)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct jit_process *p, *next;
	bool has_new = false;

	HASH_ITER(hh, j->process, p, next)
	{
		if (p->missing_names && (last || now >= p->next))
			has_new |= read_again(j, p, now);
		has_new |= jit_discover_jvm_finish(j->jit, p->pid, last);
	}
	j->next = has_new ? j->unnamed : NULL;
}
