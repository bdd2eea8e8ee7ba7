/* stacktrace.h - writes and reads the raw traces of stacksample; stacktrace(5).
 */
#ifndef STACKTRACE_H
#define STACKTRACE_H

#include "folded/meta.h"
#include "io/input.h"

enum stacktrace_kind {
	STACKTRACE_END, /* of the input */
	STACKTRACE_HEADER,
	STACKTRACE_PROCESS,
	STACKTRACE_MAP,
	STACKTRACE_CODE,     /* made by a JIT */
	STACKTRACE_FUNCTION, /* of an interpreted language */
	STACKTRACE_SAMPLE,
	STACKTRACE_ROUND /* every thread has been sampled once more */
};

/* A frame: native code, or a function of an interpreted language. */
struct stacktrace_frame {
	uint64_t address;
	/* Native code that executes the functions before it, to the leaf. */
	bool is_loop;
	bool is_function;        /* then these are set */
	uint32_t function, line; /* line is 0 if unknown */
};

/* A line; fields of other kinds are zero. */
struct stacktrace {
	enum stacktrace_kind kind;
	int64_t pid, tid;
	uint64_t start, end; /* MAP, CODE: addresses; PROCESS: ticks */
	uint64_t offset;
	struct str prot;     /* "r-xp" */
	struct str build_id; /* bytes; empty if unknown */
	struct str name;     /* of the process, file, code or thread */
	uint64_t time;       /* ns */
	char state;
	struct str call, wchan; /* empty if none */
	struct str label; /* says more than call: what it waits for; or empty */
	int64_t owner; /* thread that has the lock it waits for; 0: unknown */
	const struct stacktrace_frame *frame; /* read: the stack, leaf first */
	size_t n;
	/* To write: made by stacktrace_address() or stacktrace_stack(). */
	struct str stack;
	uint64_t id; /* the same: by which stacktrace_print_same() names it */
	bool truncated, moving;
	bool lock_held, lock_waits; /* the lock of an interpreter */
	bool unmerged; /* functions are not where they belong in the stack */
	uint32_t function;   /* FUNCTION: its number */
	struct str language; /* and what it is; name is its name */
	struct str file;     /* the same; SAMPLE: the file it waits for */
};

/*
 * Return the word of the frame "state:WORD" for a sample.  Reads the fields
 * state, call, label and lock_waits.
 */
struct str stacktrace_state(const struct stacktrace *t);

/* Append an address to the text of a stack, leaf first. */
void stacktrace_address(struct buf *stack, uint64_t address);

/* The same for the loop of an interpreter, after what it executes. */
void stacktrace_loop(struct buf *stack, uint64_t address);

/* Append a function by its number, and its line, or 0. */
void stacktrace_function(struct buf *stack, uint32_t function, uint32_t line);

/* Append a whole stack by its number, which stacktrace_print_stack() wrote. */
void stacktrace_stack(struct buf *stack, uint64_t number);

/* Append the line that gives a stack a number, in place of an earlier one. */
void stacktrace_print_stack(struct buf *out, uint64_t number, struct str stack);

/*
 * Append a line that repeats the last samples with these ids at another time,
 * that of the first of them.
 */
void stacktrace_print_same(struct buf *out, uint64_t time, const uint64_t *id,
			   size_t n);

/* Append the text of a line, or of the header with the keys in m. */
void stacktrace_print(struct buf *out, const struct stacktrace *t);
void stacktrace_print_header(struct buf *out, const struct meta *m);

struct stacktrace_reader;

struct stacktrace_reader *stacktrace_new(void);
void stacktrace_free(struct stacktrace_reader *r);

/* Whether text starts like a raw trace. */
bool stacktrace_magic(struct str text);

/*
 * Read the next line; its slices are valid until the next call.  Malformed
 * lines are counted with input_bad() and skipped.  Ends the program with status
 * 2 if the trace has another version of the format.
 */
void stacktrace_read(struct stacktrace_reader *r, struct input *in,
		     struct stacktrace *t);

/*
 * Parse a line of a process or of code, to find these ahead of the other lines;
 * false for any other line.  Slices are valid until the next call.
 */
bool stacktrace_process(struct stacktrace_reader *r, struct str line,
			struct stacktrace *t);
bool stacktrace_code(struct stacktrace_reader *r, struct str line,
		     struct stacktrace *t);

/* The keys of the header, valid until it is read again or freed. */
const struct meta *stacktrace_meta(const struct stacktrace_reader *r);

#endif
