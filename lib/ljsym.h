/*
 * ljsym.h - the symbol table in profiles of Tarantool's LuaJIT.
 *
 * Source of knowledge: lj_symtab.c and tools/utils/symtab.lua there.  The
 * table stands before the records, and some of these add to it: addresses
 * and numbers are used again, so a name is right only where it is asked for.
 */
#ifndef LJSYM_H
#define LJSYM_H

#include "reader.h"

/* Types of symbols, as the table has them. */
enum ljsym_type { LJSYM_LFUNC, LJSYM_CFUNC, LJSYM_TRACE };

struct ljsym;

struct ljsym *ljsym_new(struct sink *out);
void ljsym_free(struct ljsym *s);

/*
 * Read a profile: its table, "lj", a letter, the version, and records until the
 * one that ends it.  Each record begins with a byte; the function cuts what
 * is behind it off the bytes, and returns false, with nothing done, if it
 * is malformed or not all there: in that case it may be called again with more.
 * Returns NULL, or what is wrong; valid until ljsym_free().
 */
const char *ljsym_read(struct ljsym *s, struct input *in, char letter,
		       int version,
		       bool (*record)(void *arg, int head, struct str *rest),
		       void *arg);

/* Cut off a symbol that is made while profiling; false if it is malformed. */
bool ljsym_add(struct ljsym *s, enum ljsym_type type, struct str *rest);

/* The tokens of frames: "@chunk.lua:12", a C function, "TRACE [1] ...". */
uint32_t ljsym_lua(struct ljsym *s, uint64_t function, uint64_t line);
uint32_t ljsym_c(struct ljsym *s, uint64_t address);
uint32_t ljsym_trace(struct ljsym *s, uint64_t number);

/* The token of a frame with a name of ours. */
uint32_t ljsym_name(struct ljsym *s, struct str name, enum frame_kind kind);

#endif
