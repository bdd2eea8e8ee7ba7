/* interp_runtime.c - find the runtime of a process. */
#include "interp/interp_runtime.h"

#include "interp/cpython.h"
#include "interp/golang.h"
#include "interp/hotspot.h"
#include "interp/interp-internal.h"
#include "interp/interp_maps.h"
#include "interp/lua.h"
#include "interp/luajit.h"
#include "interp/perl.h"
#include "interp/php.h"
#include "interp/ruby.h"
#include "interp/v8.h"

#include <stdio.h>
#include <unistd.h>

static const struct interp_language *const languages[] = {
	&cpython_language,    &ruby_language,    &php_language,
	&perl_language,       &lua_language,     &luajit_language,
	&v8_language,         &hotspot_language, &golang_language,
	&interp_maps_language
};

enum { LANGUAGES = sizeof(languages) / sizeof(*languages) };

static struct str
program_path(int64_t pid, char *buffer, size_t n)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%lld/exe", (long long)pid);
	len = readlink(link, buffer, n);
	return (struct str){ buffer, len < 0 ? 0 : (size_t)len };
}

/* Whether mapping i is the first one of a file. */
static bool
begins_file(const struct interp_target *target, size_t i)
{
	const struct proc_map *m = &target->map[i];

	return m->offset == 0 && m->inode != 0 && m->path.len > 0 &&
	       (i == 0 || !str_eq(m[-1].path, m->path));
}

static bool
has_name(const struct interp_target *target, size_t i,
	 const struct interp_language *l)
{
	return l->may_be(interp_binary_name(target->map[i].path));
}

static bool
is_program(const struct interp_target *target, size_t i, struct str program)
{
	return program.len > 0 && str_eq(target->map[i].path, program);
}

/* The code of a library; none of the program. */
static struct interp_range
find_code(const struct interp_target *target, size_t map, struct str program)
{
	const struct str path = target->map[map].path;
	size_t i;

	for (i = map; i < target->n && !str_eq(path, program); i++) {
		if (proctext_is_code(&target->map[i]) &&
		    str_eq(target->map[i].path, path))
			return (struct interp_range){ target->map[i].start,
						      target->map[i].end };
	}
	return (struct interp_range){ 0, 0 };
}

/* Try a file; false if it has no runtime that we know. */
static bool
try(struct interp *p, const struct interp_target *target, size_t map,
    const struct interp_language *l, struct str program,
    const struct interp_reader *reader, struct buf *why)
{
	const size_t before = why->len;

	p->runtime = l->open(target, map, reader, why);
	if (p->runtime != NULL)
		p->language = l;
	p->code = find_code(target, map, program);
	return p->runtime != NULL || why->len > before;
}

/* A number that changes with the files that may have a runtime. */
static struct interp_file
fingerprint(const struct interp_target *target, struct str program)
{
	struct interp_file f = { 0 };
	size_t i, j;

	for (i = 0; i < target->n; i++) {
		for (j = 0; begins_file(target, i) && j < LANGUAGES; j++) {
			if (!has_name(target, i, languages[j]) &&
			    !is_program(target, i, program))
				continue;
			f.start = f.start * 31 + target->map[i].start;
			f.inode = f.inode * 31 + target->map[i].inode;
		}
	}
	return f;
}

/*
 * Try a file, by the languages whose name it has, and then a program by the
 * others, which may be embedded: that takes longer.  False if it has no runtime
 * that we know.
 */
static bool
try_all(struct interp *p, const struct interp_target *target, size_t map,
	struct str program, const struct interp_reader *reader, struct buf *why)
{
	size_t i;

	for (i = 0; i < LANGUAGES; i++) {
		if (has_name(target, map, languages[i]) &&
		    try(p, target, map, languages[i], program, reader, why))
			return true;
	}
	if (!is_program(target, map, program))
		return false;
	for (i = 0; i < LANGUAGES; i++) {
		if (!has_name(target, map, languages[i]) &&
		    try(p, target, map, languages[i], program, reader, why))
			return true;
	}
	return false;
}

/* The code of the library that switches between greenlets. */
static struct interp_range
find_greenlet(const struct interp_target *target)
{
	const struct interp_range none = { 0, 0 };
	const struct proc_map *m;
	size_t i;

	for (i = 0; i < target->n; i++) {
		m = &target->map[i];
		if (proctext_is_code(m) &&
		    str_starts(interp_binary_name(m->path), STR("_greenlet.")))
			return (struct interp_range){ m->start, m->end };
	}
	return none;
}

/* Try all files: a library first, since the program may only be its caller. */
static void
search(struct interp *p, const struct interp_target *target, struct str program,
       const struct interp_reader *reader, struct buf *why)
{
	size_t i;

	for (i = target->n; i > 0; i--) {
		if (begins_file(target, i - 1) &&
		    try_all(p, target, i - 1, program, reader, why))
			return;
	}
}

void
interp_runtime_find(struct interp *p, const struct interp_target *target,
		    const struct interp_reader *reader, struct buf *why)
{
	char path[4096];
	const struct str program = program_path(target->pid, path,
						sizeof(path));
	const struct interp_file f = fingerprint(target, program);

	p->greenlet = find_greenlet(target);
	if (f.start != p->file.start || f.inode != p->file.inode) {
		interp_close(p);
		p->file = f;
		search(p, target, program, reader, why);
	}
	if (p->language != NULL && p->language->look != NULL)
		p->language->look(p->runtime, target, reader);
}
