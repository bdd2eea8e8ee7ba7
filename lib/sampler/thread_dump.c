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
	int64_t tid;
	struct buf name;
};

/* Threads of a process with the same stack. */
struct dump_group {
	int64_t pid;
	bool runs;
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
	buf_printf(&d->key, "%" PRId64 "\n", s->pid);
	buf_str(&d->key, buf_slice(&d->stack));
	HASH_FIND(hh, d->groups, d->key.p, d->key.len, g);
	if (g != NULL)
		return g;
	g = mem_zero(1, sizeof(*g));
	g->pid = s->pid;
	g->runs = s->state == 'R';
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
	utf8_escape(&t->name, s->name);
}

/* By process; threads that run, then large groups, then the oldest thread. */
static int
by_importance(const struct dump_group *a, const struct dump_group *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->runs != b->runs)
		return a->runs ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->thread[0].tid < b->thread[0].tid ? -1 : 1;
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

/* Write "2 threads, futex: worker 12, worker 13". */
static void
write_threads(const struct dump_group *g, struct str state)
{
	const size_t named = g->n > MAX_NAMED ? MAX_NAMED : g->n;
	size_t i;

	printf("\n%zu thread%s, %.*s:", g->n, str_plural(g->n, "", "s"),
	       (int)state.len, state.p);
	for (i = 0; i < named; i++) {
		fputs(i > 0 ? ", " : " ", stdout);
		buf_write(&g->thread[i].name, stdout);
		printf(" %" PRId64, g->thread[i].tid);
	}
	if (g->n > named)
		printf(" and %zu more", g->n - named);
	putchar('\n');
}

static void
write_group(const struct dump_group *g)
{
	struct str rest = buf_slice(&g->stack), frame = str_cut(&rest, '\n');

	if (str_starts(frame, STR("state:")))
		frame = str_skip(frame, strlen("state:"));
	write_threads(g, frame);
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
