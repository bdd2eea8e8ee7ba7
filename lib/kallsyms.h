/* kallsyms.h - the kernel's symbols, as in /proc/kallsyms. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "symtab.h"

struct kallsyms;

/*
 * Read the text symbols of a file of lines "address type name [module]"; of
 * equal addresses the last line names it, as perf has it.  NULL, with a
 * reason in *why, if it cannot be read or has no symbol.  A file whose
 * addresses are all 0 (kptr_restrict) is read, and has no symbols.
 */
struct kallsyms *kallsyms_open(const char *path, const char **why);
void kallsyms_free(struct kallsyms *k);

/* Whether the addresses were hidden from who made the file. */
bool kallsyms_hidden(const struct kallsyms *k);

/*
 * The symbol of an address, no NUL behind its name, and "[kernel.kallsyms]" or
 * "[module]", for as long as k lives.  The last symbol of a module, and of the
 * kernel, ends with the page after it.
 */
bool kallsyms_find(const struct kallsyms *k, uint64_t address,
		   struct symbol *found, struct str *module);

/*
 * The address of _text, or else of _stext, 0 if there is neither: it tells
 * whether the file is of the boot of a recording, whose first mapping has it.
 */
uint64_t kallsyms_text(const struct kallsyms *k);

/*
 * Where the kernel's own code is, from _stext to before _etext; false if that
 * is not known.  Modules are elsewhere, at other places after each boot.
 */
bool kallsyms_image(const struct kallsyms *k, uint64_t *start, uint64_t *end);

#endif
