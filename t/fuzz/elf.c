/*
 * elf - lib/elf as a libFuzzer target: an ELF file comes in, and is asked
 * for its symbols, for exported ones by name, for the rules at some of its
 * addresses, and for variables there.  Lines are left out, which are libdw's.
 */
#include "elf/elf.h"
#include "elf/elfexport.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
ask(struct elf *e)
{
	const struct symtab *t = elf_symtab(e);
	struct cfi *c = elf_cfi(e);
	struct cfi_row *row = malloc(sizeof(*row));
	struct symbol s;
	uint64_t vaddr;
	char bytes[16];
	size_t i;

	for (i = 0; i < symtab_size(t) && i < 1000; i++) {
		s = symtab_symbol(t, i);
		if (!elf_symbol(e, s.end - 1, &s) || s.name.p == NULL)
			abort();
		elf_read(e, s.start, bytes, sizeof(bytes));
		if (c != NULL)
			cfi_find(c, s.start, row);
	}
	for (i = 0; i < 4096; i += 64)
		if (elf_vaddr(e, i, &vaddr) && c != NULL)
			cfi_find(c, vaddr, row);
	free(row);
}

/* Types and places of variables are read by us, with libdw's help. */
static void
ask_variables(struct elf *e)
{
	static const char *const names[] = { "id", "req->next->id", "text[1]" };
	const struct symtab *t = elf_symtab(e);
	struct variable_value value;
	struct buf why = { 0 };
	struct symbol s;
	size_t i, j;

	for (i = 0; i < symtab_size(t) && i < 20; i++) {
		s = symtab_symbol(t, i);
		for (j = 0; j < sizeof(names) / sizeof(*names); j++)
			elf_variable(e, s.start, j > 0, str_of(names[j]), j > 1,
				     &value, &why);
	}
	buf_free(&why);
}

static void
ask_exports(struct str image)
{
	static const char *const names[] = { "main", "printf", "" };
	struct elffile_symbol s;
	struct elffile *f;
	const char *why;
	size_t i;

	f = elffile_open_memory(image, &why);
	for (i = 0; f != NULL && i < sizeof(names) / sizeof(*names); i++)
		elfexport_find(f, names[i], &s);
	if (f != NULL)
		elffile_close(f);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *const no_dirs[] = { NULL };
	const struct elf_paths places = { .debug_dirs = no_dirs };
	const char *why;
	struct elf *e;

	ask_exports((struct str){ (const char *)data, size });
	e = elf_open_memory((struct str){ (const char *)data, size }, &places,
			    &why);
	if (e == NULL)
		return 0;
	ask(e);
	ask_variables(e);
	elf_close(e);
	return 0;
}
