/* kernel.h - the symbols of a recording's kernel. */
#ifndef KERNEL_H
#define KERNEL_H

#include "buf.h"
#include "perffeat.h"
#include "process.h"

struct kernel;

/*
 * Symbols of a file like /proc/kallsyms, which must be readable if it is
 * named: else the program ends with status 2.  Without a name, and if here
 * is where it was recorded, those of this kernel; none if they are another
 * boot's.  What perf copied of them as it recorded is read much faster than the
 * kernel writes them, and is enough for the kernel's own code.  Processes and
 * features are the caller's and outlive it.
 */
struct kernel *kernel_new(const char *kallsyms, bool here,
			  struct processes *processes,
			  const struct perf_features *features);
void kernel_free(struct kernel *k);

/*
 * The name of what is at an address at a time, empty if not known, and its
 * module, "[kernel.kallsyms]" or a module's; valid until the next call.
 */
struct str kernel_find(struct kernel *k, uint64_t address, uint64_t when,
		       struct str *module);

/* As resolver_note(). */
bool kernel_note(struct kernel *k, struct buf *line);

#endif
