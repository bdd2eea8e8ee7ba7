/* probe_lines.c - where lines of the source begin in a program's file. */
#include "record/probe_lines.h"

#include "base/mem.h"
#include "elf/elf.h"

#include <inttypes.h>

struct lines_search {
	struct probe_places *all;
	struct elf *elf;
	struct str file;
	uint32_t line;
	bool has_file;
	bool was_there; /* the statement before is of this line, too */
	uint32_t next;  /* the first line after it with code; 0: none yet */
};

/* The same file, or the end of its path. */
static bool
is_file(struct str path, struct str wanted)
{
	return str_ends(path, wanted) &&
	       (path.len == wanted.len ||
		path.p[path.len - wanted.len - 1] == '/');
}

static void
add_line(struct lines_search *s, uint64_t vaddr)
{
	struct symbol function;
	struct str name = { 0 };
	uint64_t offset;

	if (!elf_offset(s->elf, vaddr, &offset))
		return;
	if (elf_symbol(s->elf, vaddr, &function))
		name = arena_str(&s->all->names, function.name);
	probe_places_add(s->all, offset);
	s->all->place[s->all->n - 1].vaddr = vaddr;
	s->all->place[s->all->n - 1].name = name;
}

static void
try_line(void *arg, const struct elf_line *line)
{
	struct lines_search *s = arg;
	const bool same = is_file(line->file, s->file);
	const bool there = same && line->line == s->line;

	s->has_file = s->has_file || same;
	if (same && line->line > s->line &&
	    (s->next == 0 || line->line < s->next))
		s->next = line->line;
	if (there && !s->was_there)
		add_line(s, line->vaddr);
	s->was_there = there;
}

static void
explain(const struct lines_search *s, const char *path, struct buf *why)
{
	if (!s->has_file)
		buf_printf(why, "%s has no debug information for a file %.*s",
			   path, (int)s->file.len, s->file.p);
	else
		buf_printf(why, "line %" PRIu32 " of %.*s has no code", s->line,
			   (int)s->file.len, s->file.p);
	if (s->next > 0)
		buf_printf(why, "; line %" PRIu32 " has", s->next);
}

bool
probe_lines_find(struct probe_places *all, const char *path, struct str line,
		 struct buf *why)
{
	const char *colon = memrchr(line.p, ':', line.len), *reason = NULL;
	struct lines_search s = { .all = all,
				  .file = str_range(line.p, colon) };
	uint64_t n;

	if (!str_u64(str_range(colon + 1, line.p + line.len), &n) ||
	    n > UINT32_MAX)
		n = 0;
	s.line = (uint32_t)n;
	s.elf = elf_open(path, NULL, &reason);
	if (s.elf == NULL) {
		buf_printf(why, "%s: %s", path, reason);
		return false;
	}
	elf_lines(s.elf, ELF_ALL_UNITS, try_line, &s);
	if (all->n == 0)
		explain(&s, path, why);
	elf_close(s.elf);
	return all->n > 0;
}
