/* jit.h - names of the code that JITs made: of which process, at which time. */
#ifndef JIT_H
#define JIT_H

#include "jitcode.h"

/* All jitdumps and perf maps there are, for all processes of a profile. */
struct jit;

struct jit_options {
	struct jit_clock clock;
	uint64_t grace; /* ns: code may run so long before it was logged */
	bool trust_all; /* also what other users left in shared folders */
	bool mangled;   /* leave names as they are */
	bool lines;     /* with source lines */
	bool versions;  /* tell functions of one name apart, by module */
};

struct jit *jit_new(const struct jit_options *options);
void jit_free(struct jit *j);

/* A process is known as host outside, where its own files call it inside. */
void jit_translate(struct jit *j, int64_t inside, int64_t host);

/*
 * Use a jitdump, or all of a folder; or a perf map, of the process in its
 * name, else of pid, or of any if that is -1.  False, with a reason appended to
 * *why, if it is none or cannot be read.
 */
bool jit_add_dump(struct jit *j, const char *path, struct buf *why);
bool jit_add_map(struct jit *j, const char *path, int64_t pid, struct buf *why);

/*
 * Use the process's own /tmp/perf-PID.map and, if it still runs, the jitdump
 * that it has mapped; below a folder, if root is not NULL.  Only once for each
 * process, and not for those that have files already.
 */
void jit_search(struct jit *j, int64_t pid, const char *root);

/*
 * The same map by itself, which is asked only where nothing else has a name; as
 * long as the jit, NULL if there is none.
 */
struct perfmap;
const struct perfmap *jit_left_map(struct jit *j, int64_t pid,
				   const char *root);

/*
 * Ask a running JVM, if the process is one, for a map of its code as it is
 * now, where it keeps no jitdump.  Ask again at the end of a recording: the
 * last map gives the names, and it is counted where another one differs.
 */
bool jit_ask_jvm(struct jit *j, int64_t pid);

/*
 * The same in steps, with other work between them: begin, which is false if it
 * cannot be asked; and take the answer, if it is there or waited for.
 */
bool jit_begin_jvm(struct jit *j, int64_t pid);
bool jit_end_jvm(struct jit *j, int64_t pid, bool wait);

/*
 * Read what jit_search() found again where it has grown, or search again if
 * it found nothing.  False if there is nothing new.
 */
bool jit_look_again(struct jit *j, int64_t pid);

/*
 * Code as a trace tells of it: from a time on there is this name, and before
 * it, where no other was told of, too.  Times must not go back.  A range
 * without a name is no known code any more, and says nothing of before.
 */
void jit_tell(struct jit *j, int64_t pid, uint64_t time, uint64_t start,
	      uint64_t end, struct str name);

/*
 * A process mapped a file, by the name that it has for it: if that is a
 * jitdump, use it, as a JIT tells of its dump in this way.  It is looked for
 * below a folder, if root is not NULL; else where a process that runs sees it,
 * or here.
 */
void jit_add_mapped(struct jit *j, int64_t pid, const char *root,
		    struct str name);

/*
 * A process begins as a copy of its parent, with the code that is there; and
 * has none of it when it executes a program.  A thread is the same process.
 */
void jit_fork(struct jit *j, int64_t parent, int64_t child);
void jit_exec(struct jit *j, int64_t pid, uint64_t time);

/* What clock the times of samples are of. */
enum jit_times {
	JIT_MONOTONIC,  /* as ns in jitdumps are */
	JIT_PERF_CLOCK, /* perf's own, as jit_set_ticks() makes of ticks */
	JIT_NO_TIMES    /* there are none */
};

/* Of what clock the times in questions to come are; at first monotonic. */
void jit_set_times(struct jit *j, enum jit_times times);

/* How jitdumps in ticks are to be read, unless an option says how. */
void jit_set_ticks(struct jit *j, const struct jit_clock *ticks);

/* Whether there is a file for this process, or for any. */
bool jit_knows(struct jit *j, int64_t pid);

/* The only process there are files for, or -1. */
int64_t jit_only(const struct jit *j);

struct jit_symbol {
	struct str name;     /* readable; valid as long as the jit */
	struct str line;     /* "file:line" without folders, or empty */
	struct str module;   /* "jitted-PID-VERSION.so", or empty */
	uint32_t number;     /* of these three, from 0, without gaps */
	uint64_t start, end; /* where it lies */
	/* What is known besides, by a jitdump; else NULL. */
	const struct jit_function *function;
	const struct jitcode *code;
	bool early; /* it is code that was logged only later */
};

/*
 * The code at an address of a process at a time, JIT_LAST for the last one.
 * False if nothing is known there, or code without a name.
 */
bool jit_find(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
	      struct jit_symbol *found);

/*
 * Append where in its function an address is, and the instruction there if it
 * can be told, "+1f mov rax, rbx".  False for what is of a map.
 */
bool jit_insn(struct jit *j, const struct jit_symbol *symbol, uint64_t address,
	      struct buf *out);

/* How to unwind code, from start to before end. */
struct jit_unwind {
	struct cfi *cfi;
	uint64_t start, end;
	uint64_t bias; /* of addresses there against those of the rules */
};

/*
 * What a jitdump says of unwinding code; false if that is nothing.  Valid as
 * long as the jit.
 */
bool jit_unwind(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
		struct jit_unwind *unwind);

/* How often code of a process changed, up to a time. */
uint64_t jit_changes(struct jit *j, int64_t pid, uint64_t time);

/*
 * Whether code of more than one name was at an address, over all time, or in
 * several maps of its process.
 */
bool jit_is_shared(struct jit *j, int64_t pid, uint64_t address);

/* How many files, or parts of them, were not understood. */
uint64_t jit_bad(const struct jit *j);

/*
 * Append what was wrong with files, and with questions: the next line of as
 * many as there are; false at the end.
 */
bool jit_note(struct jit *j, struct buf *line);

#endif
