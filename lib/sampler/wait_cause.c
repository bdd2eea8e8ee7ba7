/* wait_cause.c - what a blocked thread waits for, as far as /proc and its
 * memory show it. */
#include "sampler/wait_cause.h"

#include "base/utf8.h"
#include "os/clock.h"
#include "sampler/capture_memory.h"
#include "sampler/futex_owner.h"
#include "sampler/live_threads.h"
#include "sampler/procfile.h"
#include "sampler/thread_call.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The process of a thread that waits for a futex. */
struct futex_process {
	const struct live_threads *l;
	int64_t tid;
};

void
wait_cause_free(struct wait_cause *c)
{
	buf_free(&c->file);
}

bool
wait_cause_is_known(const struct wait_cause *c,
		    const struct thread_state *state)
{
	return c->is_known && c->run_count == state->run_count;
}

/* Locks. */

static size_t
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	const struct futex_process *p = arg;

	return live_process_read(p->tid, address, to, n);
}

static bool
has_thread(void *arg, int64_t tid)
{
	const struct futex_process *p = arg;

	return live_threads_find_inner(p->l, tid) != NULL;
}

static bool
has_glibc(const struct live_process *p)
{
	struct str name;
	size_t i;

	for (i = 0; i < p->maps.n; i++) {
		name = str_basename(p->maps.map[i].path);
		if (str_eq(name, STR("libc.so.6")) ||
		    str_starts(name, STR("libc-2.")))
			return true;
	}
	return false;
}

static void
find_owner(struct live_threads *l, struct live_thread *t,
	   const struct proc_call *call)
{
	struct futex_process process = { l, t->files.tid };
	const struct futex_target target = { .tid = live_threads_inner_tid(t),
					     .is_glibc = has_glibc(&l->process),
					     .read = read_memory,
					     .has_thread = has_thread,
					     .arg = &process };
	const struct futex_wait wait = futex_owner_find(&target, call);
	const struct live_thread *owner =
	    wait.owner == 0 ? NULL : live_threads_find_inner(l, wait.owner);

	t->cause.owner = owner == NULL ? 0 : owner->files.tid;
	t->cause.label = wait.kind == FUTEX_UNKNOWN ? "" :
			 wait.kind == FUTEX_JOIN    ? "join" :
						      "lock";
}

/* The lock of an interpreter is of several words, which the runtime knows. */
static void
find_interpreter(const struct live_threads *l, struct live_thread *t)
{
	const struct live_thread *owner = capture_memory_lock_owner(l, t);

	if (owner != NULL && owner != t)
		t->cause.owner = owner->files.tid;
}

/* A runtime knows more of a wait than the futex that it is made of. */
static bool
find_wait(const struct live_threads *l, struct live_thread *t)
{
	static const struct {
		const char *label, *call;
	} words[] = { [INTERP_WAIT_MONITOR] = { "lock", NULL },
		      [INTERP_WAIT_NOTIFY] = { "object-wait", "Object.wait" },
		      [INTERP_WAIT_PARK] = { "park", "LockSupport.park" },
		      [INTERP_WAIT_SLEEP] = { "sleep", "Thread.sleep" } };
	struct wait_cause *c = &t->cause;
	struct interp_wait wait = { .owner = 0 };
	const struct live_thread *owner = capture_memory_find_wait(l, t, &wait);

	utf8_escape(&c->file, buf_slice(&wait.object));
	buf_free(&wait.object);
	if (wait.kind == INTERP_WAIT_UNKNOWN)
		return false;
	c->label = words[wait.kind].label;
	c->call = words[wait.kind].call;
	if (owner == NULL || owner == t)
		return true;
	c->owner = owner->files.tid;
	c->label = "lock";
	return true;
}

/* Disks. */

/* Whether the first argument of a system call is a file. */
static bool
takes_file(struct str call)
{
	static const char *const names[] = {
		"read",      "write",     "pread64",    "pwrite64",
		"readv",     "writev",    "preadv",     "pwritev",
		"preadv2",   "pwritev2",  "fsync",      "fdatasync",
		"fallocate", "ftruncate", "getdents64", "sync_file_range",
		"syncfs",    "lseek"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_eq(call, str_of(names[i])))
			return true;
	}
	return false;
}

static void
find_file(struct live_thread *t, uint64_t fd)
{
	char path[96], link[512];
	ssize_t n;

	snprintf(path, sizeof(path),
		 "/proc/%" PRId64 "/task/%" PRId64 "/fd/%" PRIu64, t->files.pid,
		 t->files.tid, fd);
	n = readlink(path, link, sizeof(link));
	if (n > 0)
		utf8_escape(&t->cause.file, (struct str){ link, (size_t)n });
}

/* A thread that no signal can wake: it waits for a disk, or in vfork(2). */
static const char *
find_disk(const struct arch *arch, struct live_thread *t,
	  const struct proc_call *call)
{
	const struct str name = thread_call_name(arch, t, call);
	const struct str kernel = buf_slice(&t->wchan);

	if (takes_file(name)) {
		find_file(t, call->arg[0]);
		return "";
	}
	if (str_eq(name, STR("vfork")) || str_starts(name, STR("clone")))
		return "";
	if (str_starts(kernel, STR("rwsem_")) ||
	    str_starts(kernel, STR("down_")))
		return "kernel-lock";
	return "disk";
}

static void
find_futex(struct live_threads *l, struct live_thread *t,
	   const struct proc_call *call)
{
	if (!find_wait(l, t))
		find_owner(l, t, call);
}

/* What the system call alone does not say. */
static void
find_cause(struct live_threads *l, struct live_thread *t,
	   const struct proc_call *call)
{
	struct wait_cause *c = &t->cause;
	const struct arch *arch = l->process.arch;

	c->label = "";
	c->call = NULL;
	c->owner = 0;
	c->file.len = 0;
	if (t->state == 'T')
		c->label = "stopped";
	else if (t->state == 't')
		c->label = "traced";
	else if (t->state == 'D')
		c->label = find_disk(arch, t, call);
	else if (t->cache.frames.lock == INTERP_LOCK_WAITS)
		find_interpreter(l, t);
	else if (arch == arch_host() &&
		 str_eq(thread_call_name(arch, t, call), STR("futex")))
		find_futex(l, t, call);
}

/*
 * Find the cause of the wait in a state.  False if the thread has run since:
 * what was read may be of another wait.
 */
static bool
find_checked(struct live_threads *l, struct live_thread *t,
	     enum thread_state_counter counter,
	     const struct thread_state *state)
{
	find_cause(l, t, &state->call);
	return (t->cause.label[0] == '\0' && t->cause.file.len == 0) ||
	       thread_state_unchanged(&t->files, counter, state);
}

/*
 * Whether a thread waits in the same call again, as it does after it was
 * stopped for a copy.
 */
static bool
waits_again(struct live_thread *t, enum thread_state_counter counter,
	    const struct thread_state *state, struct thread_state *now)
{
	return thread_state_read(&t->files, counter, now) &&
	       !now->call.running && now->call.number == state->call.number &&
	       now->call.sp == state->call.sp &&
	       memcmp(now->call.arg, state->call.arg, sizeof(now->call.arg)) ==
		   0;
}

void
wait_cause_update(struct live_threads *l, struct live_thread *t,
		  enum thread_state_counter counter,
		  const struct thread_state *state)
{
	struct wait_cause *c = &t->cause;
	const bool same = wait_cause_is_known(c, state) && c->state == t->state;
	struct thread_state now;

	if (same && c->owner == 0)
		return;
	if (!same)
		c->since = clock_ns(CLOCK_MONOTONIC);
	c->run_count = state->run_count;
	c->state = t->state;
	c->is_known = find_checked(l, t, counter, state) ||
		      (waits_again(t, counter, state, &now) &&
		       find_checked(l, t, counter, &now));
	if (c->is_known)
		return;
	if (t->state != 'T' && t->state != 't')
		c->label = "";
	c->call = NULL;
	c->owner = 0;
	c->file.len = 0;
}
