/* dso.c - the files that processes map: their symbols and unwind rules. */
#include "symbols/dso.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "demangle/demangle_cache.h"
#include "jit/jit_discover.h"
#include "jit/perfmap.h"
#include "os/container.h"
#include "os/vdso.h"
#include "symbols/debuginfod.h"
#include "symbols/file_identity.h"
#include "unwind/knowncode.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* How many files the notes name. */
enum { NOTES = 4 };

enum dso_problem { FINE, NOT_FOUND, CHANGED, NO_SYMBOLS };

struct dso {
	const struct mapped_file *file;
	struct elf *elf;           /* NULL if not found */
	const struct perfmap *map; /* of JIT code, or NULL */
	struct buf map_path;       /* of JIT code, even if there is no map */
	bool jit;
	uint32_t first; /* number of its first symbol; 0: not set yet */
	uint32_t symbols;
	bool foreign; /* the path is one of another mount name space */
	enum dso_problem problem;
	uint64_t missed;  /* addresses without a name */
	bool noted_units; /* that units are missing */
};

struct dsos {
	struct dsos *base;    /* of a fork, or NULL */
	pthread_mutex_t lock; /* of a base, to open files */
	uint64_t *counted;    /* missed addresses of a file, if just counted */
	struct jit *jit;
	const struct processes *processes;
	const struct perf_features *features;
	struct container container;
	struct debug_path *places;
	const struct elf_paths *elf; /* of places */
	struct debuginfod *fetch;    /* of places, or NULL */
	struct dso **dso;            /* by the numbers of their files */
	size_t n, cap;
	struct demangle_cache *plain;
	struct cfi *python; /* rules of its trampolines; NULL before use */
	struct cfi *call;   /* of system calls in vdsos, or NULL */
	uint32_t numbers;   /* the last one that a symbol got */
	struct buf path;    /* scratch */
	unsigned notes;
};

struct dsos *
dso_new(const struct dso_options *options, const struct processes *processes,
	const struct perf_features *features, struct buf *why)
{
	struct debug_path *places = debug_path_new(&options->places, why);
	struct dsos *all;

	if (places == NULL)
		return NULL;
	all = mem_zero(1, sizeof(*all));
	pthread_mutex_init(&all->lock, NULL);
	all->jit = options->jit;
	all->processes = processes;
	all->features = features;
	all->plain = demangle_cache_new(options->mangled);
	all->places = places;
	all->elf = debug_path_elf(all->places);
	all->fetch = debug_path_fetch(all->places);
	return all;
}

static void
close_dso(struct dso *d)
{
	if (d == NULL)
		return;
	elf_close(d->elf);
	buf_free(&d->map_path);
	free(d);
}

void
dso_free(struct dsos *all)
{
	size_t i;

	if (all == NULL)
		return;
	for (i = 0; i < all->n; i++)
		close_dso(all->dso[i]);
	free(all->dso);
	pthread_mutex_destroy(&all->lock);
	debug_path_free(all->places);
	demangle_cache_free(all->plain);
	cfi_free(all->python);
	cfi_free(all->call);
	buf_free(&all->path);
	free(all);
}

struct dsos *
dso_fork(struct dsos *base)
{
	struct dsos *fork = mem_zero(1, sizeof(*fork));

	fork->base = base;
	fork->jit = base->jit;
	fork->elf = base->elf;
	fork->features = base->features;
	fork->plain = demangle_cache_fork(base->plain);
	return fork;
}

/* The files of forks are closed with those of the base. */
void
dso_fork_free(struct dsos *fork)
{
	size_t i;

	for (i = 0; i < fork->n; i++)
		free(fork->dso[i]);
	free(fork->dso);
	demangle_cache_free(fork->plain);
	cfi_free(fork->call);
	free(fork);
}

void
dso_join(struct dsos *base, const struct dsos *fork)
{
	size_t i;

	for (i = 0; i < fork->n; i++)
		if (fork->dso[i] != NULL)
			base->dso[i]->missed += fork->dso[i]->missed;
}

void
dso_uncount(struct dsos *fork)
{
	if (fork->counted != NULL)
		--*fork->counted;
}

/* Use a file if it is the one that was mapped; else note the problem. */
static bool
try_elf(struct dsos *all, struct dso *d, struct elf *elf,
	enum file_identity_trust trust)
{
	if (elf == NULL)
		return false;
	if (all->elf->symfs != NULL)
		trust = FILE_IDENTITY_ELSEWHERE;
	if (!file_identity_matches(all->features, d->file, elf, trust)) {
		elf_close(elf);
		if (trust != FILE_IDENTITY_PROVEN)
			d->problem = CHANGED;
		return false;
	}
	d->elf = elf;
	d->problem = FINE;
	return true;
}

static bool
try_path(struct dsos *all, struct dso *d, const char *path,
	 enum file_identity_trust trust)
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
	struct str id = file_identity_recorded(all->features, d->file);

	all->path.len = 0;
	return all->elf->symfs == NULL &&
	       file_identity_cached(&all->path, id, "elf") &&
	       try_path(all, d, all->path.p, FILE_IDENTITY_LIKELY);
}

/* A running process that sees the files that the file's process saw, or 0. */
static int64_t
find_process(struct dsos *all, struct dso *d)
{
	int64_t pid = d->file->pid;

	if (all->elf->symfs != NULL)
		return 0;
	return container_root(&all->container, pid,
			      process_mount_ns(all->processes, pid),
			      &d->foreign);
}

/* Open a path as a running process sees it. */
static bool
try_process(struct dsos *all, struct dso *d, int64_t pid, struct str path)
{
	if (pid == 0)
		return false;
	all->path.len = 0;
	buf_printf(&all->path, "/proc/%" PRId64 "/root%.*s", pid, (int)path.len,
		   path.p);
	return try_path(all, d, path_text(all), FILE_IDENTITY_LIKELY);
}

/* Open a deleted file through a process that still maps it. */
static bool
try_mapping(struct dsos *all, struct dso *d, int64_t pid)
{
	all->path.len = 0;
	return pid != 0 && container_mapping(&all->path, pid, d->file->path) &&
	       try_path(all, d, path_text(all), FILE_IDENTITY_LIKELY);
}

static bool
try_fetch(struct dsos *all, struct dso *d)
{
	struct str id = file_identity_recorded(all->features, d->file);
	struct elf *elf;
	const char *why;
	int fd;

	if (all->fetch == NULL || id.len < 2)
		return false;
	fd = debuginfod_file(all->fetch, DEBUGINFOD_PROGRAM, id, d->file->path);
	if (fd < 0)
		return false;
	elf = elf_open_fd(fd, NULL, all->elf, &why);
	close(fd);
	return try_elf(all, d, elf, FILE_IDENTITY_LIKELY);
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
	/* A file at the path of a deleted one needs the same build-id. */
	if (!gone || file_identity_recorded(all->features, d->file).len > 0) {
		all->path.len = 0;
		buf_str(&all->path, path);
		if (try_path(all, d, path_text(all),
			     d->foreign ? FILE_IDENTITY_PROVEN :
					  FILE_IDENTITY_LIKELY))
			return;
	}
	if (try_cache(all, d) ||
	    (!d->foreign && try_process(all, d, pid, path)))
		return;
	try_fetch(all, d);
}

/*
 * Use this kernel's vdso, if the recording is from this kernel.  The vdso of
 * 32-bit programs can only be copied from a process that runs.
 */
static void
open_vdso(struct dsos *all, struct dso *d)
{
	struct buf copy = { 0 };
	struct str image, id = file_identity_recorded(all->features, d->file);
	struct utsname here;
	const char *why;

	if (all->elf->symfs != NULL)
		return;
	if (id.len == 0 &&
	    (uname(&here) != 0 ||
	     !str_eq(all->features->osrelease, str_of(here.release))))
		return;
	if (str_eq(d->file->path, STR("[vdso]")))
		image = vdso_image();
	else
		image = vdso_copy(d->file->pid, &copy) ? buf_slice(&copy) :
							 STR("");
	if (image.len > 0)
		d->elf = elf_open_memory(image, all->elf, &why);
	buf_free(&copy);
	if (d->elf != NULL && id.len > 0 &&
	    !file_identity_equal(id, elf_build_id(d->elf))) {
		elf_close(d->elf);
		d->elf = NULL;
	}
}

static const struct perfmap *
find_map(struct dsos *all, int64_t pid)
{
	return jit_discover_map(all->jit, pid, all->elf->symfs);
}

static void
open_map(struct dsos *all, struct dso *d)
{
	const char *symfs = all->elf->symfs;

	buf_printf(&d->map_path, "%s/tmp/perf-%" PRId64 ".map",
		   symfs == NULL ? "" : symfs, d->file->pid);
	d->map = find_map(all, d->file->pid);
	/* Without a map, a memory file is a program rather than JIT code. */
	d->jit = d->map != NULL || !str_starts(d->file->path, STR("/memfd:"));
}

static struct dso *get(struct dsos *all, const struct mapped_file *file);

/* The base's file for a fork. */
static struct dso *
fork_dso(struct dsos *fork, const struct mapped_file *file)
{
	struct dso *d = mem_alloc(sizeof(*d));

	pthread_mutex_lock(&fork->base->lock);
	*d = *get(fork->base, file);
	if (d->elf != NULL)
		d->elf = elf_fork(d->elf);
	pthread_mutex_unlock(&fork->base->lock);
	d->first = d->symbols = 0;
	d->missed = 0;
	return d;
}

static struct dso *
open_dso(struct dsos *all, const struct mapped_file *file)
{
	struct dso *d;

	if (all->base != NULL)
		return fork_dso(all, file);
	d = mem_alloc(sizeof(*d));
	*d = (struct dso){ .file = file };
	if (addr_space_is_anonymous(file))
		open_map(all, d);
	else if (str_eq(file->path, STR("[vdso]")) ||
		 str_eq(file->path, STR("[vdso32]")))
		open_vdso(all, d);
	else if (str_starts(file->path, STR("/")))
		open_file(all, d);
	return d;
}

static struct dso *
get(struct dsos *all, const struct mapped_file *file)
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

bool
dso_forget(struct dsos *all, const struct mapped_file *file)
{
	struct dso *d = file->number < all->n ? all->dso[file->number] : NULL;
	const bool is_unknown = d == NULL || d->jit;

	if (d == NULL)
		return true;
	close_dso(d);
	all->dso[file->number] = NULL;
	return is_unknown;
}

static bool
find_in_map(const struct perfmap *map, uint64_t address,
	    struct dso_symbol *found)
{
	struct symbol symbol;

	if (map == NULL || !perfmap_find(map, address, &symbol))
		return false;
	*found = (struct dso_symbol){ symbol.name, symbol.start };
	return true;
}

/* A child puts code into memory of its parent, and into a map of its own. */
static bool
find_jit(struct dsos *all, const struct dso *d, int64_t pid, uint64_t address,
	 struct dso_symbol *found)
{
	return (pid != d->file->pid &&
		find_in_map(find_map(all, pid), address, found)) ||
	       find_in_map(d->map, address, found);
}

struct str
dso_plain(struct dsos *all, struct str name)
{
	return demangle_cache_name(all->plain, name);
}

/* The file's virtual address for an address of the process. */
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
dso_is_jit(struct dsos *all, const struct mapped_file *file)
{
	return get(all, file)->jit;
}

/* Number the symbols; the number after the last is for code without one. */
static void
number_symbols(struct dsos *all, struct dso *d)
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

	all->counted = NULL;
	if (d->jit)
		return 0;
	if (d->first == 0)
		number_symbols(all, d);
	if (to_vaddr(d, m, address, &vaddr))
		number = symtab_number(elf_symtab(d->elf), vaddr);
	if (number != SYMTAB_NONE)
		return d->first + number;
	d->missed++;
	all->counted = &d->missed;
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

void
dso_read_symbols(struct dsos *all, const struct mapping *m)
{
	const struct dso *d = get(all, m->file);

	if (d->elf != NULL)
		elf_symtab(d->elf);
}

void
dso_read_inlines(struct dsos *all, const struct mapping *m, uint64_t address,
		 bool lines)
{
	const struct elf_frame *frames;

	dso_inlines(all, m, address, lines, &frames);
}

/* The table of system calls in a vdso of 32-bit programs without a file. */
static struct cfi *
vdso_cfi(struct dsos *all, uint64_t address, uint64_t *bias)
{
	const struct arch *arch = arch_named(all->features->arch);

	if (arch != NULL && arch->word == 8)
		arch = arch->compat;
	if (arch == NULL || !knowncode_is_call(arch, address))
		return NULL;
	if (all->call == NULL)
		all->call = knowncode_call(arch);
	*bias = address;
	return all->call;
}

struct cfi *
dso_cfi(struct dsos *all, const struct mapping *m, uint64_t address,
	uint64_t *bias)
{
	struct dso *d = get(all, m->file);
	struct dso_symbol symbol;
	uint64_t vaddr;

	*bias = 0;
	if (find_in_map(d->map, address, &symbol) &&
	    knowncode_is_python(symbol.name)) {
		if (all->python == NULL)
			all->python = knowncode_python(
			    arch_named(all->features->arch));
		*bias = symbol.start;
		return all->python;
	}
	if (d->elf == NULL && str_eq(d->file->path, STR("[vdso32]")))
		return vdso_cfi(all, address, bias);
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
dso_name(struct dsos *all, const struct mapped_file *file)
{
	const struct dso *d = get(all, file);

	return d->jit ? buf_slice(&d->map_path) : file->path;
}

/* Notes. */

/* The file with the most addresses without a name, not noted yet. */
static struct dso *
find_worst(const struct dsos *all)
{
	struct dso *d, *most = NULL;
	size_t i;

	for (i = 0; i < all->n; i++) {
		d = all->dso[i];
		if (d == NULL || d->missed == 0 || d->jit ||
		    !str_starts(d->file->path, STR("/")))
			continue;
		/* .gnu_debugdata has all functions, but none in a PLT. */
		if (d->elf != NULL && elf_source(d->elf) < ELF_MINIDEBUG)
			d->problem = NO_SYMBOLS;
		if (d->problem != FINE &&
		    (most == NULL || d->missed > most->missed))
			most = d;
	}
	return most;
}

/* Files whose units are in files that are missing. */
static bool
note_units(struct dsos *all, struct buf *line)
{
	struct dso *d;
	size_t i;

	for (i = 0; i < all->n; i++) {
		d = all->dso[i];
		if (d == NULL || d->elf == NULL || d->noted_units)
			continue;
		d->noted_units = true;
		if (elf_note_units(d->elf, d->file->path, line))
			return true;
	}
	return false;
}

bool
dso_note(struct dsos *all, struct buf *line)
{
	struct dso *d;

	if ((all->fetch != NULL && debuginfod_note(all->fetch, line)) ||
	    note_units(all, line))
		return true;
	d = all->notes++ < NOTES ? find_worst(all) : NULL;
	if (d == NULL)
		return false;
	d->missed = 0;
	utf8_escape(line, d->file->path);
	if (d->problem == CHANGED)
		buf_str(
		    line,
		    STR(" changed since the recording: not using its names"));
	else if (d->problem == NOT_FOUND)
		buf_str(line, STR(": not found, so no names; see --symfs"));
	else
		buf_str(line, STR(" has no symbols: install its debug "
				  "package"));
	return true;
}
