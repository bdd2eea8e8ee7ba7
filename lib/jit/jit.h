/* jit.h - names of JIT-compiled code, by process, time and address. */
#ifndef JIT_H
#define JIT_H

#include "jit/jit_store.h"

/* The JIT code of all processes of a profile. */
struct jit;

struct jit_options {
	struct jit_clock clock; /* how to read the timestamps of jitdumps */
	uint64_t grace;         /* ns that code may run before its log entry */
	bool trust_all;  /* use files that other users left in shared folders */
	bool mangled;    /* do not demangle names */
	bool lines;      /* add source lines */
	bool versions;   /* number functions of the same name, as the module */
	bool no_inlines; /* omit inlined functions */
};

struct jit *jit_new(const struct jit_options *options);
void jit_free(struct jit *j);

/* The symbol files, for adding more. */
struct jit_store *jit_files(struct jit *j);

/*
 * Add code that the trace itself reports.  It has this name from time on, and
 * before that if nothing else is known there.  An empty name removes the code
 * in the range.  Times must not decrease.
 */
void jit_add_code(struct jit *j, int64_t pid, uint64_t time, uint64_t start,
		  uint64_t end, struct str name);

/*
 * A child process inherits the JIT code of its parent, until it executes a
 * program.  jit_fork() ignores new threads, whose child is parent.
 */
void jit_fork(struct jit *j, int64_t parent, int64_t child);
void jit_exec(struct jit *j, int64_t pid, uint64_t time);

/*
 * A process has ended, and nothing before its end will be asked for: forget its
 * files, unless the user named them or a child has inherited their code.
 */
void jit_forget(struct jit *j, int64_t pid);

/* The clock of sample times. */
enum jit_times {
	JIT_MONOTONIC,  /* CLOCK_MONOTONIC in ns, like jitdumps in ns */
	JIT_PERF_CLOCK, /* perf's own; see jit_store_set_ticks() */
	JIT_NO_TIMES    /* samples have no times */
};

/* Set the clock of the times passed from now on; JIT_MONOTONIC at first. */
void jit_set_times(struct jit *j, enum jit_times times);

/* Whether it names no code at all. */
bool jit_is_empty(const struct jit *j);

/* Whether a file or the trace may name code of this process. */
bool jit_has_names(struct jit *j, int64_t pid);

/* A function inlined into code; its name may be a line alone. */
struct jit_inlined {
	struct str name, line;
};

struct jit_symbol {
	struct str name;   /* readable; valid as long as the jit */
	struct str line;   /* "file:line" without folders, or empty */
	struct str module; /* "jitted-PID-VERSION.so", or empty */
	const struct jit_inlined *inlined; /* at the address; outermost first */
	size_t inlines;
	uint32_t number;     /* of all these, from 0, without gaps */
	uint64_t start, end; /* address range */
	/* NULL if it is not from a jitdump. */
	const struct jit_function *function;
	const struct jitcode *code;
	bool early; /* the sample is older than the log entry */
};

/* An address of a process at a time; JIT_LAST is the end of the profile. */
struct jit_place {
	int64_t pid;
	uint64_t time, address;
	bool is_call; /* a call returns to the next address */
};

/*
 * Find the code at a place.  False if there is none, or none with a name.
 */
bool jit_find(struct jit *j, const struct jit_place *place,
	      struct jit_symbol *found);

/*
 * Append the offset of an address in its function, and the instruction there
 * if it can be disassembled: "+1f mov rax, rbx".  False for symbols that are
 * not from a jitdump.
 */
bool jit_insn(struct jit *j, const struct jit_symbol *symbol, uint64_t address,
	      struct buf *out);

/* Unwind rules for the code from start to before end. */
struct jit_unwind {
	struct cfi *cfi;
	uint64_t start, end;
	uint64_t bias; /* process address - address in the rules */
};

/*
 * Find the unwind rules that a jitdump has for an address.  False if it has
 * none.  They are valid as long as the jit.
 */
bool jit_unwind(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
		struct jit_unwind *unwind);

/*
 * How many changes the code of a process has seen up to a time: unwind rules
 * are the same while this number is.
 */
uint64_t jit_changes(struct jit *j, int64_t pid, uint64_t time);

/*
 * Whether functions of different names were at an address, at different times
 * or in different maps of the process.
 */
bool jit_is_shared(struct jit *j, int64_t pid, uint64_t address);

/* How many records and lines of files were not understood. */
uint64_t jit_bad(const struct jit *j);

/*
 * Append the next note on unusable files and doubtful names.  False if there
 * is no more.
 */
bool jit_note(struct jit *j, struct buf *line);

#endif
