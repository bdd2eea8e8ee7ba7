/* jit_trace_names.h - names of JIT code that the trace itself reports. */
#ifndef JIT_TRACE_NAMES_H
#define JIT_TRACE_NAMES_H

#include "elf/symtab.h"

struct jit_trace_names;

struct jit_trace_names *jit_trace_names_new(void);
void jit_trace_names_free(struct jit_trace_names *t);

/*
 * From time on, the code from start to before end has this name; times do not
 * decrease.  An empty name ends the names in the range.  The name outlives t.
 */
void jit_trace_names_add(struct jit_trace_names *t, uint64_t time,
			 uint64_t start, uint64_t end, struct str name);

/*
 * The code at an address at a time, else the first code there later.  False if
 * there is none with a name.
 */
bool jit_trace_names_find(struct jit_trace_names *t, uint64_t time,
			  uint64_t address, struct symbol *found);

#endif
