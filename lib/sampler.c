/* sampler.c - the stacks of all threads of processes that run. */
#include "sampler.h"

#include "mem.h"
#include "take.h"
#include "taken.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The memory of a process is looked at so often, if nothing says more. */
#define LOOK_NS 1000000000

/*
 * So many threads are looked at before any of them is taken: while we use a
 * CPU for that, waits of others end, and nobody can begin to wait.
 */
enum { TOGETHER = 16 };

struct sampler {
	struct taker take;
	struct tasks **task; /* of each process */
	size_t n, cap;
};

struct sampler *
sampler_new(const struct sampler_options *options, struct processes *processes,
	    struct resolver *r)
{
	struct sampler *s = mem_zero(1, sizeof(*s));
	struct rlimit limit;

	/* Two descriptors a thread. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	s->take.options = *options;
	s->take.processes = processes;
	s->take.ids = build_ids_new();
	s->take.holder = holder_new();
	s->take.stacks = stackof_new(r);
	s->take.count = look_count();
	s->take.counts.untrusted = s->take.count == LOOK_NONE;
	return s;
}

void
sampler_free(struct sampler *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		tasks_free(s->task[i]);
	free(s->task);
	take_free(&s->take);
	build_ids_free(s->take.ids);
	holder_free(s->take.holder);
	stackof_free(s->take.stacks);
	free(s);
}

void
sampler_signalled(struct sampler *s)
{
	hold_late(s->take.holder);
}

void
sampler_ready(struct sampler *s)
{
	hold_ready(s->take.holder);
}

void
sampler_rest(struct sampler *s, uint64_t wait)
{
	hold_rest(s->take.holder, tasks_now() + wait);
}

struct sampler_counts
sampler_counts(const struct sampler *s)
{
	struct sampler_counts c = s->take.counts;

	c.stops = hold_count(s->take.holder);
	c.interrupts = hold_interrupts(s->take.holder);
	return c;
}

/* Processes. */

/* The machine and class of a program that a process executes. */
static bool
is_of_this_machine(int64_t pid)
{
	unsigned char head[20] = { 0 };
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true; /* others will say what is wrong */
	n = read(fd, head, sizeof(head));
	close(fd);
	return n < (ssize_t)sizeof(head) ||
	       (head[EI_CLASS] == ELFCLASS64 &&
		(head[18] | head[19] << 8) == registers_machine());
}

/* False, with errno, if its threads may not be looked at. */
static bool
may_look(const struct sampler *s, int64_t pid)
{
	struct look_files files;
	struct look look;
	bool ok;
	int error;

	look_open(&files, pid, pid);
	errno = 0;
	ok = look_at(&files, s->take.count, &look);
	error = errno;
	look_close(&files);
	errno = error;
	return ok || (errno != EPERM && errno != EACCES);
}

bool
sampler_add(struct sampler *s, int64_t pid, struct buf *why)
{
	struct tasks *p;

	if (!tasks_exists(pid)) {
		buf_printf(why, "there is no process %" PRId64, pid);
		return false;
	}
	if (!may_look(s, pid)) {
		buf_printf(why,
			   "process %" PRId64 " may not be looked at: be its "
			   "user or root, or have CAP_SYS_PTRACE and, for "
			   "those of others, CAP_DAC_READ_SEARCH; a value "
			   "above 0 in /proc/sys/kernel/yama/ptrace_scope "
			   "takes CAP_SYS_PTRACE, too",
			   pid);
		return false;
	}
	if (!is_of_this_machine(pid)) {
		buf_printf(why, "process %" PRId64 " is not of 64 bits", pid);
		return false;
	}
	p = tasks_new(pid);
	s->task = mem_grow(s->task, &s->cap, s->n + 1, sizeof(*s->task));
	s->task[s->n++] = p;
	return true;
}

/*
 * Whether the list of threads may be another one now: where none was found to
 * have gone and there are as many, it is not.
 */
static bool
is_stale(const struct sampler *s, const struct tasks *p)
{
	return p->stale || p->target.threads != p->n ||
	       s->take.options.wants != NULL || s->take.options.consistent;
}

/*
 * Look at some threads that were not looked at since a time.  We must not wait
 * for a CPU meanwhile: others wait as we get one.
 */
static size_t
look_at_some(struct sampler *s, struct tasks *p, size_t begin, uint64_t since)
{
	const size_t end = p->n - begin < TOGETHER ? p->n : begin + TOGETHER;
	size_t i;

	hold_ready(s->take.holder);
	for (i = begin; i < end; i++) {
		if (p->task[i]->time < since)
			take_look(&s->take, p, p->task[i]);
	}
	return end;
}

static void
take_some(struct sampler *s, struct tasks *p, size_t begin, size_t end,
	  bool running)
{
	struct task *t;
	size_t i;

	for (i = begin; i < end; i++) {
		t = p->task[i];
		if ((t->look.call.running && !t->stood_long) != running)
			continue;
		take_task(&s->take, p, t);
		take_late(&s->take, p);
	}
}

/*
 * Take all threads that were not taken since a time; false if some have gone,
 * so that there may be others in their place.
 */
static bool
take_new(struct sampler *s, struct tasks *p, uint64_t since)
{
	size_t begin, end;

	for (begin = 0; begin < p->n; begin = end) {
		end = look_at_some(s, p, begin, since);
		take_some(s, p, begin, end, false);
		/* While some are held there is little else to do then. */
		take_some(s, p, begin, end, true);
	}
	return !p->stale;
}

static void
look_at_memory(struct sampler *s, struct tasks *p)
{
	if (p->n > 0)
		taken_look(&s->take, p, p->task[p->n - 1]->files.tid);
}

static bool
round_of(struct sampler *s, struct tasks *p, uint64_t now)
{
	if (!target_check(&p->target, s->take.processes, &s->take.options.news,
			  now) ||
	    (is_stale(s, p) && !tasks_list(p)))
		return false;
	p->looked = false;
	if (p->target.looked == 0)
		look_at_memory(s, p);
	if (s->take.options.consistent)
		take_together(&s->take, p);
	else if (!take_new(s, p, now)) {
		take_rest(&s->take, p);
		if (tasks_list(p))
			take_new(s, p, now);
	}
	take_rest(&s->take, p);
	if (!p->looked && now - p->target.looked >= LOOK_NS)
		look_at_memory(s, p);
	return true;
}

bool
sampler_round(struct sampler *s)
{
	const uint64_t now = tasks_now();
	size_t i, kept = 0;

	hold_begin(s->take.holder);
	for (i = 0; i < s->n && !s->take.options.consistent; i++)
		look_at_some(s, s->task[i], 0, now);
	hold_late(s->take.holder);
	for (i = 0; i < s->n; i++) {
		if (round_of(s, s->task[i], now))
			s->task[kept++] = s->task[i];
		else
			tasks_free(s->task[i]);
	}
	s->n = kept;
	return kept > 0;
}
