/* dso.c - files that processes map: found, checked, and their symbols. */
#include "dso.h"

#include "container.h"
#include "fetch.h"
#include "identity.h"
#include "jit.h"
#include "mem.h"
#include "perfmap.h"
#include "plain.h"
#include "pytrampoline.h"
#include "utf8.h"
#include "vdso.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* How many files the notes name. */
#define NOTES 4

enum problem { FINE, NOT_FOUND, CHANGED, NO_SYMBOLS };

struct dso {
	const struct mapped *file;
	struct elf *elf;           /* NULL if not found */
	const struct perfmap *map; /* of JIT code, NULL if there is none */
	struct str shown;          /* instead of the path, if not empty */
	bool jit;
	uint32_t first, symbols; /* numbers of its symbols; 0: none yet */
	bool foreign; /* its path is one of another mount name space */
	enum problem problem;
	uint64_t missed; /* addresses without a name */
};

struct dsos {
	struct jit *jit;
	const struct processes *processes;
	const struct perf_features *features;
	struct container container;
	struct places *places;
	const struct elf_places *elf; /* of places */
	struct fetch *fetch;          /* of places, or NULL */
	struct dso **dso;             /* by the numbers of their files */
	size_t n, cap;
	struct plain *plain;
	struct cfi *python; /* of its trampolines; NULL if not needed */
	uint32_t numbers;   /* given to symbols */
	struct buf path;
	struct arena arena;
	unsigned notes;
};

struct dsos *
dsos_new(const struct dso_options *options, const struct processes *processes,
	 const struct perf_features *features)
{
	struct dsos *all = mem_zero(1, sizeof(*all));

	all->jit = options->jit;
	all->processes = processes;
	all->features = features;
	all->plain = plain_new(options->mangled);
	all->places = places_new(&options->places);
	all->elf = places_elf(all->places);
	all->fetch = places_fetch(all->places);
	return all;
}

void
dsos_free(struct dsos *all)
{
	struct dso *d;
	size_t i;

	for (i = 0; i < all->n; i++) {
		d = all->dso[i];
		if (d == NULL)
			continue;
		elf_close(d->elf);
	}
	free(all->dso);
	places_free(all->places);
	plain_free(all->plain);
	cfi_free(all->python);
	buf_free(&all->path);
	arena_free(&all->arena);
	free(all);
}

/* Take a file if it is the one that was mapped; notes why not. */
static bool
try_elf(struct dsos *all, struct dso *d, struct elf *elf,
	enum identity_trust trust)
{
	if (elf == NULL)
		return false;
	if (all->elf->symfs != NULL)
		trust = IDENTITY_ELSEWHERE;
	if (!identity_matches(all->features, d->file, elf, trust)) {
		elf_close(elf);
		if (trust != IDENTITY_PROVEN)
			d->problem = CHANGED;
		return false;
	}
	d->elf = elf;
	d->problem = FINE;
	return true;
}

static bool
try_path(struct dsos *all, struct dso *d, const char *path,
	 enum identity_trust trust)
{
	const char *why;

	return try_elf(all, d, elf_open(path, all->elf, &why), trust);
}

static const char *
path_text(struct dsos *all)
{
	buf_char(&all->path, '\0');
	return all->path.p;
}

static bool
try_cache(struct dsos *all, struct dso *d)
{
	struct str id = identity_recorded(all->features, d->file);

	all->path.len = 0;
	return all->elf->symfs == NULL &&
	       identity_cached(&all->path, id, "elf") &&
	       try_path(all, d, all->path.p, IDENTITY_LIKELY);
}

/* A process that runs and sees the files that this one saw, or 0. */
static int64_t
find_process(struct dsos *all, struct dso *d)
{
	int64_t pid = d->file->pid;

	if (all->elf->symfs != NULL)
		return 0;
	return container_root(&all->container, pid,
			      processes_mount_ns(all->processes, pid),
			      &d->foreign);
}

/* The path as the process sees it. */
static bool
try_process(struct dsos *all, struct dso *d, int64_t pid, struct str path)
{
	if (pid == 0)
		return false;
	all->path.len = 0;
	buf_printf(&all->path, "/proc/%" PRId64 "/root%.*s", pid, (int)path.len,
		   path.p);
	return try_path(all, d, path_text(all), IDENTITY_LIKELY);
}

/* A deleted file has no path any more; a process that maps it leads to it. */
static bool
try_mapping(struct dsos *all, struct dso *d, int64_t pid)
{
	all->path.len = 0;
	return pid != 0 && container_mapping(&all->path, pid, d->file->path) &&
	       try_path(all, d, path_text(all), IDENTITY_LIKELY);
}

static bool
try_fetch(struct dsos *all, struct dso *d)
{
	struct str id = identity_recorded(all->features, d->file);
	struct elf *elf;
	const char *why;
	int fd;

	if (all->fetch == NULL || id.len < 2)
		return false;
	fd = fetch_file(all->fetch, FETCH_PROGRAM, id, d->file->path);
	if (fd < 0)
		return false;
	elf = elf_open_fd(fd, NULL, all->elf, &why);
	close(fd);
	return try_elf(all, d, elf, IDENTITY_LIKELY);
}

static void
open_file(struct dsos *all, struct dso *d)
{
	struct str path = d->file->path, deleted = STR(" (deleted)");
	bool gone = str_ends(path, deleted);
	int64_t pid = find_process(all, d);

	if (gone)
		path.len -= deleted.len;
	d->problem = NOT_FOUND;
	if ((d->foreign && try_process(all, d, pid, path)) ||
	    (gone && try_mapping(all, d, pid)))
		return;
	/* Whatever is at the path of a deleted file now must prove itself. */
	if (!gone || identity_recorded(all->features, d->file).len > 0) {
		all->path.len = 0;
		buf_str(&all->path, path);
		if (try_path(all, d, path_text(all),
			     d->foreign ? IDENTITY_PROVEN : IDENTITY_LIKELY))
			return;
	}
	/* Of a container, the process was asked before. */
	if (try_cache(all, d) ||
	    (!d->foreign && try_process(all, d, pid, path)))
		return;
	try_fetch(all, d);
}

/* The vdso is the kernel's: this one's, if it is the one that recorded. */
static void
open_vdso(struct dsos *all, struct dso *d)
{
	struct str image, id = identity_recorded(all->features, d->file);
	struct utsname here;
	const char *why;

	if (all->elf->symfs != NULL)
		return;
	if (id.len == 0 &&
	    (uname(&here) != 0 ||
	     !str_eq(all->features->osrelease, str_of(here.release))))
		return;
	image = vdso_image();
	if (image.len > 0)
		d->elf = elf_open_memory(image, all->elf, &why);
	if (d->elf != NULL && id.len > 0 &&
	    !identity_equal(id, elf_build_id(d->elf))) {
		elf_close(d->elf);
		d->elf = NULL;
	}
}

/* The map of a process's JIT code. */
static const struct perfmap *
map_of(struct dsos *all, int64_t pid)
{
	return jit_left_map(all->jit, pid, all->elf->symfs);
}

static void
open_map(struct dsos *all, struct dso *d)
{
	const char *symfs = all->elf->symfs;

	all->path.len = 0;
	buf_printf(&all->path, "%s/tmp/perf-%" PRId64 ".map",
		   symfs == NULL ? "" : symfs, d->file->pid);
	d->shown = arena_str(&all->arena, buf_slice(&all->path));
	d->map = map_of(all, d->file->pid);
	/* Programs are run from memory files, too. */
	d->jit = d->map != NULL || !str_starts(d->file->path, STR("/memfd:"));
}

static struct dso *
open_dso(struct dsos *all, const struct mapped *file)
{
	struct dso *d = arena_alloc(&all->arena, sizeof(*d));

	*d = (struct dso){ .file = file };
	if (mapped_is_anonymous(file))
		open_map(all, d);
	else if (str_eq(file->path, STR("[vdso]")))
		open_vdso(all, d);
	else if (str_starts(file->path, STR("/")))
		open_file(all, d);
	return d;
}

static struct dso *
get(struct dsos *all, const struct mapped *file)
{
	size_t old = all->cap;

	if (file->number >= all->cap) {
		all->dso = mem_grow(all->dso, &all->cap, file->number + 1,
				    sizeof(struct dso *));
		memset(all->dso + old, 0,
		       (all->cap - old) * sizeof(struct dso *));
	}
	if (file->number >= all->n)
		all->n = file->number + 1;
	if (all->dso[file->number] == NULL)
		all->dso[file->number] = open_dso(all, file);
	return all->dso[file->number];
}

static bool
find_mapped(const struct perfmap *map, uint64_t address,
	    struct dso_symbol *found)
{
	struct symbol symbol;

	if (map == NULL || !perfmap_find(map, address, &symbol))
		return false;
	*found = (struct dso_symbol){ symbol.name, symbol.start };
	return true;
}

/* A child goes on to fill the memory of its parent, and tells so itself. */
static bool
find_jit(struct dsos *all, const struct dso *d, int64_t pid, uint64_t address,
	 struct dso_symbol *found)
{
	return (pid != d->file->pid &&
		find_mapped(map_of(all, pid), address, found)) ||
	       find_mapped(d->map, address, found);
}

struct str
dso_plain(struct dsos *all, struct str name)
{
	return plain_name(all->plain, name);
}

/* The file's own address of one in the process. */
static bool
to_vaddr(const struct dso *d, const struct mapping *m, uint64_t address,
	 uint64_t *vaddr)
{
	return d->elf != NULL &&
	       elf_vaddr(d->elf, address - m->start + m->offset, vaddr);
}

static bool
find_elf(struct dsos *all, struct dso *d, const struct mapping *m,
	 uint64_t address, struct dso_symbol *found)
{
	struct symbol symbol;
	uint64_t vaddr;

	if (!to_vaddr(d, m, address, &vaddr) ||
	    !elf_symbol(d->elf, vaddr, &symbol))
		return false;
	*found = (struct dso_symbol){ dso_plain(all, symbol.name),
				      symbol.start + (address - vaddr) };
	return true;
}

bool
dso_is_jit(struct dsos *all, const struct mapped *file)
{
	return get(all, file)->jit;
}

/* Numbers of symbols; the one behind them is of what no symbol has. */
static void
give_numbers(struct dsos *all, struct dso *d)
{
	d->first = all->numbers + 1;
	if (d->elf != NULL)
		d->symbols = (uint32_t)symtab_size(elf_symtab(d->elf));
	all->numbers += d->symbols + 1;
}

uint32_t
dso_number(struct dsos *all, const struct mapping *m, uint64_t address)
{
	struct dso *d = get(all, m->file);
	uint32_t number = SYMTAB_NONE;
	uint64_t vaddr;

	if (d->jit)
		return 0;
	if (d->first == 0)
		give_numbers(all, d);
	if (to_vaddr(d, m, address, &vaddr))
		number = symtab_number(elf_symtab(d->elf), vaddr);
	if (number != SYMTAB_NONE)
		return d->first + number;
	d->missed++;
	return d->first + d->symbols;
}

bool
dso_find(struct dsos *all, const struct mapping *m, int64_t pid,
	 uint64_t address, struct dso_symbol *found)
{
	struct dso *d = get(all, m->file);

	return d->jit ? find_jit(all, d, pid, address, found) :
			find_elf(all, d, m, address, found);
}

size_t
dso_inlines(struct dsos *all, const struct mapping *m, uint64_t address,
	    bool lines, const struct elf_frame **frames)
{
	struct dso *d = get(all, m->file);
	uint64_t vaddr;

	return to_vaddr(d, m, address, &vaddr) ?
		   elf_inlines(d->elf, vaddr, lines, frames) :
		   0;
}

struct cfi *
dso_cfi(struct dsos *all, const struct mapping *m, uint64_t address,
	uint64_t *bias)
{
	struct dso *d = get(all, m->file);
	struct dso_symbol symbol;
	uint64_t vaddr;

	*bias = 0;
	if (find_mapped(d->map, address, &symbol) &&
	    pytrampoline_is(symbol.name)) {
		if (all->python == NULL)
			all->python = pytrampoline_cfi(all->features->arch);
		*bias = symbol.start;
		return all->python;
	}
	if (!to_vaddr(d, m, address, &vaddr))
		return NULL;
	*bias = address - vaddr;
	return elf_cfi(d->elf);
}

bool
dso_read(struct dsos *all, const struct mapping *m, uint64_t address, void *to,
	 size_t n)
{
	struct dso *d = get(all, m->file);
	uint64_t vaddr;

	return to_vaddr(d, m, address, &vaddr) &&
	       elf_read(d->elf, vaddr, to, n);
}

struct str
dso_name(struct dsos *all, const struct mapped *file)
{
	const struct dso *d = get(all, file);

	return d->jit ? d->shown : file->path;
}

/* Notes. */

/* The file with the most addresses without a name that was not yet named. */
static struct dso *
worst(const struct dsos *all)
{
	struct dso *d, *most = NULL;
	size_t i;

	for (i = 0; i < all->n; i++) {
		d = all->dso[i];
		if (d == NULL || d->missed == 0 || d->jit ||
		    !str_starts(d->file->path, STR("/")))
			continue;
		if (d->elf != NULL && elf_source(d->elf) != ELF_SYMTAB &&
		    elf_source(d->elf) != ELF_DEBUG)
			d->problem = NO_SYMBOLS;
		if (d->problem != FINE &&
		    (most == NULL || d->missed > most->missed))
			most = d;
	}
	return most;
}

bool
dsos_note(struct dsos *all, struct buf *line)
{
	struct dso *d;

	if (all->fetch != NULL && fetch_note(all->fetch, line))
		return true;
	d = all->notes++ < NOTES ? worst(all) : NULL;
	if (d == NULL)
		return false;
	d->missed = 0;
	utf8_escape(line, d->file->path);
	if (d->problem == CHANGED)
		buf_str(line, STR(" changed since it was recorded: its names "
				  "are not used"));
	else if (d->problem == NOT_FOUND)
		buf_str(line, STR(" is not here: no names; see --symfs"));
	else
		buf_str(line, STR(" has no symbols: install its debug "
				  "package"));
	return true;
}
