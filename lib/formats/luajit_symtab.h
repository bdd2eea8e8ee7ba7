/*
 * luajit_symtab.h - the symbol table in profiles of Tarantool's LuaJIT.
 *
 * Sources: lj_symtab.c and tools/utils/symtab.lua of that LuaJIT.  The table
 * precedes the records, and some records add to it.  Addresses and numbers are
 * reused: ask for a name where its record stands, not later.
 */
#ifndef LUAJIT_SYMTAB_H
#define LUAJIT_SYMTAB_H

#include "reader/reader.h"

/* Types of symbols, as numbered in the table. */
enum luajit_symtab_type {
	LUAJIT_SYMTAB_LFUNC,
	LUAJIT_SYMTAB_CFUNC,
	LUAJIT_SYMTAB_TRACE
};

struct luajit_symtab;

/* The sink, which makes the tokens, must outlive the table. */
struct luajit_symtab *luajit_symtab_new(struct sink *out);
void luajit_symtab_free(struct luajit_symtab *s);

/*
 * Read a profile to its end: the table, "lj", a letter and the version, and
 * records up to the one that ends the profile.  A record begins with a byte.
 *
 * record() gets that byte and the bytes after it, and cuts its record off them.
 * If the record is malformed or incomplete, it returns false and does nothing;
 * it may be called again with more bytes.
 *
 * Returns NULL, or what is wrong; valid until luajit_symtab_free().
 */
const char *luajit_symtab_read(
    struct luajit_symtab *s, struct input *in, char letter, int version,
    bool (*record)(void *arg, int head, struct str *rest), void *arg);

/*
 * Cut a symbol off *rest and add it, for records that define symbols.  False,
 * with nothing added, if it is malformed or incomplete.
 */
bool luajit_symtab_add(struct luajit_symtab *s, enum luajit_symtab_type type,
		       struct str *rest);

/* The tokens of frames: "@chunk.lua:12", a C function, "TRACE [1] ...". */
uint32_t luajit_symtab_lua(struct luajit_symtab *s, uint64_t function,
			   uint64_t line);
uint32_t luajit_symtab_c(struct luajit_symtab *s, uint64_t address);
uint32_t luajit_symtab_trace(struct luajit_symtab *s, uint64_t number);

/* The token of a frame with a given name. */
uint32_t luajit_symtab_name(struct luajit_symtab *s, struct str name,
			    enum frame_kind kind);

#endif
