/* kernel.h - the symbols of a recording's kernel. */
#ifndef KERNEL_H
#define KERNEL_H

#include "base/buf.h"
#include "perfdata/perffeat.h"
#include "symbols/process.h"

struct kernel;

/*
 * Use the symbols of a file like /proc/kallsyms.  Without a file, and if here
 * is true because this machine made the recording, use the running kernel's,
 * unless it is another kernel or was booted again.  perf's copy of kallsyms is
 * preferred for the kernel image, because it is much faster to read than
 * /proc/kallsyms.
 *
 * Processes and features outlive it.  NULL, with a message appended to *why, if
 * the file cannot be read.
 */
struct kernel *kernel_new(const char *kallsyms, bool here,
			  struct processes *processes,
			  const struct perf_features *features,
			  struct buf *why);
void kernel_free(struct kernel *k);

/*
 * The name of the function at an address at a time; empty if unknown.  *module
 * is "[kernel.kallsyms]", "[bpf]" or a module.  Both are valid until the next
 * call.
 */
struct str kernel_find(struct kernel *k, uint64_t address, uint64_t when,
		       struct str *module);

/* Read the symbols that kernel_find() needs for an address. */
void kernel_read(struct kernel *k, uint64_t address, uint64_t when);

/* Read the symbols that kernel_find() needs for an address. */
void kernel_read(struct kernel *k, uint64_t address, uint64_t when);

/* Append the next note on missing symbols.  False if there is no more. */
bool kernel_note(struct kernel *k, struct buf *line);

#endif
