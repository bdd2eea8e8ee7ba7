/* interp_binary.c - symbols of a file that a running process has mapped. */
#include "interp/interp_binary.h"

#include "elf/elfexport.h"
#include "elf/elffile.h"
#include "elf/elfgo.h"
#include "interp/interp_cold.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool
interp_binary_in(const struct interp_ranges *r, uint64_t address)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (address >= r->range[i].start && address < r->range[i].end)
			return true;
	}
	return false;
}

struct str
interp_binary_name(struct str path)
{
	const char *slash = path.len == 0 ? NULL :
					    memrchr(path.p, '/', path.len);

	return slash == NULL ? path : str_range(slash + 1, path.p + path.len);
}

/* Open a path if it still is the file that was mapped. */
static int
open_same(const char *path, const struct proc_map *m)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_ino != m->inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Open a mapped file: the file itself, which takes CAP_CHECKPOINT_RESTORE; or
 * its path below the root of the process; or its path as it stands, since of a
 * process in a chroot the kernel shows us paths from our own root.
 */
static int
open_mapped(int64_t pid, const struct proc_map *m)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path),
		 "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 m->start, m->end);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 || m->path.len > 4096)
		return fd;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/root%.*s", pid,
		 (int)m->path.len, m->path.p);
	fd = open_same(path, m);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%.*s", (int)m->path.len, m->path.p);
	return open_same(path, m);
}

/* The difference between addresses of the process and of the file. */
static bool
find_bias(const struct elffile *f, const struct proc_map *m, uint64_t *bias)
{
	const struct elffile_segment *s;
	const uint64_t page = 4096;
	size_t i, n;

	s = elffile_segments(f, &n);
	for (i = 0; i < n; i++) {
		if (s[i].offset / page * page != m->offset)
			continue;
		*bias = m->start - (s[i].vaddr - (s[i].offset - m->offset));
		return true;
	}
	return false;
}

/* Whether a symbol is name, or "name.cold" and the like. */
static bool
is_part(const char *symbol, const char *name)
{
	const size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 &&
	       (symbol[n] == '\0' || symbol[n] == '.');
}

static void
add_range(struct interp_ranges *ranges, uint64_t start, uint64_t size)
{
	struct interp_range *r = &ranges->range[ranges->n];
	size_t i;

	for (i = 0; i < ranges->n; i++) {
		if (ranges->range[i].start == start)
			return;
	}
	if (size == 0 || ranges->n == INTERP_BINARY_RANGES)
		return;
	*r = (struct interp_range){ start, start + size };
	ranges->n++;
}

/* A search for symbols of one file. */
struct binary_search {
	struct elffile *f;
	uint64_t bias;
	struct interp_symbol *symbol;
	size_t n;
	const char *parts;
	struct interp_ranges *ranges;
};

static void
set_symbol(const struct binary_search *b, struct interp_symbol *symbol,
	   const struct elffile_symbol *s)
{
	symbol->address = s->value + (s->type == STT_TLS ? 0 : b->bias);
	symbol->size = s->size;
}

static void
set_part(const struct binary_search *b, const struct elffile_symbol *s)
{
	if (s->type == STT_FUNC)
		add_range(b->ranges, s->value + b->bias, s->size);
}

static void
read_table(const struct binary_search *b, size_t table)
{
	struct elffile_symbol s;
	size_t i, j;

	for (i = 1; table != 0 && elffile_symbol(b->f, table, i, &s); i++) {
		if (s.section == SHN_UNDEF)
			continue;
		if (b->parts != NULL && is_part(s.name, b->parts))
			set_part(b, &s);
		for (j = 0; j < b->n; j++) {
			if (b->symbol[j].address == 0 &&
			    strcmp(s.name, b->symbol[j].name) == 0)
				set_symbol(b, &b->symbol[j], &s);
		}
	}
}

/* The same for .dynsym by its hash table, without names that have a dot. */
static void
look_up(const struct binary_search *b)
{
	struct elffile_symbol s;
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (b->symbol[i].address == 0 &&
		    elfexport_find(b->f, b->symbol[i].name, &s))
			set_symbol(b, &b->symbol[i], &s);
	}
	if (b->parts != NULL && elfexport_find(b->f, b->parts, &s))
		set_part(b, &s);
}

static void
read_exported(const struct binary_search *b)
{
	if (elfexport_has_table(b->f))
		look_up(b);
	else
		read_table(b, elffile_typed(b->f, SHT_DYNSYM));
}

static bool
is_complete(const struct binary_search *b)
{
	size_t i;

	for (i = 0; i < b->n && b->symbol[i].address != 0; i++)
		;
	return b->parts == NULL && i == b->n;
}

/* Add the parts that have no symbols, of the ranges from the first on. */
static void
add_cold(struct elffile *f, uint64_t bias, struct interp_ranges *ranges,
	 size_t first)
{
	const size_t n = ranges->n;
	uint64_t start, end;

	for (; first < n; first++) {
		start = ranges->range[first].start;
		end = ranges->range[first].end;
		start = interp_cold_find(f, start - bias, end - start, &end);
		if (start != 0)
			add_range(ranges, start + bias, end - start);
	}
}

/* Open a file and find its bias; false without one that is open. */
static bool
begin_search(struct binary_search *b, const struct interp_target *target,
	     size_t map, bool *has_bias)
{
	const struct proc_map *m = &target->map[map];
	const int fd = open_mapped(target->pid, m);
	const char *why;

	b->f = fd < 0 ? NULL : elffile_open(fd, &why);
	if (b->f == NULL)
		return false;
	*has_bias = find_bias(b->f, m, &b->bias);
	return true;
}

bool
interp_binary_find(const struct interp_target *target, size_t map,
		   struct interp_symbol *symbol, size_t n, const char *parts,
		   struct interp_ranges *ranges)
{
	struct binary_search b = {
		.symbol = symbol, .n = n, .parts = parts, .ranges = ranges
	};
	const size_t before = ranges == NULL ? 0 : ranges->n;
	bool has_bias;

	if (!begin_search(&b, target, map, &has_bias))
		return false;
	if (has_bias) {
		read_exported(&b);
		if (!is_complete(&b))
			read_table(&b, elffile_typed(b.f, SHT_SYMTAB));
		if (parts != NULL)
			add_cold(b.f, b.bias, ranges, before);
	}
	elffile_close(b.f);
	return true;
}

uint64_t
interp_binary_section(const struct interp_target *target, size_t map,
		      struct str name, uint64_t n)
{
	struct binary_search b = { 0 };
	const struct elffile_section *all;
	uint64_t address = 0;
	size_t number, count;
	bool has_bias;

	if (!begin_search(&b, target, map, &has_bias))
		return 0;
	all = elffile_sections(b.f, &count);
	number = elffile_named(b.f, name);
	if (has_bias && number != 0 && (all[number].flags & SHF_ALLOC) != 0 &&
	    all[number].size >= n)
		address = all[number].vaddr + b.bias;
	elffile_close(b.f);
	return address;
}

bool
interp_binary_find_exported(const struct interp_target *target, size_t map,
			    struct interp_symbol *symbol, size_t n)
{
	struct binary_search b = { .symbol = symbol, .n = n };
	bool has_bias;

	if (!begin_search(&b, target, map, &has_bias))
		return false;
	if (has_bias)
		read_exported(&b);
	elffile_close(b.f);
	return true;
}

void
interp_binary_visit(const struct interp_target *target, size_t map,
		    void (*visit)(void *arg,
				  const struct interp_symbol *symbol),
		    void *arg)
{
	struct binary_search b = { .n = 0 };
	struct interp_symbol found;
	struct elffile_symbol s;
	bool has_bias;
	size_t table, i;

	if (!begin_search(&b, target, map, &has_bias))
		return;
	table = has_bias ? elffile_typed(b.f, SHT_SYMTAB) : 0;
	for (i = 1; table != 0 && elffile_symbol(b.f, table, i, &s); i++) {
		if (s.section == SHN_UNDEF)
			continue;
		found.name = s.name;
		set_symbol(&b, &found, &s);
		visit(arg, &found);
	}
	elffile_close(b.f);
}

/* Append the largest of some functions: of all, if function is 0. */
static bool
add_largest(const struct interp_target *target, size_t map, uint64_t function,
	    unsigned frame, struct interp_ranges *ranges)
{
	const struct proc_map *m = &target->map[map];
	const int fd = open_mapped(target->pid, m);
	uint64_t bias, start = 0, end = 0;
	struct elffile *f;
	const char *why;

	f = fd < 0 ? NULL : elffile_open(fd, &why);
	if (f == NULL)
		return false;
	if (find_bias(f, m, &bias))
		start = function == 0 ?
			    interp_cold_find_largest(f, frame, &end) :
			    interp_cold_find_called(f, function - bias, &end);
	if (start != 0)
		add_range(ranges, start + bias, end - start);
	elffile_close(f);
	return start != 0;
}

bool
interp_binary_largest(const struct interp_target *target, size_t map,
		      unsigned frame, struct interp_ranges *ranges)
{
	return add_largest(target, map, 0, frame, ranges);
}

bool
interp_binary_called(const struct interp_target *target, size_t map,
		     uint64_t function, struct interp_ranges *ranges)
{
	return add_largest(target, map, function, 0, ranges);
}

bool
interp_binary_is_go(const struct interp_target *target, size_t map)
{
	const int fd = open_mapped(target->pid, &target->map[map]);
	const char *why;
	struct elffile *f = fd < 0 ? NULL : elffile_open(fd, &why);
	const bool is_go = f != NULL && elffile_head(f)->is_64 && elfgo_is(f);

	elffile_close(f);
	return is_go;
}
