/* jitnow.c - names of the code that JITs make in processes that run. */
#include "jitnow.h"

#include "intern.h"
#include "mem.h"
#include "tasks.h"

#include <stdlib.h>
#include <time.h>

#define SECOND ((uint64_t)1000000000)

/* How long to wait between looks, and how much longer than one takes. */
#define SHORTEST SECOND
#define LONGEST (64 * SECOND)
enum { SHARE = 50 };

/* So many places without a name are kept in mind. */
enum { PLACES = 1 << 16 };

struct watched_jit {
	int64_t pid;
	bool missing;   /* there was code without a name, */
	uint64_t next;  /* for which it is not looked before this time, */
	uint64_t pause; /* which was so long after the last one */
};

struct jitnow {
	struct jit *jit;
	struct processes *processes;
	bool ask;
	struct watched_jit *process;
	size_t n, cap;
	struct intern *keys; /* of places */
	struct jitnow_place *place;
	size_t place_cap;
	uint32_t late; /* where to go on */
};

struct jitnow *
jitnow_new(const struct jit_options *options, struct processes *processes,
	   bool ask)
{
	struct jitnow *n = mem_zero(1, sizeof(*n));

	n->jit = jit_new(options);
	n->processes = processes;
	n->ask = ask;
	n->keys = intern_new();
	return n;
}

void
jitnow_free(struct jitnow *n)
{
	jit_free(n->jit);
	intern_free(n->keys);
	free(n->process);
	free(n->place);
	free(n);
}

struct jit *
jitnow_jit(const struct jitnow *n)
{
	return n->jit;
}

void
jitnow_add(struct jitnow *n, int64_t pid)
{
	n->process = mem_grow(n->process, &n->cap, n->n + 1,
			      sizeof(*n->process));
	n->process[n->n++] = (struct watched_jit){ .pid = pid,
						   .pause = SHORTEST };
	jit_search(n->jit, pid, NULL);
	if (n->ask)
		jit_begin_jvm(n->jit, pid);
}

/* Places. */

static void
add_place(struct jitnow *n, int64_t pid, uint64_t time, uint64_t address)
{
	const struct {
		int64_t pid;
		uint64_t address;
	} key = { pid, address };
	const uint32_t size = intern_size(n->keys);
	size_t i;

	for (i = 0; i < n->n; i++)
		n->process[i].missing |= n->process[i].pid == pid;
	if (size == PLACES ||
	    intern_id(n->keys,
		      (struct str){ (const char *)&key, sizeof(key) }) < size)
		return;
	n->place = mem_grow(n->place, &n->place_cap, (size_t)size + 1,
			    sizeof(*n->place));
	n->place[size] = (struct jitnow_place){ pid, time, address };
}

bool
jitnow_find(struct jitnow *n, int64_t pid, uint64_t time, uint64_t address,
	    struct jit_symbol *found)
{
	const struct mapping *m;

	if (jit_find(n->jit, pid, time, address, found))
		return true;
	m = space_find(processes_view(n->processes, pid, time).space, address);
	if (m != NULL && mapped_is_anonymous(m->file))
		add_place(n, pid, time, address);
	return false;
}

bool
jitnow_late(struct jitnow *n, struct jitnow_place *place,
	    struct jit_symbol *found)
{
	while (n->late < intern_size(n->keys)) {
		*place = n->place[n->late++];
		if (place->pid < 0 || !jit_find(n->jit, place->pid, place->time,
						place->address, found))
			continue;
		n->place[n->late - 1].pid = -1;
		return true;
	}
	return false;
}

/* Updates. */

static uint64_t
cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* False if there is nothing new, or not yet. */
static bool
look(struct jitnow *n, struct watched_jit *p, uint64_t now)
{
	const uint64_t began = cpu_time();
	const bool news = jit_look_again(n->jit, p->pid);
	uint64_t pause;

	p->missing = false;
	if (news) {
		p->pause = SHORTEST;
	} else {
		if (n->ask)
			jit_begin_jvm(n->jit, p->pid);
		p->pause = p->pause < LONGEST ? p->pause * 2 : LONGEST;
	}
	pause = (cpu_time() - began) * SHARE;
	p->next = now + (p->pause > pause ? p->pause : pause);
	return news;
}

void
jitnow_update(struct jitnow *n, bool last)
{
	const uint64_t now = tasks_now();
	struct watched_jit *p;
	bool news = false;
	size_t i;

	for (i = 0; i < n->n; i++) {
		p = &n->process[i];
		if (p->missing && (last || now >= p->next))
			news |= look(n, p, now);
		news |= jit_end_jvm(n->jit, p->pid, last);
	}
	n->late = news ? 0 : intern_size(n->keys);
}
