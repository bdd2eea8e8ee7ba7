/*
 * elfsyms - what lib/elf, kallsyms, perfmap and demangle say, for tests.
 *
 *	elfsyms [-S symfs] [-D debug-dir] [-C cache] FILE	all symbols
 *	elfsyms [...] -b FILE			its build-id
 *	elfsyms [...] -s FILE			where its symbols are from
 *	elfsyms [...] -a FILE ADDRESS...	the symbols of addresses
 *	elfsyms [...] -i FILE ADDRESS...	the inlined functions there
 *	elfsyms [...] -o FILE OFFSET...		the addresses of offsets
 *	elfsyms [...] -I FILE			-i, of addresses from stdin
 *	elfsyms -e FILE				values of exported symbols,
 *whose names are on standard input
 *	elfsyms -f FILE				CFA and return address by rules,
 *						of addresses on standard input
 *	elfsyms -k FILE ADDRESS...		the kernel symbols there
 *	elfsyms -m FILE ADDRESS...		the symbols of a perf map
 *	elfsyms -d				lines of names, demangled
 *	elfsyms [...] -t FILE			how fast, in how much memory
 */
#include "demangle/demangle.h"
#include "elf/elf.h"
#include "elf/elfexport.h"
#include "jit/perfmap.h"
#include "symbols/kallsyms.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct elf_paths places;

static uint64_t
number(const char *arg)
{
	return strtoull(arg, NULL, 16);
}

static struct elf *
open_elf(const char *path)
{
	const char *why;
	struct elf *e = elf_open(path, &places, &why);

	if (e == NULL)
		errx(1, "%s: %s", path, why);
	return e;
}

static void
print_symbol(bool found, const struct symbol *s, uint64_t at)
{
	if (found)
		printf("%.*s+0x%" PRIx64 "\n", (int)s->name.len, s->name.p,
		       at - s->start);
	else
		puts("?");
}

static void
list(const char *path)
{
	struct elf *e = open_elf(path);
	const struct symtab *t = elf_symtab(e);
	struct symbol s;
	size_t i;

	for (i = 0; i < symtab_size(t); i++) {
		s = symtab_symbol(t, i);
		printf("%016" PRIx64 " %" PRIx64 " %s\n", s.start,
		       s.end - s.start, s.name.p);
	}
	elf_close(e);
}

static void
build_id(const char *path)
{
	struct elf *e = open_elf(path);
	const struct str id = elf_build_id(e);
	size_t i;

	for (i = 0; i < id.len; i++)
		printf("%02x", (unsigned char)id.p[i]);
	puts("");
	elf_close(e);
}

static void
source(const char *path)
{
	static const char *const names[] = { "none", "dynsym", "minidebug",
					     "symtab", "debug" };
	struct elf *e = open_elf(path);

	puts(names[elf_source(e)]);
	elf_close(e);
}

static void
inlines_at(struct elf *e, uint64_t at)
{
	const struct elf_frame *f;
	size_t n = elf_inlines(e, at, true, &f), i;

	for (i = 0; i < n; i++)
		printf("%.*s%s\n%.*s:%" PRIu32 "\n", (int)f[i].name.len,
		       f[i].name.p, f[i].inlined ? " (inlined)" : "",
		       (int)f[i].file.len, f[i].file.p, f[i].line);
	if (n == 0)
		puts("?");
}

static void
ask_elf(int question, char *argv[])
{
	struct elf *e = open_elf(*argv);
	struct symbol s;
	uint64_t at, vaddr;

	while (*++argv != NULL) {
		at = number(*argv);
		if (question == 'i')
			inlines_at(e, at);
		else if (question == 'a')
			print_symbol(elf_symbol(e, at, &s), &s, at);
		else if (elf_vaddr(e, at, &vaddr))
			printf("%" PRIx64 "\n", vaddr);
		else
			puts("?");
	}
	elf_close(e);
}

static void
inlines(const char *path)
{
	struct elf *e = open_elf(path);
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0)
		inlines_at(e, number(line));
	free(line);
	elf_close(e);
}

static void
print_rules(const struct cfi_row *row)
{
	static const char *const others[] = { [CFI_SAME] = "s",
					      [CFI_UNDEFINED] = "u",
					      [CFI_AT_EXPR] = "exp",
					      [CFI_EXPR] = "vexp" };
	const struct cfi_rule *pc = &row->rules[row->return_column];

	if (row->cfa.how == CFI_REGISTER)
		printf("%" PRIu32 "%+" PRId64, row->cfa_register, row->cfa.n);
	else
		printf("exp");
	if (pc->how == CFI_AT_CFA)
		printf(" c%+" PRId64 "\n", pc->n);
	else if (pc->how == CFI_CFA)
		printf(" v%+" PRId64 "\n", pc->n);
	else if (pc->how == CFI_REGISTER)
		printf(" r%" PRId64 "\n", pc->n);
	else
		printf(" %s\n", others[pc->how]);
}

/* In the form, but for names of registers, of readelf's frames-interp. */
static void
rules(const char *path)
{
	struct elf *e = open_elf(path);
	struct cfi *c = elf_cfi(e);
	struct cfi_row row;
	char *line = NULL;
	size_t cap = 0;

	while (c != NULL && getline(&line, &cap, stdin) > 0)
		if (cfi_find(c, number(line), &row))
			print_rules(&row);
		else
			puts("?");
	free(line);
	elf_close(e);
}

static void
exported(const char *path)
{
	const char *why = "cannot be opened";
	const int fd = open(path, O_RDONLY);
	struct elffile *f = fd < 0 ? NULL : elffile_open(fd, &why);
	struct elffile_symbol s;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL)
		errx(1, "%s: %s", path, why);
	while ((n = getline(&line, &cap, stdin)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		if (elfexport_find(f, line, &s))
			printf("%016" PRIx64 " %s\n", s.value, s.name);
		else
			printf("? %s\n", line);
	}
	free(line);
	elffile_close(f);
}

static void
ask_kernel(char *argv[])
{
	const char *why;
	struct kallsyms *k = kallsyms_open(*argv, &why);
	struct str module;
	struct symbol s;
	uint64_t at;

	if (k == NULL)
		errx(1, "%s: %s", *argv, why);
	while (*++argv != NULL) {
		at = number(*argv);
		if (kallsyms_find(k, at, &s, &module))
			printf("%.*s ", (int)module.len, module.p);
		print_symbol(kallsyms_find(k, at, &s, &module), &s, at);
	}
	printf("text %" PRIx64 "%s\n", kallsyms_text(k),
	       kallsyms_hidden(k) ? " hidden" : "");
	kallsyms_free(k);
}

static void
ask_map(char *argv[], enum trust trust)
{
	const char *why;
	struct perfmap *m = perfmap_open(*argv, trust, getuid(), &why);
	struct symbol s;
	uint64_t at;

	if (m == NULL)
		errx(1, "%s: %s", *argv, why);
	while (*++argv != NULL) {
		at = number(*argv);
		print_symbol(perfmap_find(m, at, &s), &s, at);
	}
	printf("lines %" PRIu64 " bad %" PRIu64 "\n", perfmap_lines(m),
	       perfmap_bad(m));
	perfmap_free(m);
}

static void
demangle_lines(void)
{
	struct buf out = { 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0) {
		n -= line[n - 1] == '\n';
		if (!demangle(&out, (struct str){ line, (size_t)n }))
			buf_add(&out, line, (size_t)n);
		buf_char(&out, '\n');
		buf_write(&out, stdout);
	}
	free(line);
	buf_free(&out);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
measure(const char *path)
{
	double begin = now(), seconds;
	struct elf *e = open_elf(path);
	const struct symtab *t = elf_symtab(e);
	const size_t n = symtab_size(t), steps = 1000000;
	uint64_t first, last, at, hits = 0;
	struct symbol s;
	size_t i;

	seconds = now() - begin;
	printf("%zu symbols read in %.3f s, %.0f a second, %.1f MB\n", n,
	       seconds, (double)n / seconds, (double)symtab_memory(t) / 1e6);
	if (n > 0) {
		first = symtab_symbol(t, 0).start;
		last = symtab_symbol(t, n - 1).end;
		begin = now();
		for (i = 0; i < steps; i++) {
			at = first +
			     i * UINT64_C(0x9e3779b97f4a7c15) % (last - first);
			hits += elf_symbol(e, at, &s);
		}
		printf("%.0f ns a look-up, %" PRIu64 " of %zu found\n",
		       (now() - begin) * 1e9 / (double)steps, hits, steps);
	}
	elf_close(e);
}

int
main(int argc, char *argv[])
{
	const char *dirs[2] = { NULL, NULL };
	enum trust trust = OWNER_CHECK_ANYONE;
	int ch, question = 0;

	while ((ch = getopt(argc, argv, "S:D:C:ObsaiIoefkmdt")) != -1) {
		if (ch == 'S') {
			places.symfs = optarg;
		} else if (ch == 'D') {
			dirs[0] = optarg;
			places.debug_dirs = dirs;
		} else if (ch == 'C') {
			places.cache = optarg;
		} else if (ch == 'O') {
			trust = OWNER_CHECK_OWNER;
		} else if (ch == '?') {
			return 2;
		} else {
			question = ch;
		}
	}
	argv += optind;
	if (question == 'd')
		demangle_lines();
	else if (*argv == NULL)
		errx(2, "no file");
	else if (question == 0)
		list(*argv);
	else if (question == 'b')
		build_id(*argv);
	else if (question == 's')
		source(*argv);
	else if (question == 'I')
		inlines(*argv);
	else if (question == 'f')
		rules(*argv);
	else if (question == 'e')
		exported(*argv);
	else if (question == 't')
		measure(*argv);
	else if (question == 'k')
		ask_kernel(argv);
	else if (question == 'm')
		ask_map(argv, trust);
	else
		ask_elf(question, argv);
	return 0;
}
