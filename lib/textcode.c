/* textcode.c - functions inlined at the addresses of perf script text. */
#include "textcode.h"

#include "arena.h"
#include "elf.h"
#include "fetch.h"
#include "intern.h"
#include "mem.h"
#include "name.h"
#include "plain.h"
#include "utf8.h"

#include <stdlib.h>

/* How many files the notes name. */
#define NOTES 4

/* Files are mapped in whole pages; larger ones are multiples of this. */
#define PAGE 4096

#define NONE SIZE_MAX

struct file {
	struct elf *elf; /* NULL: not found */
	uint64_t missed; /* frames that could not be looked up */
	bool found;      /* one was */

	/* Where functions are, by their names; made when it is needed. */
	struct intern *names; /* NULL at first */
	size_t *newest;       /* symbol of a name, by number; */
	size_t newest_cap;
	size_t *before; /* of each symbol, another one of that name, or NONE */
};

struct textcode {
	const struct textcode_options *options;
	struct places *places;
	struct plain *plain;
	struct intern *paths;
	struct file *file; /* by the numbers of their paths */
	size_t cap;
	struct textcode_frame *frames; /* the last answer, */
	size_t frames_cap;
	struct arena lines; /* and its lines */
	struct buf name, text;
	unsigned notes;
};

struct textcode *
textcode_new(const struct textcode_options *options)
{
	struct textcode *t = mem_zero(1, sizeof(*t));

	t->options = options;
	t->places = places_new(&options->places);
	t->plain = plain_new(false);
	t->paths = intern_new();
	return t;
}

void
textcode_free(struct textcode *t)
{
	const size_t n = intern_size(t->paths);
	size_t i;

	for (i = 0; i < n; i++) {
		if (t->file[i].elf != NULL)
			elf_close(t->file[i].elf);
		if (t->file[i].names != NULL)
			intern_free(t->file[i].names);
		free(t->file[i].newest);
		free(t->file[i].before);
	}
	free(t->file);
	intern_free(t->paths);
	plain_free(t->plain);
	places_free(t->places);
	free(t->frames);
	arena_free(&t->lines);
	buf_free(&t->name);
	buf_free(&t->text);
	free(t);
}

static struct file *
file_of(struct textcode *t, struct str path)
{
	const uint32_t n = intern_size(t->paths);
	const uint32_t i = intern_id(t->paths, path);
	const char *why;

	if (i < n)
		return &t->file[i];
	t->file = mem_grow(t->file, &t->cap, (size_t)n + 1, sizeof(*t->file));
	t->file[i] = (struct file){ 0 };
	/* What replaced a file that is gone is another one. */
	if (!str_ends(path, STR(" (deleted)")))
		t->file[i].elf = elf_open(intern_name(t->paths, i).p,
					  places_elf(t->places), &why);
	return &t->file[i];
}

/* A name without what some versions of perf print behind it; until the next. */
static struct str
bare(struct buf *text, struct str name)
{
	text->len = 0;
	name_clean(text, name, 0);
	return buf_slice(text);
}

static bool
has_name(struct textcode *t, const struct symbol *symbol, struct str bare_name)
{
	return str_eq(bare_name, bare(&t->text, symbol->name)) ||
	       str_eq(bare_name,
		      bare(&t->text, plain_name(t->plain, symbol->name)));
}

static bool
is_at(struct file *f, uint64_t vaddr, const struct textcode_place *p,
      struct symbol *symbol)
{
	return elf_symbol(f->elf, vaddr, symbol) &&
	       (!p->has_offset || vaddr - symbol->start == p->offset);
}

static void
make_names(struct textcode *t, struct file *f)
{
	const struct symtab *symbols = elf_symtab(f->elf);
	const size_t n = symtab_size(symbols);
	size_t i, old;
	uint32_t id;

	f->names = intern_new();
	f->before = mem_zero(n, sizeof(*f->before));
	for (i = 0; i < n; i++) {
		id = intern_id(
		    f->names,
		    bare(&t->text,
			 plain_name(t->plain, symtab_symbol(symbols, i).name)));
		old = f->newest_cap;
		f->newest = mem_grow(f->newest, &f->newest_cap, (size_t)id + 1,
				     sizeof(*f->newest));
		for (; old < f->newest_cap; old++)
			f->newest[old] = NONE;
		f->before[i] = f->newest[id];
		f->newest[id] = i;
	}
}

/* By the name and how far behind it, if pages of the file may lie so. */
static bool
find_named(struct textcode *t, struct file *f, const struct textcode_place *p,
	   struct str name, uint64_t *vaddr)
{
	struct symbol s;
	uint32_t id;
	size_t i;

	if (!p->has_offset)
		return false;
	if (f->names == NULL)
		make_names(t, f);
	if (!intern_find(f->names, name, &id))
		return false;
	for (i = f->newest[id]; i != NONE; i = f->before[i]) {
		s = symtab_symbol(elf_symtab(f->elf), i);
		*vaddr = s.start + p->offset;
		if (*vaddr < s.end && (p->address - *vaddr) % PAGE == 0)
			return true;
	}
	return false;
}

/* The file's own address of a place. */
static bool
find_vaddr(struct textcode *t, struct file *f, const struct textcode_place *p,
	   uint64_t *vaddr)
{
	const struct str name = bare(&t->name, p->name);
	struct symbol symbol;

	if (elf_vaddr(f->elf, p->address, vaddr) &&
	    is_at(f, *vaddr, p, &symbol) && has_name(t, &symbol, name))
		return true;
	*vaddr = p->address;
	if (is_at(f, *vaddr, p, &symbol) && has_name(t, &symbol, name))
		return true;
	if (find_named(t, f, p, name, vaddr))
		return true;
	/* Of names with one address, perf chose one that is not kept here. */
	return p->has_offset && elf_vaddr(f->elf, p->address, vaddr) &&
	       is_at(f, *vaddr, p, &symbol);
}

static struct str
inlined_name(struct textcode *t, const struct elf_frame *f)
{
	return t->options->mangled ? f->name : plain_name(t->plain, f->name);
}

/* What is inlined but has no name says nothing, and is left out. */
static size_t
take_frames(struct textcode *t, const struct elf_frame *f, size_t n)
{
	struct textcode_frame *frame;
	size_t i, kept = 0;

	arena_free(&t->lines);
	t->frames = mem_grow(t->frames, &t->frames_cap, n, sizeof(*t->frames));
	for (i = 0; i < n; i++) {
		frame = &t->frames[kept];
		frame->name = i + 1 < n ? inlined_name(t, &f[i]) : STR("");
		if (i + 1 < n && frame->name.len == 0)
			continue;
		t->text.len = 0;
		elf_frame_line(&f[i], &t->text);
		frame->line = arena_str(&t->lines, buf_slice(&t->text));
		kept++;
	}
	return kept;
}

size_t
textcode_find(struct textcode *t, const struct textcode_place *place,
	      const struct textcode_frame **frames)
{
	const struct elf_frame *f;
	struct file *file;
	uint64_t vaddr;
	size_t n;

	if (!str_starts(place->module, STR("/")) || place->name.len == 0 ||
	    str_eq(place->name, STR("[unknown]")))
		return 0;
	file = file_of(t, place->module);
	if (file->elf == NULL || !find_vaddr(t, file, place, &vaddr)) {
		file->missed++;
		return 0;
	}
	file->found = true;
	/* A call lies before where it returns to, but in that function. */
	if (place->is_return && (!place->has_offset || place->offset > 0))
		vaddr--;
	n = elf_inlines(file->elf, vaddr, t->options->lines, &f);
	n = take_frames(t, f, n);
	*frames = t->frames;
	return n;
}

bool
textcode_note(struct textcode *t, struct buf *line)
{
	struct fetch *fetch = places_fetch(t->places);
	const size_t n = intern_size(t->paths);
	size_t i, most = NONE;

	if (fetch != NULL && fetch_note(fetch, line))
		return true;
	for (i = 0; i < n; i++) {
		if (t->file[i].missed > 0 && !t->file[i].found &&
		    (most == NONE || t->file[i].missed > t->file[most].missed))
			most = i;
	}
	if (most == NONE || t->notes++ == NOTES)
		return false;
	t->file[most].missed = 0;
	utf8_escape(line, intern_name(t->paths, (uint32_t)most));
	buf_str(line, t->file[most].elf == NULL ?
			  STR(" is not here: no inlined functions; see "
			      "--symfs") :
			  STR(" is not the one of the text, or has no "
			      "symbols: no inlined functions"));
	return true;
}
