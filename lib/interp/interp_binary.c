/* interp_binary.c - symbols of a file that a running process has mapped. */
#include "interp/interp_binary.h"

#include "elf/elffile.h"
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

static void
read_table(struct elffile *f, size_t table, uint64_t bias,
	   struct interp_symbol *symbol, size_t n, const char *parts,
	   struct interp_ranges *ranges)
{
	struct elffile_symbol s;
	size_t i, j;

	for (i = 1; table != 0 && elffile_symbol(f, table, i, &s); i++) {
		if (s.section == SHN_UNDEF)
			continue;
		if (parts != NULL && s.type == STT_FUNC &&
		    is_part(s.name, parts))
			add_range(ranges, s.value + bias, s.size);
		for (j = 0; j < n; j++) {
			if (symbol[j].address != 0 ||
			    strcmp(s.name, symbol[j].name) != 0)
				continue;
			symbol[j].address = s.value;
			if (s.type != STT_TLS)
				symbol[j].address += bias;
			symbol[j].size = s.size;
		}
	}
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

bool
interp_binary_find(const struct interp_target *target, size_t map,
		   struct interp_symbol *symbol, size_t n, const char *parts,
		   struct interp_ranges *ranges)
{
	const struct proc_map *m = &target->map[map];
	const int fd = open_mapped(target->pid, m);
	const size_t before = ranges == NULL ? 0 : ranges->n;
	struct elffile *f;
	const char *why;
	uint64_t bias;

	f = fd < 0 ? NULL : elffile_open(fd, &why);
	if (f == NULL)
		return false;
	if (find_bias(f, m, &bias)) {
		read_table(f, elffile_typed(f, SHT_DYNSYM), bias, symbol, n,
			   parts, ranges);
		read_table(f, elffile_typed(f, SHT_SYMTAB), bias, symbol, n,
			   parts, ranges);
		if (parts != NULL)
			add_cold(f, bias, ranges, before);
	}
	elffile_close(f);
	return true;
}

void
interp_binary_visit(
    const struct interp_target *target, size_t map, struct str prefix,
    void (*visit)(void *arg, const struct interp_symbol *symbol), void *arg)
{
	const struct proc_map *m = &target->map[map];
	const int fd = open_mapped(target->pid, m);
	struct interp_symbol found;
	struct elffile_symbol s;
	struct elffile *f;
	const char *why;
	uint64_t bias;
	size_t table, i;

	f = fd < 0 ? NULL : elffile_open(fd, &why);
	if (f == NULL)
		return;
	table = elffile_typed(f, SHT_SYMTAB);
	if (table != 0 && find_bias(f, m, &bias)) {
		for (i = 1; elffile_symbol(f, table, i, &s); i++) {
			if (s.section == SHN_UNDEF ||
			    !str_starts(str_of(s.name), prefix))
				continue;
			found = (struct interp_symbol){ s.name, s.value + bias,
							s.size };
			visit(arg, &found);
		}
	}
	elffile_close(f);
}

bool
interp_binary_largest(const struct interp_target *target, size_t map,
		      struct interp_ranges *ranges)
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
		start = interp_cold_find_largest(f, &end);
	if (start != 0)
		add_range(ranges, start + bias, end - start);
	elffile_close(f);
	return start != 0;
}
