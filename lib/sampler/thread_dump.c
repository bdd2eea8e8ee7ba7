/* thread_dump.c - all threads once, those with equal stacks together. */
#include "sampler/thread_dump.h"

#include "base/table.h"
#include "base/utf8.h"
#include "sampler/procfile.h"

#include <inttypes.h>
#include <stdio.h>

/* Threads of a group that are named; bytes of a command line. */
enum { MAX_NAMED = 10, MAX_COMMAND = 200 };

struct dump_thread {
	int64_t tid; /* 0: it is a task */
	struct buf name;
};

/* Threads, or tasks, of a process with the same stack. */
struct dump_group {
	int64_t pid;
	bool runs, tasks;
	struct buf stack; /* state and frames, leaf first, each ends with LF */
	struct buf key;   /* pid and stack */
	struct dump_thread *thread;
	size_t n, cap;
	UT_hash_handle hh;
};

struct thread_dump {
	struct dump_group *groups; /* by key */
	struct buf stack, key;     /* scratch */
};

struct thread_dump *
thread_dump_new(void)
{
	return mem_zero(1, sizeof(struct thread_dump));
}

void
thread_dump_clear(struct thread_dump *d)
{
	struct dump_group *g, *next;
	size_t i;

	HASH_ITER(hh, d->groups, g, next)
	{
		HASH_DEL(d->groups, g);
		for (i = 0; i < g->n; i++)
			buf_free(&g->thread[i].name);
		free(g->thread);
		buf_free(&g->stack);
		buf_free(&g->key);
		free(g);
	}
}

void
thread_dump_free(struct thread_dump *d)
{
	if (d == NULL)
		return;
	thread_dump_clear(d);
	buf_free(&d->stack);
	buf_free(&d->key);
	free(d);
}

static struct dump_group *
find_group(struct thread_dump *d, const struct thread_sample *s)
{
	struct dump_group *g;

	d->key.len = 0;
	buf_printf(&d->key, "%" PRId64 " %d\n", s->pid, s->is_task);
	buf_str(&d->key, buf_slice(&d->stack));
	HASH_FIND(hh, d->groups, d->key.p, d->key.len, g);
	if (g != NULL)
		return g;
	g = mem_zero(1, sizeof(*g));
	g->pid = s->pid;
	g->runs = s->state == 'R';
	g->tasks = s->is_task;
	buf_str(&g->stack, buf_slice(&d->stack));
	buf_str(&g->key, buf_slice(&d->key));
	HASH_ADD_KEYPTR(hh, d->groups, g->key.p, g->key.len, g);
	return g;
}

void
thread_dump_add(struct thread_dump *d, const struct thread_sample *s,
		const struct intern *names, const uint32_t *id, size_t n)
{
	struct dump_group *g;
	struct dump_thread *t;
	size_t i;

	d->stack.len = 0;
	for (i = 0; i < n; i++) {
		buf_str(&d->stack, intern_name(names, id[i]));
		buf_char(&d->stack, '\n');
	}
	if (s->truncated)
		buf_str(&d->stack, STR("[truncated]\n"));
	g = find_group(d, s);
	g->thread = mem_grow(g->thread, &g->cap, g->n + 1, sizeof(*t));
	t = &g->thread[g->n++];
	*t = (struct dump_thread){ .tid = s->tid };
	utf8_escape(&t->name, s->is_task ? s->task : s->name);
}

/*
 * By process; threads that run, other threads, and tasks; large groups, then
 * the oldest thread.
 */
static int
by_importance(const struct dump_group *a, const struct dump_group *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->runs != b->runs)
		return a->runs ? -1 : 1;
	if (a->tasks != b->tasks)
		return b->tasks ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->thread[0].tid != b->thread[0].tid)
		return a->thread[0].tid < b->thread[0].tid ? -1 : 1;
	return str_cmp(buf_slice(&a->stack), buf_slice(&b->stack));
}

/* Write "Process 12: python3 server.py". */
static void
write_process(int64_t pid)
{
	struct buf text = { 0 }, clean = { 0 };
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/cmdline", pid);
	printf("Process %" PRId64, pid);
	if (procfile_read(&text, path) && text.len > 0) {
		for (i = 0; i < text.len; i++) {
			if (text.p[i] == '\0')
				text.p[i] = ' ';
		}
		if (text.len > MAX_COMMAND)
			text.len = MAX_COMMAND;
		utf8_escape(&clean, str_rtrim(buf_slice(&text)));
		fputs(": ", stdout);
		buf_write(&clean, stdout);
	}
	putchar('\n');
	buf_free(&text);
	buf_free(&clean);
}

/* Write lines in brackets, from the last one on: ", held by a 1, running". */
static void
write_holders(struct str lines)
{
	size_t start;

	while (lines.len > 2) {
		for (start = lines.len - 1;
		     start > 0 && lines.p[start - 1] != '\n'; start--)
			continue;
		printf(", %.*s", (int)(lines.len - start) - 3,
		       lines.p + start + 1);
		lines.len = start;
	}
}

/* Write ": b 2, c 3"; tasks may have no name, and threads have an id as well.
 */
static void
write_names(const struct dump_group *g)
{
	size_t i, named = 0;

	for (i = 0; i < g->n && named < MAX_NAMED; i++) {
		if (g->tasks && g->thread[i].name.len == 0)
			continue;
		fputs(named++ > 0 ? ", " : ": ", stdout);
		buf_write(&g->thread[i].name, stdout);
		if (!g->tasks)
			printf(" %" PRId64, g->thread[i].tid);
	}
	if (named > 0 && g->n > named)
		printf(" and %zu more", g->n - named);
}

/*
 * Write "2 threads, lock, held by a 1, running: b 2, c 3".  What stands before
 * the state, leaf first, is who has the lock, in brackets.
 */
static void
write_threads(const struct dump_group *g, struct str before, struct str state)
{
	printf("\n%zu %s%s, %.*s", g->n, g->tasks ? "task" : "thread",
	       str_plural(g->n, "", "s"), (int)state.len, state.p);
	write_holders(before);
	write_names(g);
	putchar('\n');
}

static void
write_group(const struct dump_group *g)
{
	const struct str state = STR("state:");
	struct str rest = buf_slice(&g->stack), before = rest, frame;

	do {
		before.len = (size_t)(rest.p - before.p);
		frame = str_cut(&rest, '\n');
	} while (!str_starts(frame, state) && rest.len > 0);
	write_threads(g, before, str_skip(frame, state.len));
	while (rest.len > 0) {
		frame = str_cut(&rest, '\n');
		printf("    %.*s\n", (int)frame.len, frame.p);
	}
}

void
thread_dump_write(struct thread_dump *d)
{
	const struct dump_group *g;
	int64_t pid = -1;

	HASH_SORT(d->groups, by_importance);
	for (g = d->groups; g != NULL; g = g->hh.next) {
		if (g->pid != pid) {
			if (pid != -1)
				putchar('\n');
			write_process(g->pid);
		}
		pid = g->pid;
		write_group(g);
	}
	fflush(stdout);
}
