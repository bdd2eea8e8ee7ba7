/* jit_store.c - the symbol files of JIT compilers, by process. */
#include "jit/jit_store.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "jit/jit_store-internal.h"
#include "jit/jit_trace_names.h"
#include "jit/jitfiles.h"
#include "jit/jvm.h"
#include "unwind/cfi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct jit_store *
jit_store_new(const struct jit_clock *clock, bool trust_all)
{
	struct jit_store *s = mem_zero(1, sizeof(*s));

	s->clock = *clock;
	s->trust_all = trust_all;
	return s;
}

static void
free_source(struct jit_source *src)
{
	size_t i;

	for (i = 0; src->cfi != NULL && i < jitcode_size(src->code); i++)
		cfi_free(src->cfi[i].cfi);
	free(src->cfi);
	for (i = 0; src->stretch != NULL && i < jitcode_size(src->code); i++)
		free(src->stretch[i]);
	free(src->stretch);
	jitcode_free(src->code);
	perfmap_free(src->map);
	free(src->number);
}

static void
free_process(struct process_jit *p)
{
	struct buf ignored = { 0 };
	size_t i;

	if (p->request != NULL)
		jvm_map_finish(p->request, &ignored, &ignored);
	buf_free(&ignored);
	for (i = 0; i < p->n; i++)
		free_source(&p->source[i]);
	jit_trace_names_free(p->trace_names);
	perfmap_free(p->map);
	free(p->source);
	free(p);
}

/* A child less; returns the parent if that was the last one of an ended one. */
static struct process_jit *
leave_parent(struct jit_store *s, struct process_jit *p)
{
	struct process_jit *parent = p->parent == 0 ?
					 NULL :
					 jit_store_find(s, p->parent);

	p->parent = 0;
	if (parent == NULL || parent->children == 0)
		return NULL;
	parent->children--;
	return parent->ended && parent->children == 0 ? parent : NULL;
}

void
jit_store_forget(struct jit_store *s, struct process_jit *p)
{
	struct process_jit *parent;

	for (; p != NULL; p = parent) {
		p->ended = true;
		if (p->children > 0 || p->trace_names != NULL ||
		    (p->n > 0 && !p->searched))
			return;
		parent = leave_parent(s, p);
		HASH_DEL(s->processes, p);
		free_process(p);
	}
}

void
jit_store_set_parent(struct jit_store *s, struct process_jit *p, int64_t parent)
{
	struct process_jit *from = jit_store_find(s, parent),
			   *old = leave_parent(s, p);

	p->ended = false;
	p->parent = parent;
	if (from != NULL)
		from->children++;
	if (old != NULL && old != from && old != p)
		jit_store_forget(s, old);
}

void
jit_store_free(struct jit_store *s)
{
	struct process_jit *p, *next;

	HASH_ITER(hh, s->processes, p, next)
	{
		HASH_DEL(s->processes, p);
		free_process(p);
	}
	free(s->translation);
	arena_free(&s->arena);
	buf_free(&s->why);
	buf_free(&s->notes);
	free(s);
}

/* Notes. */

void
jit_store_note(struct jit_store *s, struct str path, struct str text)
{
	const size_t start = s->notes.len;

	utf8_escape(&s->notes, path);
	buf_str(&s->notes, STR(": "));
	buf_str(&s->notes, text);
	buf_char(&s->notes, '\n');
	if (memmem(s->notes.p, start, s->notes.p + start,
		   s->notes.len - start) != NULL)
		s->notes.len = start;
}

static void
note_faults(struct jit_store *s, const struct jit_source *src)
{
	const struct jitdump *dump = jitcode_dump(src->code);
	uint64_t bad = jitdump_bad(dump);

	if (bad == 0)
		return;
	s->bad += bad;
	s->why.len = 0;
	buf_printf(&s->why, "%" PRIu64 " record%s skipped: ", bad,
		   str_plural(bad, "", "s"));
	buf_str(&s->why, jitdump_faults(dump));
	jit_store_note(s, src->path, buf_slice(&s->why));
}

void
jit_store_note_lines(struct jit_store *s, struct str path,
		     const struct perfmap *map)
{
	uint64_t bad = perfmap_bad(map);

	if (bad == 0)
		return;
	s->bad += bad;
	s->why.len = 0;
	buf_printf(&s->why, "%" PRIu64 " of %" PRIu64 " lines skipped", bad,
		   perfmap_lines(map));
	jit_store_note(s, path, buf_slice(&s->why));
}

static int
by_pid(const struct process_jit *a, const struct process_jit *b)
{
	return (a->pid > b->pid) - (a->pid < b->pid);
}

void
jit_store_note_clocks(struct jit_store *s)
{
	const struct jit_source *src;
	struct process_jit *p;
	size_t i;

	if (s->clock.kind != JIT_CLOCK_FILE)
		return;
	HASH_SORT(s->processes, by_pid);
	for (p = s->processes; p != NULL; p = p->hh.next) {
		for (i = 0; i < p->n; i++) {
			src = &p->source[i];
			if (src->code != NULL && !jitcode_has_times(src->code))
				jit_store_note(
				    s, src->path,
				    STR("its times are processor ticks: using "
					"the last code at each address; see "
					"--clock"));
		}
	}
}

/* Processes. */

struct jit_translation {
	int64_t inside, host;
};

void
jit_store_translate(struct jit_store *s, int64_t inside, int64_t host)
{
	s->translation = mem_grow(s->translation, &s->translation_cap,
				  s->translations + 1, sizeof(*s->translation));
	s->translation[s->translations++] = (struct jit_translation){ inside,
								      host };
}

int64_t
jit_store_inner_pid(const struct jit_store *s, int64_t pid)
{
	size_t i;

	for (i = 0; i < s->translations; i++)
		if (s->translation[i].host == pid)
			return s->translation[i].inside;
	return pid;
}

struct process_jit *
jit_store_inner(const struct jit_store *s, int64_t pid)
{
	struct process_jit *p;

	HASH_FIND(hh, s->processes, &pid, sizeof(pid), p);
	return p;
}

/* As jit_store_inner(), but adds a new process. */
static struct process_jit *
get_inner(struct jit_store *s, int64_t pid)
{
	struct process_jit *p = jit_store_inner(s, pid);

	if (p != NULL)
		return p;
	p = mem_zero(1, sizeof(*p));
	p->pid = pid;
	HASH_ADD(hh, s->processes, pid, sizeof(p->pid), p);
	return p;
}

struct process_jit *
jit_store_find(const struct jit_store *s, int64_t pid)
{
	return jit_store_inner(s, jit_store_inner_pid(s, pid));
}

struct process_jit *
jit_store_process(struct jit_store *s, int64_t pid)
{
	return get_inner(s, jit_store_inner_pid(s, pid));
}

int64_t
jit_store_only(const struct jit_store *s)
{
	const struct process_jit *p, *only = NULL;
	size_t i;

	for (p = s->processes; p != NULL; p = p->hh.next) {
		if (p->n > 0 && only != NULL)
			return -1;
		if (p->n > 0)
			only = p;
	}
	if (only == NULL)
		return -1;
	for (i = 0; i < s->translations; i++)
		if (s->translation[i].inside == only->pid)
			return s->translation[i].host;
	return only->pid;
}

/* Files. */

struct jit_stamp
jit_store_stamp(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (struct jit_stamp){ .inode = 0 };
	return (struct jit_stamp){ st.st_dev, st.st_ino, (uint64_t)st.st_size,
				   st.st_uid };
}

enum trust
jit_store_trust(const struct jit_store *s, bool shared)
{
	return shared && !s->trust_all ? OWNER_CHECK_OWNER : OWNER_CHECK_ANYONE;
}

static struct jit_source *
add_source(struct jit_store *s, struct process_jit *p, struct str path)
{
	p->source = mem_grow(p->source, &p->cap, p->n + 1, sizeof(*p->source));
	p->source[p->n] = (struct jit_source){ .path = arena_str(&s->arena,
								 path) };
	return &p->source[p->n++];
}

static bool
has_source(const struct process_jit *p, struct str path)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (str_eq(p->source[i].path, path))
			return true;
	return false;
}

uint32_t *
jit_store_numbers(size_t n)
{
	uint32_t *number = mem_alloc((n + 1) * sizeof(*number));
	size_t i;

	for (i = 0; i < n; i++)
		number[i] = JIT_NONE;
	return number;
}

static void
read_dump(struct jit_store *s, struct jit_source *src, struct jitdump *dump)
{
	src->code = jitcode_read(dump, &s->clock);
	src->number = jit_store_numbers(jitcode_size(src->code));
	note_faults(s, src);
	jitcode_set_ticks(src->code, &s->ticks);
}

void
jit_store_set_ticks(struct jit_store *s, const struct jit_clock *ticks)
{
	struct process_jit *p;
	size_t i;

	if (s->clock.kind != JIT_CLOCK_FILE)
		return;
	s->ticks = *ticks;
	for (p = s->processes; p != NULL; p = p->hh.next)
		for (i = 0; i < p->n; i++)
			if (p->source[i].code != NULL)
				jitcode_set_ticks(p->source[i].code, ticks);
}

/*
 * A jitdump in a folder.  The user did not name it, so a bad one is only noted.
 * It is closed again, because a folder may hold more jitdumps than a process
 * can have open files.
 */
static void
add_from_folder(void *arg, const char *path, bool shared)
{
	struct jit_store *s = arg;
	enum trust trust = jit_store_trust(s, shared);
	uint32_t owner = owner_check_owner(jitfiles_dump_pid(str_of(path)));
	struct jitdump *dump;
	struct process_jit *p;
	struct jit_source *src;

	s->why.len = 0;
	dump = jitdump_open(path, trust, owner, &s->why);
	if (dump == NULL) {
		buf_str(&s->why, STR("; not used"));
		jit_store_note(s, str_of(path), buf_slice(&s->why));
		s->bad++;
		return;
	}
	p = get_inner(s, jitdump_pid(dump));
	if (!has_source(p, str_of(path))) {
		src = add_source(s, p, str_of(path));
		src->unread = true;
		src->trust = trust;
	}
	jitdump_close(dump);
}

struct jitcode *
jit_store_code(struct jit_store *s, const struct process_jit *p,
	       struct jit_source *src)
{
	struct jitdump *dump;

	if (!src->unread)
		return src->code;
	src->unread = false;
	s->why.len = 0;
	dump = jitdump_open(src->path.p, src->trust, owner_check_owner(p->pid),
			    &s->why);
	if (dump != NULL)
		read_dump(s, src, dump);
	return src->code;
}

bool
jit_store_add_dump(struct jit_store *s, const char *path, struct buf *why)
{
	struct jitdump *dump;
	struct process_jit *p;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (jitfiles_search(path, add_from_folder, s))
			return true;
		buf_str(why, str_of(strerror(errno)));
		return false;
	}
	dump = jitdump_open(path, OWNER_CHECK_ANYONE, 0, why);
	if (dump == NULL)
		return false;
	p = get_inner(s, jitdump_pid(dump));
	read_dump(s, add_source(s, p, str_of(path)), dump);
	return true;
}

static void
set_map(struct jit_store *s, struct jit_source *src, struct perfmap *map)
{
	src->map = map;
	src->number = jit_store_numbers(perfmap_size(map));
	jit_store_note_lines(s, src->path, map);
}

void
jit_store_use_map(struct jit_store *s, struct process_jit *p,
		  struct perfmap *map, const char *name,
		  const struct jit_stamp *stamp)
{
	struct jit_source *src = add_source(s, p, str_of(name));

	src->stamp = *stamp;
	set_map(s, src, map);
	p->maps++;
}

bool
jit_store_add_map(struct jit_store *s, const char *path, int64_t pid,
		  struct buf *why)
{
	const struct jit_stamp none = { .inode = 0 };
	int64_t named = jitfiles_map_pid(str_of(path));
	const char *reason;
	struct perfmap *map = perfmap_open(path, OWNER_CHECK_ANYONE, 0,
					   &reason);

	if (map == NULL) {
		buf_str(why, str_of(reason));
		return false;
	}
	jit_store_use_map(s, get_inner(s, named >= 0 ? named : pid), map, path,
			  &none);
	return true;
}

bool
jit_store_open_dump(struct jit_store *s, const char *path, int64_t pid,
		    enum trust trust, struct buf *why)
{
	struct process_jit *p = jit_store_process(s, pid);
	const struct jit_stamp stamp = jit_store_stamp(path);
	struct jitdump *dump;
	struct jit_source *src;

	if (has_source(p, str_of(path)))
		return true;
	dump = jitdump_open(path, trust, owner_check_owner(pid), why);
	if (dump == NULL)
		return false;
	src = add_source(s, p, str_of(path));
	src->stamp = stamp;
	read_dump(s, src, dump);
	return true;
}

/*
 * The process may have ended, so the file's owner cannot be checked against it.
 * The same file with the same owner was trusted before.  The last lines of a
 * growing file are often incomplete; they are not noted.
 */
bool
jit_store_reopen(struct jit_store *s, struct process_jit *p, size_t i)
{
	const struct jit_source old = p->source[i];
	const struct jit_stamp stamp = jit_store_stamp(old.path.p);
	struct jit_source src = { .path = old.path, .stamp = stamp };
	const enum trust trust = jit_store_trust(s, true);
	const size_t notes = s->notes.len;
	const uint64_t bad = s->bad;
	struct jitdump *dump;
	struct perfmap *map;
	const char *why;

	if (old.stamp.inode == 0 || stamp.inode != old.stamp.inode ||
	    stamp.device != old.stamp.device || stamp.size == old.stamp.size)
		return false;
	if (old.map != NULL) {
		map = perfmap_open(old.path.p, trust, stamp.owner, &why);
		if (map == NULL)
			return false;
		set_map(s, &src, map);
	} else {
		dump = jitdump_open(old.path.p, trust, stamp.owner, &s->why);
		if (dump == NULL)
			return false;
		read_dump(s, &src, dump);
	}
	s->notes.len = notes;
	s->bad = bad;
	free_source(&p->source[i]);
	p->source[i] = src;
	return true;
}

void
jit_store_drop(struct process_jit *p, size_t i)
{
	p->maps -= p->source[i].map != NULL;
	free_source(&p->source[i]);
	p->n--;
	memmove(&p->source[i], &p->source[i + 1],
		(p->n - i) * sizeof(*p->source));
}
