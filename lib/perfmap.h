/* perfmap.h - symbols of JIT code, as in /tmp/perf-PID.map. */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "symtab.h"
#include "trust.h"

struct perfmap;

/*
 * Read lines "start size name", in hexadecimal.  Where entries overlap the
 * last one wins, as code that is made later lies where the earlier was;
 * size 0 covers nothing.  Lines that are odd are counted and left out.
 * NULL, with a reason in *why, and errno 0 where it is ours, if the file is
 * not there, not regular, or not to be trusted.
 */
struct perfmap *perfmap_open(const char *path, enum trust trust, uint32_t owner,
			     const char **why);

/* The same of text, which is not kept. */
struct perfmap *perfmap_read(struct str text);

void perfmap_free(struct perfmap *m);

bool perfmap_find(const struct perfmap *m, uint64_t address,
		  struct symbol *found);

/* The same in two steps: a number below perfmap_size(), or SYMTAB_NONE. */
uint32_t perfmap_number(const struct perfmap *m, uint64_t address);
struct symbol perfmap_symbol(const struct perfmap *m, uint32_t number);
size_t perfmap_size(const struct perfmap *m);

/* How many lines were read, and how many of them were odd. */
uint64_t perfmap_lines(const struct perfmap *m);
uint64_t perfmap_bad(const struct perfmap *m);

#endif
