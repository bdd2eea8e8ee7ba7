/* stacktrace.h - the raw traces of stacksample; stacktrace(5). */
#ifndef STACKTRACE_H
#define STACKTRACE_H

#include "input.h"
#include "meta.h"

enum stacktrace_kind {
	STACKTRACE_END,
	STACKTRACE_HEADER,
	STACKTRACE_PROCESS,
	STACKTRACE_MAP,
	STACKTRACE_CODE, /* that a JIT made */
	STACKTRACE_SAMPLE,
	STACKTRACE_ROUND /* all threads were taken once */
};

/* A line; what its kind does not have is zero. */
struct stacktrace {
	enum stacktrace_kind kind;
	int64_t pid, tid;
	uint64_t start, end; /* MAP, CODE: addresses; PROCESS: ticks */
	uint64_t offset;
	struct str prot;     /* "r-xp" */
	struct str build_id; /* bytes; empty if unknown */
	struct str name;     /* of process, file, code or thread */
	uint64_t time;       /* ns */
	char state;
	struct str call, wchan;  /* empty if none */
	const uint64_t *address; /* leaf first, as they were read */
	size_t n;
	struct str stack; /* to be printed, of stacktrace_address() */
	bool truncated, moving;
};

/* Append an address to the text of a stack, leaf first. */
void stacktrace_address(struct buf *stack, uint64_t address);

/* Append a line; of HEADER, with the keys in m. */
void stacktrace_print(struct buf *out, const struct stacktrace *t);
void stacktrace_print_header(struct buf *out, const struct meta *m);

struct stacktrace_reader;

struct stacktrace_reader *stacktrace_new(void);
void stacktrace_free(struct stacktrace_reader *r);

/* Whether text begins like a raw trace. */
bool stacktrace_magic(struct str text);

/*
 * The next line, its slices valid until the next call.  Lines that are not
 * understood are counted and skipped.  Another version of the format ends
 * the program with status 2.
 */
void stacktrace_read(struct stacktrace_reader *r, struct input *in,
		     struct stacktrace *t);

/*
 * Whether a line is one of a process or of code: these can be looked at ahead
 * of the others.  Valid as long as after stacktrace_read().
 */
bool stacktrace_process(struct stacktrace_reader *r, struct str line,
			struct stacktrace *t);
bool stacktrace_code(struct stacktrace_reader *r, struct str line,
		     struct stacktrace *t);

/* The keys of the header. */
const struct meta *stacktrace_meta(const struct stacktrace_reader *r);

#endif
