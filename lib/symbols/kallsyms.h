/* kallsyms.h - the kernel's symbols from a file like /proc/kallsyms. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "elf/symtab.h"

struct kallsyms;

/*
 * Read the text symbols of a file with lines "address type name [module]".  Of
 * several names for one address the last is used, as perf does.  NULL, with a
 * reason in *why, if the file cannot be read or has no symbols.  A file with
 * only zero addresses (kptr_restrict) is accepted and has no symbols.
 */
struct kallsyms *kallsyms_open(const char *path, const char **why);
void kallsyms_free(struct kallsyms *k);

/* Whether all addresses are zero, because the reader had no right to them. */
bool kallsyms_hidden(const struct kallsyms *k);

/*
 * Find the symbol at an address, and "[kernel.kallsyms]" or "[module]".  Both
 * are valid as long as k, and have no NUL at the end.  The last symbol of a
 * module, and of the kernel, ends a page after its start, rounded up to a page.
 */
bool kallsyms_find(const struct kallsyms *k, uint64_t address,
		   struct symbol *found, struct str *module);

/*
 * The address of _text, else of _stext, else 0.  It differs after each boot, so
 * it tells whether the file belongs to a recording.
 */
uint64_t kallsyms_text(const struct kallsyms *k);

/*
 * The kernel image, from _stext to before _etext.  False if unknown.  Modules
 * are outside of it, at other addresses after each boot.
 */
bool kallsyms_image(const struct kallsyms *k, uint64_t *start, uint64_t *end);

#endif
