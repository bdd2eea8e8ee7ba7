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
 * Cut the table off the bytes of a file.  Returns NULL, or what is wrong
 * with it; valid until ljsym_free().
 */
const char *ljsym_table(struct ljsym *s, struct str *rest);

/*
 * Cut "lj", a letter, the version and three bytes off.  Returns NULL, or what
 * is wrong; valid until ljsym_free().
 */
const char *ljsym_magic(struct ljsym *s, struct str *rest, char letter,
			int version);

/* Cut off a symbol that is made while profiling; false if it is malformed. */
bool ljsym_add(struct ljsym *s, enum ljsym_type type, struct str *rest);

/* The tokens of frames: "@chunk.lua:12", a C function, "TRACE [1] ...". */
uint32_t ljsym_lua(struct ljsym *s, uint64_t function, uint64_t line);
uint32_t ljsym_c(struct ljsym *s, uint64_t address);
uint32_t ljsym_trace(struct ljsym *s, uint64_t number);

/* The token of a frame with a name of ours. */
uint32_t ljsym_name(struct ljsym *s, struct str name, enum frame_kind kind);

#endif
