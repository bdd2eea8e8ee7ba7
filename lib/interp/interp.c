/* interp.c - the interpreter in a running process, and the frames of its
 * threads. */
#include "interp/interp.h"

#include "base/mem.h"
#include "interp/cpython.h"
#include "interp/interp_language.h"
#include "interp/interp_maps.h"
#include "interp/interp_tls.h"
#include "interp/lua.h"
#include "interp/perl.h"
#include "interp/php.h"
#include "interp/ruby.h"
#include "interp/v8.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct interp_language *const languages[] = {
	&cpython_language, &ruby_language, &php_language,        &perl_language,
	&lua_language,     &v8_language,   &interp_maps_language
};

/* A list is good for this long, in ns. */
#define LIST_NS 5000000

enum { LANGUAGES = sizeof(languages) / sizeof(*languages) };

/* The file of a runtime; the same file elsewhere is another one. */
struct interp_file {
	uint64_t start, inode;
};

struct interp {
	const struct interp_language *language; /* NULL: there is none */
	void *runtime;
	struct interp_file file;   /* the runtime's, or the last one searched */
	struct interp_list list;   /* sorted by tid */
	struct interp_copy memory; /* for lists */
	uint64_t list_time;        /* when it was read, in ns */
	uint32_t tid_offset;       /* interp_tls_tid_offset(), for root() */
};

struct interp *
interp_new(void)
{
	return mem_zero(1, sizeof(struct interp));
}

static void
close_runtime(struct interp *p)
{
	if (p->language != NULL)
		p->language->close(p->runtime);
	p->language = NULL;
	p->runtime = NULL;
	p->list.n = 0;
	p->list_time = 0;
	p->tid_offset = 0;
}

void
interp_free(struct interp *p)
{
	if (p == NULL)
		return;
	close_runtime(p);
	free(p->list.thread);
	interp_copy_free(&p->memory);
	free(p);
}

void
interp_free_thread(struct interp_thread *t)
{
	interp_copy_free_spans(&t->spans);
	buf_free(&t->name);
}

bool
interp_is_active(const struct interp *p)
{
	return p->language != NULL;
}

const struct interp_ranges *
interp_loops(const struct interp *p)
{
	return p->language == NULL ? NULL : p->language->loops(p->runtime);
}

const struct interp_jit *
interp_jit_find(const struct interp *p, uint64_t address)
{
	const struct interp_jit *jit;

	if (p == NULL || p->language == NULL || p->language->jit == NULL)
		return NULL;
	jit = p->language->jit(p->runtime);
	return jit != NULL && address >= jit->code.start &&
		       address < jit->code.end ?
		   jit :
		   NULL;
}

/* Finding the runtime. */

static struct str
program_path(int64_t pid, char *buffer, size_t n)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%lld/exe", (long long)pid);
	len = readlink(link, buffer, n);
	return (struct str){ buffer, len < 0 ? 0 : (size_t)len };
}

/* Whether mapping i is the first one of a file that may have a runtime. */
static bool
may_have(const struct interp_target *target, size_t i,
	 const struct interp_language *l, struct str program)
{
	const struct proc_map *m = &target->map[i];

	return m->offset == 0 && m->inode != 0 && m->path.len > 0 &&
	       (i == 0 || !str_eq(m[-1].path, m->path)) &&
	       (l->may_be(interp_binary_name(m->path)) ||
		(program.len > 0 && str_eq(m->path, program)));
}

/* Try a file; false if it has no runtime that we know. */
static bool
try(struct interp *p, const struct interp_target *target, size_t map,
    const struct interp_language *l, const struct interp_reader *reader,
    struct buf *why)
{
	const size_t before = why->len;

	p->runtime = l->open(target, map, reader, why);
	if (p->runtime != NULL)
		p->language = l;
	return p->runtime != NULL || why->len > before;
}

/* A number that changes with the files that may have a runtime. */
static struct interp_file
fingerprint(const struct interp_target *target, struct str program)
{
	struct interp_file f = { 0 };
	size_t i, j;

	for (i = 0; i < target->n; i++) {
		for (j = 0; j < LANGUAGES; j++) {
			if (!may_have(target, i, languages[j], program))
				continue;
			f.start = f.start * 31 + target->map[i].start;
			f.inode = f.inode * 31 + target->map[i].inode;
		}
	}
	return f;
}

void
interp_update(struct interp *p, const struct interp_target *target,
	      const struct interp_reader *reader, struct buf *why)
{
	char path[4096];
	const struct str program = program_path(target->pid, path,
						sizeof(path));
	const struct interp_file f = fingerprint(target, program);
	size_t i, j;

	if (f.start == p->file.start && f.inode == p->file.inode)
		return;
	close_runtime(p);
	p->file = f;
	/* A library first: the program may only be its caller. */
	for (i = target->n; i > 0; i--) {
		for (j = 0; j < LANGUAGES; j++) {
			if (may_have(target, i - 1, languages[j], program) &&
			    try(p, target, i - 1, languages[j], reader, why))
				return;
		}
	}
}

/* Threads. */

bool
interp_list_add(struct interp_list *l, int64_t tid, uint64_t block, uint64_t id)
{
	if (l->n == INTERP_LIST_MAX)
		return false;
	l->thread = mem_grow(l->thread, &l->cap, l->n + 1, sizeof(*l->thread));
	l->thread[l->n++] = (struct interp_listed){ tid, block, id, 0 };
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct interp_listed *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void
read_list(struct interp *p, const struct interp_reader *reader,
	  size_t max_reads)
{
	p->list.n = 0;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->memory.max_reads = max_reads;
	p->language->list(p->runtime, &p->memory, &p->list);
	if (p->list.n > 1)
		qsort(p->list.thread, p->list.n, sizeof(*p->list.thread),
		      compare);
}

/* Find one thread in the list. */
static void
set_listed(const struct interp *p, struct interp_thread *t, int64_t tid)
{
	const struct interp_listed key = { .tid = tid };
	const struct interp_listed *found =
	    p->list.n == 0 ?
		NULL :
		bsearch(&key, p->list.thread, p->list.n, sizeof(key), compare);

	t->block = found == NULL ? 0 : found->block;
	t->id = found == NULL ? 0 : found->id;
	t->lock = found == NULL ? 0 : found->lock;
}

/* Let the runtime find the block of one thread. */
static void
set_root(struct interp *p, struct interp_thread *t,
	 const struct interp_reader *reader, const struct interp_moment *moment,
	 size_t max_reads)
{
	struct interp_listed thread = { .tid = reader->tid };

	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->memory.moment = *moment;
	p->memory.max_reads = max_reads;
	p->language->root(p->runtime, &p->memory, &thread);
	t->block = thread.block;
	t->id = thread.id;
	t->lock = thread.lock;
}

static void
prepare_root(struct interp *p, struct interp_thread *t,
	     const struct interp_target *target,
	     const struct interp_reader *reader, uint64_t sp)
{
	struct interp_moment moment = { .sp = sp };

	if (p->tid_offset == 0)
		p->tid_offset = interp_tls_tid_offset(target, reader);
	if (t->pointer == 0)
		t->pointer = interp_tls_find(target, reader, p->tid_offset, sp);
	moment.thread_pointer = t->pointer;
	set_root(p, t, reader, &moment, INTERP_COPY_READS);
}

void
interp_prepare(struct interp *p, struct interp_thread *t,
	       const struct interp_target *target,
	       const struct interp_reader *reader, uint64_t sp, uint64_t now)
{
	const uint64_t longest = 1000000000, age = t->searched - t->first;

	if (p->language == NULL || t->block != 0 ||
	    (t->searched != 0 &&
	     now - t->searched < (age < longest ? age : longest)))
		return;
	if (t->first == 0)
		t->first = now;
	t->searched = now;
	if (p->language->root != NULL) {
		prepare_root(p, t, target, reader, sp);
		return;
	}
	/* Several threads of a round share a list. */
	if (p->list_time == 0 || now - p->list_time > LIST_NS) {
		read_list(p, reader, INTERP_COPY_READS);
		p->list_time = now;
	}
	set_listed(p, t, reader->tid);
}

/*
 * The block of a thread may have changed: a C thread gets a new one each time
 * it calls the runtime.
 */
static bool
walk_again(struct interp *p, struct interp_thread *t, struct interp_copy *copy,
	   struct interp_stack *s)
{
	const struct interp_reader reader = copy->reader;
	struct interp_listed listed = { .tid = reader.tid };

	if (p->language->root != NULL) {
		set_root(p, t, &reader, &copy->moment, INTERP_COPY_HELD);
	} else {
		read_list(p, &reader, INTERP_COPY_HELD);
		set_listed(p, t, reader.tid);
	}
	listed.block = t->block;
	listed.id = t->id;
	listed.lock = t->lock;
	return t->block != 0 && p->language->walk(p->runtime, copy, &listed, s);
}

void
interp_walk(struct interp *p, struct interp_thread *t, struct interp_copy *copy,
	    struct interp_stack *s)
{
	const struct interp_listed listed = { copy->reader.tid, t->block, t->id,
					      t->lock };

	interp_stack_clear(s);
	if (copy->moment.thread_pointer != 0)
		t->pointer = copy->moment.thread_pointer;
	copy->moment.thread_pointer = t->pointer;
	if (p->language == NULL || t->block == 0)
		return;
	copy->max_reads = INTERP_COPY_HELD;
	if (!p->language->walk(p->runtime, copy, &listed, s)) {
		interp_stack_clear(s);
		if (!walk_again(p, t, copy, s)) {
			interp_stack_clear(s);
			t->block = 0;
		}
	}
	interp_copy_end(copy, &t->spans);
}

void
interp_name(struct interp *p, const struct interp_reader *reader,
	    struct interp_functions *functions, struct interp_stack *s)
{
	if (p->language != NULL && s->n > 0)
		p->language->find_names(p->runtime, reader, functions, s);
}

void
interp_name_thread(struct interp *p, struct interp_thread *t,
		   const struct interp_reader *reader, uint64_t now)
{
	const uint64_t interval = 1000000000;
	const struct interp_listed thread = { reader->tid, t->block, t->id,
					      t->lock };

	if (p->language == NULL || p->language->thread_name == NULL ||
	    t->block == 0 ||
	    (t->name_time != 0 && now - t->name_time < interval))
		return;
	t->name_time = now;
	t->name.len = 0;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->language->thread_name(p->runtime, &p->memory, &thread, &t->name);
}
