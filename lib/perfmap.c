/* perfmap.c - symbols of JIT code, as in /tmp/perf-PID.map. */
#include "perfmap.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct perfmap {
	struct symtab *symbols;
	uint64_t lines, bad;
};

/* The next number, with blanks before it, and 0x, as the JDK writes it. */
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

/* "7f0000001000 20 name, which may have blanks", see jit-interface.txt. */
static void
read_line(struct perfmap *m, struct str line)
{
	uint64_t start, size, end;

	if (line.len > 0 && line.p[line.len - 1] == '\n')
		line.len--;
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

/* Whether a file is what it should be; else with a reason. */
static bool
is_trusted(int fd, enum perfmap_trust trust, uint32_t owner, const char **why)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		*why = strerror(errno);
		return false;
	}
	errno = 0;
	if (!S_ISREG(st.st_mode)) {
		*why = "not a regular file";
		return false;
	}
	if (trust == PERFMAP_OWNER && st.st_uid != owner &&
	    st.st_uid != geteuid() && st.st_uid != 0) {
		*why = "it belongs to another user";
		return false;
	}
	return true;
}

/* errno is 0 where the reason is ours. */
static FILE *
open_map(const char *path, enum perfmap_trust trust, uint32_t owner,
	 const char **why)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd;

	fd = open(path, trust == PERFMAP_OWNER ? flags | O_NOFOLLOW : flags);
	if (fd < 0) {
		*why = strerror(errno);
		if (errno == ELOOP && trust == PERFMAP_OWNER) {
			*why = "it is a symbolic link";
			errno = 0;
		}
		return NULL;
	}
	if (!is_trusted(fd, trust, owner, why)) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

struct perfmap *
perfmap_open(const char *path, enum perfmap_trust trust, uint32_t owner,
	     const char **why)
{
	FILE *f = open_map(path, trust, owner, why);
	struct perfmap *m;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL)
		return NULL;
	m = mem_zero(1, sizeof(*m));
	m->symbols = symtab_new(SYMTAB_LAST);
	while ((n = getline(&line, &cap, f)) > 0)
		read_line(m, (struct str){ line, (size_t)n });
	free(line);
	fclose(f);
	symtab_sort(m->symbols);
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
