/* perfscript_inline.c - inlined functions at the addresses of perf script text.
 */
#include "perf/perfscript_inline.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/table.h"
#include "base/utf8.h"
#include "demangle/demangle_cache.h"
#include "elf/elf.h"
#include "folded/name.h"
#include "symbols/debuginfod.h"

/* Notes name at most this many files. */
#define MAX_NOTES 4

/* Files are mapped in whole pages; larger pages are multiples of this. */
#define PAGE 4096

#define NONE SIZE_MAX

/* A file that the text names. */
struct script_file {
	char *path;
	struct elf *elf; /* NULL: not found */
	uint64_t missed; /* frames that could not be looked up */
	bool found;      /* a frame was */
	bool noted_units;

	/* Symbols by name, made when needed. */
	struct intern *names; /* NULL at first */
	size_t *last;         /* symbol of a name, by its number in names */
	size_t last_cap;
	size_t *previous; /* by symbol: another one of its name, or NONE */

	UT_hash_handle hh;
};

struct perfscript_inline {
	const struct perfscript_inline_options *options;
	struct debug_path *places;
	struct demangle_cache *demangled;
	struct script_file *files;
	struct perfscript_inline_frame *frames; /* of the last answer */
	size_t frames_cap;
	struct arena lines;    /* of the last answer */
	struct buf name, text; /* scratch */
	unsigned notes;
};

struct perfscript_inline *
perfscript_inline_new(const struct perfscript_inline_options *options,
		      struct buf *why)
{
	struct debug_path *places = debug_path_new(&options->places, why);
	struct perfscript_inline *p;

	if (places == NULL)
		return NULL;
	p = mem_zero(1, sizeof(*p));
	p->options = options;
	p->places = places;
	p->demangled = demangle_cache_new(false);
	return p;
}

void
perfscript_inline_free(struct perfscript_inline *p)
{
	struct script_file *f, *next;

	HASH_ITER(hh, p->files, f, next)
	{
		HASH_DEL(p->files, f);
		if (f->elf != NULL)
			elf_close(f->elf);
		if (f->names != NULL)
			intern_free(f->names);
		free(f->last);
		free(f->previous);
		free(f->path);
		free(f);
	}
	demangle_cache_free(p->demangled);
	debug_path_free(p->places);
	free(p->frames);
	arena_free(&p->lines);
	buf_free(&p->name);
	buf_free(&p->text);
	free(p);
}

static struct script_file *
get_file(struct perfscript_inline *p, struct str path)
{
	struct script_file *f;
	const char *why;

	HASH_FIND(hh, p->files, path.p, path.len, f);
	if (f != NULL)
		return f;
	f = mem_zero(1, sizeof(*f));
	f->path = mem_alloc(path.len + 1);
	memcpy(f->path, path.p, path.len);
	f->path[path.len] = '\0';
	/* A file that has replaced a deleted one is not the one of the text. */
	if (!str_ends(path, STR(" (deleted)")))
		f->elf = elf_open(f->path, debug_path_elf(p->places), &why);
	HASH_ADD_KEYPTR(hh, p->files, f->path, path.len, f);
	return f;
}

/*
 * A name without the suffixes that some versions of perf print; in text, until
 * the next call.
 */
static struct str
clean_name(struct buf *text, struct str name)
{
	text->len = 0;
	name_clean(text, name, 0);
	return buf_slice(text);
}

static struct str
demangled_name(struct perfscript_inline *p, struct str name)
{
	return clean_name(&p->text, demangle_cache_name(p->demangled, name));
}

/* Whether a symbol has a name that was cleaned. */
static bool
has_name(struct perfscript_inline *p, const struct symbol *symbol,
	 struct str name)
{
	return str_eq(name, clean_name(&p->text, symbol->name)) ||
	       str_eq(name, demangled_name(p, symbol->name));
}

static bool
is_at(struct script_file *f, uint64_t vaddr,
      const struct perfscript_inline_place *place, struct symbol *symbol)
{
	return elf_symbol(f->elf, vaddr, symbol) &&
	       (!place->has_offset || vaddr - symbol->start == place->offset);
}

static void
make_names(struct perfscript_inline *p, struct script_file *f)
{
	const struct symtab *symbols = elf_symtab(f->elf);
	const size_t n = symtab_size(symbols);
	size_t i, old;
	uint32_t id;

	f->names = intern_new();
	f->previous = mem_zero(n, sizeof(*f->previous));
	for (i = 0; i < n; i++) {
		id = intern_id(
		    f->names,
		    demangled_name(p, symtab_symbol(symbols, i).name));
		old = f->last_cap;
		f->last = mem_grow(f->last, &f->last_cap, (size_t)id + 1,
				   sizeof(*f->last));
		for (; old < f->last_cap; old++)
			f->last[old] = NONE;
		f->previous[i] = f->last[id];
		f->last[id] = i;
	}
}

/*
 * Find a place by its function's name and offset, if a page of the file that
 * has it can be mapped at the printed address.
 */
static bool
find_by_name(struct perfscript_inline *p, struct script_file *f,
	     const struct perfscript_inline_place *place, struct str name,
	     uint64_t *vaddr)
{
	struct symbol s;
	uint32_t id;
	size_t i;

	if (!place->has_offset)
		return false;
	if (f->names == NULL)
		make_names(p, f);
	if (!intern_find(f->names, name, &id))
		return false;
	for (i = f->last[id]; i != NONE; i = f->previous[i]) {
		s = symtab_symbol(elf_symtab(f->elf), i);
		*vaddr = s.start + place->offset;
		if (*vaddr < s.end && (place->address - *vaddr) % PAGE == 0)
			return true;
	}
	return false;
}

/* The address of a place among the file's symbols. */
static bool
find_vaddr(struct perfscript_inline *p, struct script_file *f,
	   const struct perfscript_inline_place *place, uint64_t *vaddr)
{
	const struct str name = clean_name(&p->name, place->name);
	struct symbol symbol;

	if (elf_vaddr(f->elf, place->address, vaddr) &&
	    is_at(f, *vaddr, place, &symbol) && has_name(p, &symbol, name))
		return true;
	*vaddr = place->address;
	if (is_at(f, *vaddr, place, &symbol) && has_name(p, &symbol, name))
		return true;
	if (find_by_name(p, f, place, name, vaddr))
		return true;
	/* Of several symbols at one address, perf may print another one. */
	return place->has_offset && elf_vaddr(f->elf, place->address, vaddr) &&
	       is_at(f, *vaddr, place, &symbol);
}

static struct str
inlined_name(struct perfscript_inline *p, const struct elf_frame *f)
{
	return p->options->mangled ? f->name :
				     demangle_cache_name(p->demangled, f->name);
}

/* Copy to p->frames, without inlined functions that have no name. */
static size_t
copy_frames(struct perfscript_inline *p, const struct elf_frame *f, size_t n)
{
	struct perfscript_inline_frame *frame;
	size_t i, copied = 0;

	arena_free(&p->lines);
	p->frames = mem_grow(p->frames, &p->frames_cap, n, sizeof(*p->frames));
	for (i = 0; i < n; i++) {
		frame = &p->frames[copied];
		frame->name = i + 1 < n ? inlined_name(p, &f[i]) : STR("");
		if (i + 1 < n && frame->name.len == 0)
			continue;
		p->text.len = 0;
		elf_frame_line(&f[i], &p->text);
		frame->line = arena_str(&p->lines, buf_slice(&p->text));
		copied++;
	}
	return copied;
}

size_t
perfscript_inline_find(struct perfscript_inline *p,
		       const struct perfscript_inline_place *place,
		       const struct perfscript_inline_frame **frames)
{
	const struct elf_frame *found;
	struct script_file *f;
	uint64_t vaddr;
	size_t n;

	if (!str_starts(place->module, STR("/")) || place->name.len == 0 ||
	    str_eq(place->name, STR("[unknown]")))
		return 0;
	f = get_file(p, place->module);
	if (f->elf == NULL || !find_vaddr(p, f, place, &vaddr)) {
		f->missed++;
		return 0;
	}
	f->found = true;
	/* The call is before the return address, in the same function. */
	if (place->is_return && (!place->has_offset || place->offset > 0))
		vaddr--;
	n = elf_inlines(f->elf, vaddr, p->options->lines, &found);
	n = copy_frames(p, found, n);
	*frames = p->frames;
	return n;
}

/* Files whose units are in files that are missing. */
static bool
note_units(struct perfscript_inline *p, struct buf *line)
{
	struct script_file *f;

	for (f = p->files; f != NULL; f = f->hh.next) {
		if (f->elf == NULL || f->noted_units)
			continue;
		f->noted_units = true;
		if (elf_note_units(f->elf, str_of(f->path), line))
			return true;
	}
	return false;
}

bool
perfscript_inline_note(struct perfscript_inline *p, struct buf *line)
{
	struct debuginfod *fetch = debug_path_fetch(p->places);
	struct script_file *f, *worst = NULL;

	if ((fetch != NULL && debuginfod_note(fetch, line)) ||
	    note_units(p, line))
		return true;
	for (f = p->files; f != NULL; f = f->hh.next) {
		if (f->missed > 0 && !f->found &&
		    (worst == NULL || f->missed > worst->missed))
			worst = f;
	}
	if (worst == NULL || p->notes++ == MAX_NOTES)
		return false;
	worst->missed = 0;
	utf8_escape(line, str_of(worst->path));
	buf_str(line,
		worst->elf == NULL ?
		    STR(": not found, so no inlined functions; see --symfs") :
		    STR(" differs from the recorded file or has no symbols: no "
			"inlined functions"));
	return true;
}
