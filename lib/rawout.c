/* rawout.c - what a sampler takes, written as raw traces. */
#include "rawout.h"

#include "mem.h"
#include "stacktrace.h"

#include <stdlib.h>
#include <sys/utsname.h>

struct rawout {
	struct buf text; /* of a round */
};

struct rawout *
rawout_new(double hz)
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
	free(o);
}

void
rawout_process(void *arg, const struct target *t)
{
	struct rawout *o = arg;
	const struct stacktrace line = { .kind = STACKTRACE_PROCESS,
					 .pid = t->pid,
					 .start = t->start,
					 .name = buf_slice(&t->name) };

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
	size_t i;

	if (s->note->len == 0) {
		for (i = 0; i < s->n; i++)
			stacktrace_address(s->note, s->frame[i].pc);
	}
	line.stack = buf_slice(s->note);
	stacktrace_print(&o->text, &line);
}

void
rawout_round(struct rawout *o)
{
	buf_char(&o->text, '\n');
	buf_write(&o->text, stdout);
	fflush(stdout);
}
