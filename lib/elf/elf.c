/* elf.c - an ELF file: symbols, unwind tables, source lines. */
#include "elf/elf.h"

#include "base/mem.h"
#include "base/once.h"
#include "base/utf8.h"
#include "elf/dwarf_package.h"
#include "elf/elfdebug.h"
#include "elf/elffile.h"
#include "elf/elfgo.h"
#include "elf/elflines.h"
#include "elf/elfsyms.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Debug information. */
struct elf_lines {
	struct once read;
	struct elflines *lines; /* NULL: there is none */
	struct elffile *shared; /* supplementary debug file (dwz), or NULL */
	struct dwarf_package *package; /* of split units, or NULL */
};

struct elf {
	struct elffile *file;
	struct elffile *debug; /* separate debug file, or NULL */
	atomic_bool debug_searched;
	struct buf image, id, path;
	struct buf hdr, frames; /* .eh_frame_hdr and .eh_frame, from segments */
	struct buf go;          /* .debug_frame made from Go's table */
	const struct elf_paths *paths;
	struct once symtab_read, cfi_read;
	struct symtab *symtab;
	struct cfi *cfi;        /* NULL: there are no tables */
	struct elf_lines names; /* without lines and variables */
	struct elf_lines lines; /* with all */
	enum elf_source source;

	/* libelf lets one thread read file and debug. */
	pthread_mutex_t files;

	struct elf *base; /* of a fork, which has its tables; or NULL */
	struct elf *forks, *next;
	struct elf_frame *inlines; /* copied from the base */
	size_t inlines_cap;
};

static const struct elf_paths default_paths;

static struct elf *
new_elf(const char *path, const struct elf_paths *paths)
{
	struct elf *e = mem_zero(1, sizeof(*e));
	pthread_mutexattr_t recursive;

	e->paths = paths != NULL ? paths : &default_paths;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&e->files, &recursive);
	pthread_mutexattr_destroy(&recursive);
	if (path != NULL)
		buf_add(&e->path, path, strlen(path) + 1);
	return e;
}

struct elf *
elf_fork(struct elf *e)
{
	struct elf *fork = new_elf(NULL, e->paths);

	fork->base = e;
	fork->file = e->file;
	fork->next = e->forks;
	e->forks = fork;
	return fork;
}

/* Give the object its file, or free it if there is none. */
static struct elf *
set_file(struct elf *e, struct elffile *file)
{
	if (file == NULL) {
		elf_close(e);
		return NULL;
	}
	e->file = file;
	buf_str(&e->id, elffile_build_id(file));
	return e;
}

struct elf *
elf_open(const char *path, const struct elf_paths *paths, const char **why)
{
	struct elf *e = new_elf(path, paths);
	struct buf whole = { 0 };
	int fd;

	if (e->paths->symfs != NULL && path[0] == '/')
		buf_str(&whole, str_of(e->paths->symfs));
	buf_add(&whole, path, strlen(path) + 1);
	/* Do not wait for a FIFO, nor get a controlling terminal. */
	fd = open(whole.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		sys_error_check(whole.p);
	buf_free(&whole);
	if (fd < 0) {
		*why = strerror(errno);
		elf_close(e);
		return NULL;
	}
	return set_file(e, elffile_open(fd, why));
}

struct elf *
elf_open_fd(int fd, const char *path, const struct elf_paths *paths,
	    const char **why)
{
	struct elf *e = new_elf(path, paths);

	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		sys_error_check("an ELF file");
		*why = strerror(errno);
		elf_close(e);
		return NULL;
	}
	return set_file(e, elffile_open(fd, why));
}

struct elf *
elf_open_memory(struct str image, const struct elf_paths *paths,
		const char **why)
{
	struct elf *e = new_elf(NULL, paths);

	buf_str(&e->image, image);
	return set_file(e, elffile_open_memory(buf_slice(&e->image), why));
}

static void
close_lines(struct elf_lines *l)
{
	elflines_close(l->lines);
	elffile_close(l->shared);
	dwarf_package_free(l->package);
}

static void
close_forks(struct elf *e)
{
	struct elf *fork;

	while ((fork = e->forks) != NULL) {
		e->forks = fork->next;
		elflines_close(fork->names.lines);
		elflines_close(fork->lines.lines);
		pthread_mutex_destroy(&fork->files);
		free(fork->inlines);
		free(fork);
	}
}

void
elf_close(struct elf *e)
{
	if (e == NULL)
		return;
	close_forks(e);
	pthread_mutex_destroy(&e->files);
	symtab_free(e->symtab);
	cfi_free(e->cfi);
	close_lines(&e->names);
	close_lines(&e->lines);
	elffile_close(e->debug);
	elffile_close(e->file);
	buf_free(&e->image);
	buf_free(&e->id);
	buf_free(&e->path);
	buf_free(&e->hdr);
	buf_free(&e->frames);
	buf_free(&e->go);
	free(e);
}

struct str
elf_build_id(const struct elf *e)
{
	return buf_slice(&e->id);
}

uint64_t
elf_device(const struct elf *e)
{
	return elffile_head(e->file)->device;
}

uint64_t
elf_inode(const struct elf *e)
{
	return elffile_head(e->file)->inode;
}

/*
 * Files are mapped by pages, so a page may be in two segments: the code and
 * what lies before it.  Callers want the code.
 */
bool
elf_vaddr(const struct elf *e, uint64_t offset, uint64_t *vaddr)
{
	const struct elffile_segment *s, *best = NULL;
	size_t n, i;

	s = elffile_segments(e->file, &n);
	for (i = 0; i < n; i++)
		if (offset >= s[i].offset &&
		    offset - s[i].offset < s[i].file_size &&
		    (best == NULL || (s[i].executable && !best->executable)))
			best = &s[i];
	if (best == NULL)
		return false;
	*vaddr = offset - best->offset + best->vaddr;
	return true;
}

bool
elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *offset)
{
	const struct elffile_segment *s;
	size_t n;

	for (s = elffile_segments(e->file, &n); n > 0; n--, s++) {
		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->file_size) {
			*offset = vaddr - s->vaddr + s->offset;
			return true;
		}
	}
	return false;
}

bool
elf_read(const struct elf *e, uint64_t vaddr, void *to, size_t size)
{
	const struct elffile_segment *s;
	size_t n, i;

	s = elffile_segments(e->file, &n);
	for (i = 0; i < n; i++)
		if (!s[i].writable && vaddr >= s[i].vaddr &&
		    vaddr - s[i].vaddr < s[i].file_size)
			return size <= s[i].file_size - (vaddr - s[i].vaddr) &&
			       elffile_read(e->file,
					    vaddr - s[i].vaddr + s[i].offset,
					    to, size);
	return false;
}

static struct elffile *
debug_file(struct elf *e)
{
	if (e->debug_searched)
		return e->debug;
	pthread_mutex_lock(&e->files);
	if (!e->debug_searched)
		e->debug = elfdebug_open(e->file, e->path.p, e->paths);
	e->debug_searched = true;
	pthread_mutex_unlock(&e->files);
	return e->debug;
}

/* Open the same file again: nothing of it is in memory then. */
static struct elffile *
reopen(const struct elf *e, const struct elffile *f)
{
	const char *why;
	int fd;

	if (f == NULL)
		return NULL;
	if (elffile_fd(f) < 0)
		return elffile_open_memory(buf_slice(&e->image), &why);
	fd = fcntl(elffile_fd(f), F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? NULL : elffile_open(fd, &why);
}

/*
 * libelf keeps what it has read until the file is closed.  So read the tables
 * from a file opened for that; only the symtab stays in memory.
 */
static void
read_symtab(struct elf *e)
{
	struct elffile *file = reopen(e, e->file);
	struct elffile *debug = reopen(e, debug_file(e));

	if (file != NULL) {
		e->symtab = elfsyms_read(file, debug, &e->source);
	} else {
		e->symtab = symtab_new(SYMTAB_BEST);
		symtab_sort(e->symtab);
	}
	elffile_close(file);
	elffile_close(debug);
}

const struct symtab *
elf_symtab(struct elf *e)
{
	struct elf *of = e->base != NULL ? e->base : e;

	if (once_begin(&of->symtab_read)) {
		read_symtab(of);
		once_end(&of->symtab_read);
	}
	return of->symtab;
}

struct elf_visit {
	const struct elf *elf;
	void (*each)(void *arg, const struct elf_function *);
	void *arg;
};

/* Functions in no segment have no place in the file. */
static void
visit(void *arg, const struct elf_function *function)
{
	const struct elf_visit *v = arg;
	const struct elffile_segment *s;
	struct elf_function f = *function;
	size_t n, i;

	s = elffile_segments(v->elf->file, &n);
	for (i = 0; i < n; i++) {
		if (!s[i].executable || f.vaddr < s[i].vaddr ||
		    f.vaddr - s[i].vaddr >= s[i].file_size)
			continue;
		f.offset = f.vaddr - s[i].vaddr + s[i].offset;
		v->each(v->arg, &f);
		return;
	}
}

bool
elf_functions(struct elf *e,
	      void (*each)(void *arg, const struct elf_function *), void *arg)
{
	struct elf_visit v = { e, each, arg };
	struct elffile *file = reopen(e, e->file),
		       *debug = reopen(e, debug_file(e));

	if (file != NULL)
		elfsyms_each(file, debug, visit, &v);
	elffile_close(debug);
	elffile_close(file);
	return file != NULL;
}

bool
elf_symbol(struct elf *e, uint64_t vaddr, struct symbol *found)
{
	return symtab_find(elf_symtab(e), vaddr, found);
}

enum elf_source
elf_source(struct elf *e)
{
	elf_symtab(e);
	return e->source;
}

static struct cfi_section
find_section(struct elffile *f, struct str name)
{
	const size_t i = elffile_named(f, name);
	const struct elffile_section *sections;
	size_t n;

	if (i == 0)
		return (struct cfi_section){ 0 };
	sections = elffile_sections(f, &n);
	return (struct cfi_section){ elffile_bytes(f, i), sections[i].vaddr };
}

/* Old compilers and Go have another name for the compressed section. */
static struct cfi_section
find_debug_frame(struct elffile *f)
{
	const struct cfi_section s = find_section(f, STR(".debug_frame"));

	return s.bytes.len > 0 ? s : find_section(f, STR(".zdebug_frame"));
}

/* Copy the part of a segment that starts at an address. */
static struct cfi_section
copy_tail(const struct elf *e, const struct elffile_segment *s, uint64_t vaddr,
	  struct buf *bytes)
{
	const uint64_t skip = vaddr - s->vaddr;

	if (skip >= s->file_size || s->file_size > elffile_head(e->file)->size)
		return (struct cfi_section){ 0 };
	buf_reserve(bytes, s->file_size - skip);
	if (!elffile_read(e->file, s->offset + skip, bytes->p,
			  s->file_size - skip))
		return (struct cfi_section){ 0 };
	bytes->len = s->file_size - skip;
	return (struct cfi_section){ buf_slice(bytes), vaddr };
}

/* Find .eh_frame by segments, in a file whose section headers were stripped. */
static void
find_eh_frame(struct elf *e, struct cfi_sections *s)
{
	const struct elffile_segment *segments;
	struct elffile_segment hdr;
	uint64_t vaddr;
	size_t n, i;

	if (!elffile_eh_frame_hdr(e->file, &hdr))
		return;
	s->eh_frame_hdr = copy_tail(e, &hdr, hdr.vaddr, &e->hdr);
	if (!cfi_eh_frame_vaddr(s, &vaddr))
		return;
	segments = elffile_segments(e->file, &n);
	for (i = 0; i < n; i++)
		if (vaddr - segments[i].vaddr < segments[i].file_size)
			s->eh_frame = copy_tail(e, &segments[i], vaddr,
						&e->frames);
}

/* The table is read from a file opened for that, as in elf_symtab(). */
static struct cfi_section
go_frames(struct elf *e)
{
	struct elffile *file = NULL;

	if (elfgo_is(e->file))
		file = reopen(e, e->file);
	if (file != NULL)
		elfgo_frames(file, &e->go);
	elffile_close(file);
	return (struct cfi_section){ buf_slice(&e->go), 0 };
}

static void
read_cfi(struct elf *e)
{
	const struct elffile_head *head = elffile_head(e->file);
	struct cfi_sections s = { .is_64 = head->is_64, .swap = head->swap };

	s.eh_frame = find_section(e->file, STR(".eh_frame"));
	s.eh_frame_hdr = find_section(e->file, STR(".eh_frame_hdr"));
	s.sframe = find_section(e->file, STR(".sframe"));
	if (s.eh_frame.bytes.len == 0)
		find_eh_frame(e, &s);
	/* Go's own .debug_frame ignores that some functions switch stacks. */
	s.debug_frame = go_frames(e);
	if (s.debug_frame.bytes.len == 0)
		s.debug_frame = find_debug_frame(e->file);
	if (s.debug_frame.bytes.len == 0 && debug_file(e) != NULL)
		s.debug_frame = find_debug_frame(e->debug);
	e->cfi = cfi_new(&s);
}

struct cfi *
elf_cfi(struct elf *e)
{
	struct elf *of = e->base != NULL ? e->base : e;

	if (once_begin(&of->cfi_read)) {
		pthread_mutex_lock(&of->files);
		read_cfi(of);
		pthread_mutex_unlock(&of->files);
		once_end(&of->cfi_read);
	}
	return of->cfi;
}

static struct dwarf_package *
open_package(struct elf *e, struct elffile *f)
{
	struct elffile *package = elfdebug_open_package(f, e->path.p, e->paths);

	return package == NULL ? NULL : dwarf_package_new(package);
}

static bool
open_lines(struct elf *e, struct elffile *f, struct elf_lines *l)
{
	if (f == NULL)
		return false;
	pthread_mutex_lock(&e->files);
	l->shared = elfdebug_open_shared(f, e->paths);
	l->package = open_package(e, f);
	pthread_mutex_unlock(&e->files);
	l->lines = elflines_open(f, l->shared, l->package, l == &e->lines);
	return l->lines != NULL;
}

/* The debug information, with lines and variables or not; NULL without. */
static struct elflines *
lines_of(struct elf *e, bool all)
{
	struct elf_lines *l = all || e->lines.read.made ? &e->lines : &e->names;

	if (once_begin(&l->read)) {
		if (!open_lines(e, debug_file(e), l)) {
			close_lines(l);
			open_lines(e, e->file, l);
		}
		once_end(&l->read);
	}
	return l->lines;
}

/* The base's debug information for a fork; NULL if there is none to fork. */
static struct elflines *
fork_lines(struct elf *e, bool all)
{
	struct elf_lines *l = all ? &e->lines : &e->names;
	const struct elflines *of;

	if (once_begin(&l->read)) {
		of = lines_of(e->base, all);
		pthread_mutex_lock(&e->base->files);
		if (of != NULL)
			l->lines = elflines_fork(of);
		pthread_mutex_unlock(&e->base->files);
		once_end(&l->read);
	}
	return l->lines;
}

/* Ask the base, one thread at a time. */
static size_t
base_inlines(struct elf *e, uint64_t vaddr, bool lines,
	     const struct elf_frame **frames)
{
	const struct elf_frame *found;
	size_t n;

	pthread_mutex_lock(&e->base->files);
	n = elf_inlines(e->base, vaddr, lines, &found);
	e->inlines = mem_grow(e->inlines, &e->inlines_cap, n + 1,
			      sizeof(*found));
	if (n > 0)
		memcpy(e->inlines, found, n * sizeof(*found));
	pthread_mutex_unlock(&e->base->files);
	*frames = e->inlines;
	return n;
}

size_t
elf_inlines(struct elf *e, uint64_t vaddr, bool lines,
	    const struct elf_frame **frames)
{
	struct elflines *l = e->base != NULL ? fork_lines(e, lines) :
					       lines_of(e, lines);

	if (l == NULL && e->base != NULL)
		return base_inlines(e, vaddr, lines, frames);
	*frames = NULL;
	return l == NULL ? 0 : elflines_find(l, vaddr, lines, frames);
}

bool
elf_note_units(const struct elf *e, struct str path, struct buf *note)
{
	const struct elf_lines *l = e->lines.read.made ? &e->lines : &e->names;
	struct str name;
	size_t n = l->lines == NULL ? 0 : elflines_missing(l->lines, &name);

	if (n == 0)
		return false;
	utf8_escape(note, path);
	buf_printf(note,
		   ": no inlined functions of %zu compilation unit%s, because ",
		   n, n == 1 ? "" : "s");
	utf8_escape(note, name);
	buf_printf(note,
		   "%s not found: keep .dwo files, or a .dwp package "
		   "next to this program",
		   n == 1 ? " was" : " and others were");
	return true;
}

void
elf_lines(struct elf *e, uint64_t of,
	  void (*each)(void *arg, const struct elf_line *line), void *arg)
{
	const struct elflines *l = lines_of(e, true);

	if (l != NULL)
		elflines_each(l, of, each, arg);
}

bool
elf_variable(struct elf *e, uint64_t vaddr, bool at_entry,
	     struct str expression, bool string, struct variable_value *v,
	     struct buf *why)
{
	struct variable_query q = { .vaddr = vaddr,
				    .at_entry = at_entry,
				    .expression = expression,
				    .string = string };
	struct elflines *l = lines_of(e, true);
	struct cfi *cfi = elf_cfi(e);
	struct cfi_row row;

	if (l == NULL ||
	    !elflines_function(l, &q.vaddr, &q.unit, &q.function)) {
		buf_printf(why, "no debug information for this address");
		return false;
	}
	if (cfi != NULL && cfi_find(cfi, vaddr, &row) &&
	    row.cfa.how == CFI_REGISTER) {
		q.has_cfa = true;
		q.cfa_register = row.cfa_register;
		q.cfa_offset = row.cfa.n;
	}
	return variable_find(&q, v, why);
}

void
elf_frame_line(const struct elf_frame *f, struct buf *to)
{
	const char *slash;

	if (f->file.len == 0 || f->line == 0)
		return;
	slash = memrchr(f->file.p, '/', f->file.len);
	buf_str(to, slash == NULL ?
			f->file :
			str_range(slash + 1, f->file.p + f->file.len));
	buf_printf(to, ":%" PRIu32, f->line);
}
