/* perfmap.c - symbols of JIT code from a file like /tmp/perf-PID.map. */
#include "jit/perfmap.h"

#include "base/mem.h"
#include "os/readfile.h"
#include "os/sys_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct perfmap {
	struct symtab *symbols;
	uint64_t lines, bad;
};

/* Cut off the next number.  The JDK writes blanks and 0x before it. */
static bool
cut_number(struct str *line, uint64_t *n)
{
	size_t len;

	*line = str_trim(*line);
	for (len = 0;
	     len < line->len && line->p[len] != ' ' && line->p[len] != '\t';
	     len++)
		;
	if (len > 2 && line->p[0] == '0' && (line->p[1] | 0x20) == 'x') {
		*line = str_skip(*line, 2);
		len -= 2;
	}
	if (!str_hex((struct str){ line->p, len }, n))
		return false;
	*line = str_skip(*line, len);
	return true;
}

/* "7f0000001000 20 name with blanks"; see perf's jit-interface.txt. */
static void
read_line(struct perfmap *m, struct str line)
{
	uint64_t start, size, end;

	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return;
	m->lines++;
	if (!cut_number(&line, &start) || !cut_number(&line, &size) ||
	    __builtin_add_overflow(start, size, &end)) {
		m->bad++;
		return;
	}
	symtab_add(m->symbols, start, end, false, 0, str_trim(line));
}

static struct perfmap *
new_map(void)
{
	struct perfmap *m = mem_zero(1, sizeof(*m));

	m->symbols = symtab_new(SYMTAB_LAST);
	return m;
}

static void
read_lines(void *arg, struct str lines)
{
	struct perfmap *m = arg;

	while (lines.len > 0)
		read_line(m, str_cut(&lines, '\n'));
}

struct perfmap *
perfmap_read(struct str text)
{
	struct perfmap *m = new_map();

	read_lines(m, text);
	symtab_sort(m->symbols);
	return m;
}

struct perfmap *
perfmap_open(const char *path, enum trust trust, uint32_t owner,
	     const char **why)
{
	int fd = owner_check_open(path, trust, owner, why);
	struct perfmap *m;

	if (fd < 0)
		return NULL;
	m = new_map();
	if (readfile_lines(fd, read_lines, m)) {
		symtab_sort(m->symbols);
	} else {
		sys_error_check(path);
		*why = strerror(errno);
		perfmap_free(m);
		m = NULL;
	}
	close(fd);
	return m;
}

void
perfmap_free(struct perfmap *m)
{
	if (m == NULL)
		return;
	symtab_free(m->symbols);
	free(m);
}

bool
perfmap_find(const struct perfmap *m, uint64_t address, struct symbol *found)
{
	return symtab_find(m->symbols, address, found);
}

uint32_t
perfmap_number(const struct perfmap *m, uint64_t address)
{
	return symtab_number(m->symbols, address);
}

struct symbol
perfmap_symbol(const struct perfmap *m, uint32_t number)
{
	return symtab_symbol(m->symbols, number);
}

size_t
perfmap_size(const struct perfmap *m)
{
	return symtab_size(m->symbols);
}

uint64_t
perfmap_lines(const struct perfmap *m)
{
	return m->lines;
}

uint64_t
perfmap_bad(const struct perfmap *m)
{
	return m->bad;
}
