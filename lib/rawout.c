/* rawout.c - what a sampler takes, written as raw traces. */
#include "rawout.h"

#include "mem.h"
#include "stacktrace.h"

#include <stdlib.h>
#include <sys/utsname.h>

/* Code that was told of, and is there yet. */
struct told {
	int64_t pid;
	uint64_t start, end;
	uint32_t name;
};

struct rawout {
	struct buf text; /* of a round */
	struct jitnow *jit;
	struct told *told; /* sorted, and none overlaps another */
	size_t n, cap;
};

struct rawout *
rawout_new(double hz, struct jitnow *jit)
{
	struct rawout *o = mem_zero(1, sizeof(*o));
	struct meta m = { 0 };
	struct utsname u;
	char number[32];

	snprintf(number, sizeof(number), "%g", hz);
	meta_set(&m, "clock", STR("monotonic"));
	meta_set(&m, "hz", str_of(number));
	if (uname(&u) == 0) {
		meta_set(&m, "arch", str_of(u.machine));
		meta_set(&m, "release", str_of(u.release));
		meta_set(&m, "host", str_of(u.nodename));
	}
	o->jit = jit;
	stacktrace_print_header(&o->text, &m);
	meta_free(&m);
	return o;
}

void
rawout_free(struct rawout *o)
{
	if (o == NULL)
		return;
	buf_free(&o->text);
	free(o->told);
	free(o);
}

/* Code of JITs. */

/* The first of what was told that ends behind an address of a process. */
static size_t
find_told(const struct rawout *o, int64_t pid, uint64_t address)
{
	size_t low = 0, high = o->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (o->told[mid].pid < pid ||
		    (o->told[mid].pid == pid && o->told[mid].end <= address))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A process that executes another program has none of it any more. */
static void
forget_told(struct rawout *o, int64_t pid)
{
	const size_t begin = find_told(o, pid, 0);
	const size_t end = find_told(o, pid + 1, 0);

	if (end > begin)
		memmove(&o->told[begin], &o->told[end],
			(o->n - end) * sizeof(*o->told));
	o->n -= end - begin;
}

/* Keep that code was told of, instead of all it overlaps; false if it was. */
static bool
keep_told(struct rawout *o, const struct told *code)
{
	const size_t i = find_told(o, code->pid, code->start);
	size_t end = i;

	while (end < o->n && o->told[end].pid == code->pid &&
	       o->told[end].start < code->end)
		end++;
	if (end == i + 1 && o->told[i].start == code->start &&
	    o->told[i].end == code->end && o->told[i].name == code->name)
		return false;
	o->told = mem_grow(o->told, &o->cap, o->n + 1, sizeof(*o->told));
	memmove(&o->told[i + 1], &o->told[end],
		(o->n - end) * sizeof(*o->told));
	o->told[i] = *code;
	o->n = o->n + 1 - (end - i);
	return true;
}

static void
tell_code(struct rawout *o, int64_t pid, const struct jit_symbol *code)
{
	const struct told told = { pid, code->start, code->end, code->number };
	const struct stacktrace line = { .kind = STACKTRACE_CODE,
					 .pid = pid,
					 .start = code->start,
					 .end = code->end,
					 .name = code->name };

	if (code->end > code->start && keep_told(o, &told))
		stacktrace_print(&o->text, &line);
}

/* Lines. */

void
rawout_process(void *arg, const struct target *t)
{
	struct rawout *o = arg;
	const struct stacktrace line = { .kind = STACKTRACE_PROCESS,
					 .pid = t->pid,
					 .start = t->start,
					 .name = buf_slice(&t->name) };

	forget_told(o, t->pid);
	stacktrace_print(&o->text, &line);
}

void
rawout_map(void *arg, const struct target *t, const struct proc_map *m,
	   struct str build_id)
{
	struct rawout *o = arg;
	const struct stacktrace line = { .kind = STACKTRACE_MAP,
					 .pid = t->pid,
					 .start = m->start,
					 .end = m->end,
					 .offset = m->offset,
					 .prot = m->prot,
					 .build_id = build_id,
					 .name = m->path };

	stacktrace_print(&o->text, &line);
}

/* The addresses of a stack, behind what there is to tell of its code. */
static void
print_stack(struct rawout *o, const struct sampled *s)
{
	const struct unwind_frame *f;
	struct jit_symbol code;
	size_t i;

	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		stacktrace_address(s->note, f->pc);
		if (jitnow_find(o->jit, s->pid, s->time, f->pc - !f->exact,
				&code))
			tell_code(o, s->pid, &code);
	}
}

void
rawout_sample(struct rawout *o, const struct sampled *s)
{
	struct stacktrace line = { .kind = STACKTRACE_SAMPLE,
				   .pid = s->pid,
				   .tid = s->tid,
				   .time = s->time,
				   .state = s->state,
				   .call = s->call,
				   .wchan = s->wchan,
				   .name = s->name,
				   .truncated = s->truncated,
				   .moving = s->moving };

	if (s->note->len == 0)
		print_stack(o, s);
	line.stack = buf_slice(s->note);
	stacktrace_print(&o->text, &line);
}

void
rawout_round(struct rawout *o, bool last)
{
	struct jitnow_place place;
	struct jit_symbol code;

	while (jitnow_late(o->jit, &place, &code))
		tell_code(o, place.pid, &code);
	if (!last)
		buf_char(&o->text, '\n');
	buf_write(&o->text, stdout);
	fflush(stdout);
}
