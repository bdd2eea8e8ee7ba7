/*
 * elf - lib/elf as a libFuzzer target: an ELF file comes in, and is asked
 * for its symbols and for the rules at some of its addresses.  Lines are left
 * out, which are libdw's.
 */
#include "elf/elf.h"

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

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *const no_dirs[] = { NULL };
	const struct elf_paths places = { .debug_dirs = no_dirs };
	const char *why;
	struct elf *e;

	e = elf_open_memory((struct str){ (const char *)data, size }, &places,
			    &why);
	if (e == NULL)
		return 0;
	ask(e);
	elf_close(e);
	return 0;
}
