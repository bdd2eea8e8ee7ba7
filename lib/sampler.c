/* sampler.c - the stacks of all threads of processes that run. */
#include "sampler.h"

#include "hold.h"
#include "mem.h"
#include "stackof.h"
#include "tasks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The memory of a process is looked at so often, if nothing says more. */
#define LOOK_NS 1000000000

struct sampler {
	struct sampler_options options;
	struct processes *processes;
	struct build_ids *ids;
	struct holder *holder;
	struct stackof *stacks;
	enum look_count count;
	struct tasks **task; /* of each process */
	size_t n, cap;
	struct held_thread held;
	struct buf copy;
	struct sampler_counts counts;
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
	s->options = *options;
	s->processes = processes;
	s->ids = build_ids_new();
	s->holder = holder_new();
	s->stacks = stackof_new(r);
	s->count = look_count();
	s->counts.untrusted = s->count == LOOK_NONE;
	return s;
}

void
sampler_free(struct sampler *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		tasks_free(s->task[i]);
	free(s->task);
	build_ids_free(s->ids);
	holder_free(s->holder);
	stackof_free(s->stacks);
	buf_free(&s->held.stack);
	buf_free(&s->copy);
	free(s);
}

void
sampler_signalled(struct sampler *s)
{
	hold_late(s->holder);
}

struct sampler_counts
sampler_counts(const struct sampler *s)
{
	struct sampler_counts c = s->counts;

	c.stops = hold_count(s->holder);
	c.interrupts = hold_interrupts(s->holder);
	return c;
}

/* Memory. */

static void
look_at_memory(struct sampler *s, struct tasks *p, int64_t tid)
{
	p->looked = true;
	target_look(&p->target, tid, s->processes, s->ids, &s->options.news,
		    tasks_now());
}

/* Once a round, look for memory that we have not seen yet. */
static void
know(struct sampler *s, struct tasks *p, int64_t tid, uint64_t sp, uint64_t pc)
{
	const struct proc_map *m = target_map(&p->target, pc);

	if (p->looked || (target_map(&p->target, sp) != NULL && m != NULL &&
			  proctext_is_code(m)))
		return;
	look_at_memory(s, p, tid);
}

/* How much of the stack there is, from the stack pointer on. */
struct stack_size {
	const struct target *target;
	size_t most;
};

static size_t
stack_size(void *arg, uint64_t sp)
{
	const struct stack_size *size = arg;
	const struct proc_map *m = target_map(size->target, sp);
	const uint64_t unknown = 16384;
	uint64_t n = m == NULL ? unknown : m->end - sp;

	return n > size->most ? size->most : (size_t)n;
}

/* Samples. */

static void
emit(struct sampler *s, const struct tasks *p, const struct task *t,
     const struct look *look, const struct stack_frames *f)
{
	const struct sampled sampled = {
		.time = t->time,
		.pid = p->target.pid,
		.tid = t->files.tid,
		.state = look->call.running ? 'R' : t->state,
		.call = look->call.running ? STR("") :
					     tasks_call(look->call.number),
		.wchan = look->call.running ? STR("") : buf_slice(&t->wchan),
		.name = buf_slice(&t->name),
		.frame = f->frame,
		.n = f->n,
		.truncated = f->truncated,
		.moving = f->moving
	};

	s->counts.threads++;
	s->counts.blocked += !look->call.running;
	s->counts.moving += f->moving;
	s->counts.truncated += f->truncated;
	s->options.sample(s->options.arg, &sampled);
}

/* Nothing is known but that it was there. */
static void
emit_nothing(struct sampler *s, const struct tasks *p, const struct task *t,
	     const struct look *look)
{
	const struct stack_frames nothing = { .moving = true };

	emit(s, p, t, look, &nothing);
}

/* Whether a thread is a process of this machine that we can unwind. */
static void
note_end(struct sampler *s, enum hold_end end)
{
	s->counts.late += end == HOLD_LATE;
	s->counts.denied += end == HOLD_DENIED;
	s->counts.foreign += end == HOLD_FOREIGN;
}

/* The frames of a thread that is not held any more, as it was then. */
static void
unwind_held(struct sampler *s, struct tasks *p, struct task *t,
	    const struct held_thread *held)
{
	struct stack_copy copy = { .target = &p->target,
				   .tid = t->files.tid,
				   .registers = held->registers.unwind,
				   .sp = held->registers.sp,
				   .bytes = buf_slice(&held->stack) };

	know(s, p, t->files.tid, held->registers.sp, held->registers.pc);
	stackof_unwind(s->stacks, &copy, &t->frames);
	if (!t->frames.lost || p->looked)
		return;
	look_at_memory(s, p, t->files.tid);
	stackof_unwind(s->stacks, &copy, &t->frames);
}

static enum hold_end
hold(struct sampler *s, const struct tasks *p, const struct task *t,
     const struct look *look)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	enum hold_end end;

	end = hold_thread(s->holder, t->files.tid, &extent, &s->held);
	note_end(s, end);
	s->counts.stopped_blocked += end == HOLD_DONE && !look->call.running;
	return end;
}

/* A thread that runs, or has moved while it was looked at. */
static void
take_moving(struct sampler *s, struct tasks *p, struct task *t,
	    const struct look *look)
{
	enum hold_end end;

	t->standing = false;
	end = s->options.no_stop ? HOLD_DENIED : hold(s, p, t, look);
	if (end == HOLD_GONE)
		return;
	if (end != HOLD_DONE) {
		emit_nothing(s, p, t, look);
		return;
	}
	unwind_held(s, p, t, &s->held);
	t->frames.moving = !look->call.running || s->held.registers.waited;
	buf_free(&t->kept);
	tasks_describe(t);
	emit(s, p, t, look, &t->frames);
}

/*
 * It did not stand still.  The copy is not tried again: what waits briefly
 * would be missing.
 */
static void
take_moved(struct sampler *s, struct tasks *p, struct task *t,
	   const struct look *first)
{
	struct look look;

	t->standing = false;
	if (!look_at(&t->files, s->count, &look))
		return;
	if (look.call.running || tasks_restarts(t, &look.call))
		take_moving(s, p, t, first);
	else
		emit_nothing(s, p, t, first);
}

/* Blocked threads. */

static bool
is_kept(const struct task *t, const struct proc_call *call,
	const struct buf *copy)
{
	return t->kept.len > 0 && t->kept_sp == call->sp &&
	       t->kept_pc == call->pc &&
	       str_eq(buf_slice(&t->kept), buf_slice(copy));
}

/*
 * Registers are missing: stop it, where that does it no harm.  What was
 * found so is kept for as long as its stack has the same bytes.
 */
static void
complete(struct sampler *s, struct tasks *p, struct task *t,
	 const struct look *look)
{
	struct stack_frames prefix = { 0 };

	tasks_describe(t);
	if (s->options.no_stop || !tasks_restarts(t, &look->call) ||
	    hold(s, p, t, look) != HOLD_DONE ||
	    s->held.registers.sp != look->call.sp ||
	    s->held.registers.pc != look->call.pc)
		return;
	stackof_copy(&prefix, &t->frames);
	unwind_held(s, p, t, &s->held);
	t->standing = false;
	t->kept.len = 0;
	buf_str(&t->kept, buf_slice(&s->held.stack));
	t->kept_sp = look->call.sp;
	t->kept_pc = look->call.pc;
	if (t->frames.n < prefix.n)
		stackof_copy(&t->frames, &prefix);
	free(prefix.frame);
}

static void
take_blocked(struct sampler *s, struct tasks *p, struct task *t,
	     const struct look *look)
{
	struct stack_size size = { &p->target, s->options.stack };
	struct stack_copy copy = { .target = &p->target,
				   .tid = t->files.tid,
				   .sp = look->call.sp,
				   .live = true };
	size_t n;

	if (t->standing && t->runs == look->runs) {
		emit(s, p, t, look, &t->frames);
		return;
	}
	know(s, p, t->files.tid, look->call.sp, look->call.pc);
	n = stack_size(&size, look->call.sp);
	s->copy.len = 0;
	buf_reserve(&s->copy, n);
	s->copy.len = hold_read(t->files.tid, look->call.sp, s->copy.p, n);
	if (!look_again(&t->files, s->count, look)) {
		take_moved(s, p, t, look);
		return;
	}
	t->standing = true;
	t->runs = look->runs;
	if (!is_kept(t, &look->call, &s->copy)) {
		copy.registers = registers_at(look->call.sp, look->call.pc);
		copy.bytes = buf_slice(&s->copy);
		t->kept.len = 0;
		stackof_unwind(s->stacks, &copy, &t->frames);
		if (t->frames.used_live &&
		    !look_again(&t->files, s->count, look)) {
			take_moved(s, p, t, look);
			return;
		}
		if (t->frames.lost)
			complete(s, p, t, look);
	}
	tasks_describe(t);
	emit(s, p, t, look, &t->frames);
}

static void
take(struct sampler *s, struct tasks *p, struct task *t)
{
	const enum sampler_which which = s->options.which;
	struct look look;

	if (s->options.wants != NULL &&
	    !s->options.wants(s->options.arg, buf_slice(&t->name)))
		return;
	t->time = tasks_now();
	if (!look_at(&t->files, s->count, &look)) {
		s->counts.denied += errno == EPERM || errno == EACCES;
		t->gone = true;
		return;
	}
	if (look.call.running ? which == SAMPLER_BLOCKED :
				which == SAMPLER_RUNNING)
		return;
	/* What has ended, but is not waited for, has no stack. */
	if (!look.call.running && look.call.sp == 0)
		return;
	if (look.call.running || s->count == LOOK_NONE)
		take_moving(s, p, t, &look);
	else
		take_blocked(s, p, t, &look);
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
	ok = look_at(&files, s->count, &look);
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
			   "user or root, or have CAP_SYS_PTRACE; a value "
			   "above 0 in /proc/sys/kernel/yama/ptrace_scope, "
			   "too, allows it to these only",
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

/* Stop all threads together, so that their stacks are of one moment. */
static void
take_together(struct sampler *s, struct tasks *p)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	struct hold_request *request = mem_zero(p->n + 1, sizeof(*request));
	struct held_thread *held = mem_zero(p->n + 1, sizeof(*held));
	struct look *look = mem_zero(p->n + 1, sizeof(*look));
	size_t i;

	for (i = 0; i < p->n; i++) {
		p->task[i]->time = tasks_now();
		look_at(&p->task[i]->files, s->count, &look[i]);
		request[i].tid = p->task[i]->files.tid;
		request[i].thread = &held[i];
	}
	hold_threads(s->holder, &extent, request, p->n);
	for (i = 0; i < p->n; i++) {
		note_end(s, request[i].end);
		if (request[i].end == HOLD_DONE) {
			unwind_held(s, p, p->task[i], &held[i]);
			tasks_describe(p->task[i]);
			emit(s, p, p->task[i], &look[i], &p->task[i]->frames);
		} else if (request[i].end != HOLD_GONE) {
			emit_nothing(s, p, p->task[i], &look[i]);
		}
		buf_free(&held[i].stack);
	}
	free(request);
	free(held);
	free(look);
}

static bool
round_of(struct sampler *s, struct tasks *p)
{
	uint64_t now = tasks_now();
	size_t i;

	if (!target_check(&p->target, s->processes, &s->options.news, now) ||
	    !tasks_list(p))
		return false;
	p->looked = false;
	if (p->n > 0 && now - p->target.looked >= LOOK_NS)
		look_at_memory(s, p, p->task[p->n - 1]->files.tid);
	if (s->options.consistent)
		take_together(s, p);
	for (i = 0; !s->options.consistent && i < p->n; i++)
		take(s, p, p->task[i]);
	return true;
}

bool
sampler_round(struct sampler *s)
{
	size_t i, kept = 0;

	hold_late(s->holder);
	for (i = 0; i < s->n; i++) {
		if (round_of(s, s->task[i]))
			s->task[kept++] = s->task[i];
		else
			tasks_free(s->task[i]);
	}
	s->n = kept;
	return kept > 0;
}
