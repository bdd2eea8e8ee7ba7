/* probe_places.c - where the functions of a program begin in its file. */
#include "record/probe_places.h"

#include "base/mem.h"
#include "demangle/demangle.h"
#include "elf/elf.h"

#include <stdlib.h>
#include <string.h>

struct probe_search {
	struct probe_places *all;
	struct str wanted;
	struct buf readable; /* scratch */
};

void
probe_places_free(struct probe_places *all)
{
	free(all->place);
	arena_free(&all->names);
}

static struct probe_place *
add_place(struct probe_places *all)
{
	all->place = mem_grow(all->place, &all->cap, all->n + 1,
			      sizeof(*all->place));
	return &all->place[all->n++];
}

void
probe_places_add(struct probe_places *all, uint64_t offset)
{
	*add_place(all) = (struct probe_place){ .offset = offset };
}

/* Whether a pattern with '*' and '?' matches a whole name. */
static bool
matches(struct str pattern, struct str name)
{
	const size_t none = SIZE_MAX;
	size_t p = 0, n = 0, star = none, from = 0;

	while (n < name.len) {
		if (p < pattern.len && pattern.p[p] == '*') {
			star = p++;
			from = n;
		} else if (p < pattern.len &&
			   (pattern.p[p] == '?' || pattern.p[p] == name.p[n])) {
			p++;
			n++;
		} else if (star != none) {
			/* Let the last '*' take one more. */
			p = star + 1;
			n = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.p[p] == '*')
		p++;
	return p == pattern.len;
}

/* The name itself, or what comes after one of its "::". */
static bool
matches_end(struct str pattern, struct str name)
{
	const char *colons;

	while (!matches(pattern, name)) {
		colons = str_search(name, STR("::"));
		if (colons == NULL)
			return false;
		name = str_skip(name, (size_t)(colons - name.p) + 2);
	}
	return true;
}

/* Suffixes of compilers: clones of a function, and parts of it. */
static struct str
without_suffix(struct str name)
{
	static const char *const suffix[] = { ".isra.", ".constprop.", ".part.",
					      ".lto_priv.", ".llvm." };
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(suffix) / sizeof(*suffix); i++) {
		at = str_search(name, str_of(suffix[i]));
		if (at != NULL)
			name.len = (size_t)(at - name.p);
	}
	return name;
}

static void
try_function(void *arg, const struct elf_function *f)
{
	struct probe_search *s = arg;
	const struct str name = without_suffix(f->name);

	if (str_search(f->name, STR(".cold")) != NULL)
		return;
	s->readable.len = 0;
	if (!matches(s->wanted, name) &&
	    (!demangle(&s->readable, name) ||
	     !matches_end(s->wanted, buf_slice(&s->readable))))
		return;
	*add_place(s->all) = (struct probe_place){ .offset = f->offset,
						   .vaddr = f->vaddr,
						   .size = f->size,
						   .name = arena_str(
						       &s->all->names, f->name),
						   .begins = true };
}

static int
by_offset(const void *a, const void *b)
{
	const struct probe_place *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return str_cmp(x->name, y->name);
}

/* A function may have several names. */
static void
sort_places(struct probe_places *all)
{
	size_t i, n = 0;

	if (all->n > 0)
		qsort(all->place, all->n, sizeof(*all->place), by_offset);
	for (i = 0; i < all->n; i++) {
		if (n == 0 || all->place[n - 1].offset != all->place[i].offset)
			all->place[n++] = all->place[i];
	}
	all->n = n;
}

bool
probe_places_find(struct probe_places *all, const char *path,
		  struct str function, struct buf *why)
{
	struct probe_search s = { .all = all, .wanted = function };
	const char *reason = NULL;
	struct elf *e = elf_open(path, NULL, &reason);

	if (e == NULL) {
		buf_printf(why, "%s: %s", path, reason);
		return false;
	}
	if (!elf_functions(e, try_function, &s))
		all->n = 0;
	elf_close(e);
	buf_free(&s.readable);
	sort_places(all);
	if (all->n == 0)
		buf_printf(why, "%.*s is not a function of %s",
			   (int)function.len, function.p, path);
	return all->n > 0;
}
