/*
 * btline.h - one line of what debuggers print of the stacks of threads: gdb,
 * lldb and eu-stack, and those that print as gdb does: pstack, quickstack and
 * the resolver of knielsen-pmp.  None of these formats is documented; this is
 * what the programs print.
 */
#ifndef BTLINE_H
#define BTLINE_H

#include "str.h"

enum btline_kind {
	BTLINE_OTHER,
	BTLINE_FRAME,   /* "#3  0x000055f8 in f (n=5) at a.c:7" */
	BTLINE_FROM,    /* "   from /lib/libc.so.6", of the frame above */
	BTLINE_THREAD,  /* "Thread 2 (Thread 0x7f (LWP 5) "name"):" */
	BTLINE_PROCESS, /* "PID 5 - process", "Attaching to process 5" */
	BTLINE_MORE,    /* "(More stack frames follow...)": callers lack */
	BTLINE_PLACE,   /* the next frame says where the debugger is */
	BTLINE_LISTING, /* of lldb: only the first frames of threads follow, */
	BTLINE_COMMAND, /* as far as the next command */
	BTLINE_PYTHON,  /* "Traceback (most recent call first):" */
	BTLINE_DETACHED
};

/* Slices point into the line; what the kind does not have is zero. */
struct btline {
	enum btline_kind kind;
	uint64_t number;   /* of a frame, from 0 at the leaf */
	struct str name;   /* of a function; empty if unknown */
	struct str module; /* path or name */
	uint64_t addr;     /* if has_addr */
	bool has_addr;
	bool is_signal; /* what follows was interrupted, and not called */
	bool is_lldb;   /* which says so itself: */
	bool is_inlined;
	int64_t pid, tid; /* -1 if unknown */
	struct str comm;  /* name of a thread, empty if unknown */
};

/* Take a line apart, which has neither CR nor colours. */
void btline_parse(struct btline *l, struct str line);

#endif
