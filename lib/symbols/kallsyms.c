/* kallsyms.c - the kernel's symbols from a file like /proc/kallsyms. */
#include "symbols/kallsyms.h"

#include "base/mem.h"
#include "os/readfile.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct kallsyms {
	struct symtab *symbols; /* named "name\t[module]", as in the file */
	uint64_t text, stext, etext;
	uint64_t lines;
	bool hidden;
};

#define PAGE UINT64_C(4096)

/*
 * "ffffffff81000000 T _text"; in modules "ffffffffc0201000 t name\t[module]".
 * Types are those of nm(1); code is text or weak.
 */
static void
read_line(struct kallsyms *k, struct str line)
{
	const struct str address = str_cut(&line, ' ');
	const struct str type = str_cut(&line, ' ');
	uint64_t start;

	k->lines++;
	if (!str_hex(address, &start) || type.len != 1 || line.len == 0)
		return;
	if (start != 0)
		k->hidden = false;
	if (str_eq(line, STR("_text")))
		k->text = start;
	if (str_eq(line, STR("_stext")))
		k->stext = start;
	if (str_eq(line, STR("_etext")))
		k->etext = start;
	if (start != 0 && strchr("tTwW", *type.p) != NULL)
		symtab_add(k->symbols, start, UINT64_MAX, true, 0, line);
}

static void
read_lines(void *arg, struct str lines)
{
	while (lines.len > 0)
		read_line(arg, str_cut(&lines, '\n'));
}

struct kallsyms *
kallsyms_open(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kallsyms *k;
	bool good;

	if (fd < 0) {
		sys_error_check(path);
		*why = strerror(errno);
		return NULL;
	}
	k = mem_zero(1, sizeof(*k));
	k->symbols = symtab_new(SYMTAB_LAST_ALIAS);
	k->hidden = true;
	good = readfile_lines(fd, read_lines, k);
	if (!good)
		sys_error_check(path);
	*why = good ? "it has no symbols" : strerror(errno);
	close(fd);
	symtab_sort(k->symbols);
	if (!good || k->lines == 0 ||
	    (symtab_size(k->symbols) == 0 && !k->hidden)) {
		kallsyms_free(k);
		return NULL;
	}
	return k;
}

void
kallsyms_free(struct kallsyms *k)
{
	if (k == NULL)
		return;
	symtab_free(k->symbols);
	free(k);
}

bool
kallsyms_hidden(const struct kallsyms *k)
{
	return k->hidden;
}

uint64_t
kallsyms_text(const struct kallsyms *k)
{
	return k->text != 0 ? k->text : k->stext;
}

bool
kallsyms_image(const struct kallsyms *k, uint64_t *start, uint64_t *end)
{
	*start = k->stext;
	*end = k->etext;
	return k->stext != 0 && k->stext < k->etext;
}

static struct str
module_of(struct str name)
{
	str_cut(&name, '\t');
	return name;
}

/*
 * The file has no sizes: a symbol ends where the next one starts.  If that is
 * in another module, there may be a wide gap before it.
 */
static bool
is_beyond(const struct kallsyms *k, const struct symbol *s, uint64_t address)
{
	struct symbol next;

	return address - s->start >= PAGE &&
	       address >= (s->start + 2 * PAGE - 1) / PAGE * PAGE &&
	       (!symtab_find(k->symbols, s->end, &next) ||
		!str_eq(module_of(next.name), module_of(s->name)));
}

bool
kallsyms_find(const struct kallsyms *k, uint64_t address, struct symbol *found,
	      struct str *module)
{
	struct symbol s;

	if (!symtab_find(k->symbols, address, &s) || is_beyond(k, &s, address))
		return false;
	*module = module_of(s.name);
	if (module->len == 0)
		*module = STR("[kernel.kallsyms]");
	s.name = str_cut(&s.name, '\t');
	*found = s;
	return true;
}
