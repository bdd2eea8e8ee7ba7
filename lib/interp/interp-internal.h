/* interp-internal.h - what is known of the runtime of a process. */
#ifndef INTERP_INTERNAL_H
#define INTERP_INTERNAL_H

#include "interp/interp_language.h"

/* The file of a runtime; the same file elsewhere is another one. */
struct interp_file {
	uint64_t start, inode;
};

struct interp {
	const struct interp_language *language; /* NULL: there is none */
	void *runtime;
	struct interp_file file;   /* the runtime's, or the last one searched */
	struct interp_range code;  /* of the runtime, if it is a library */
	struct interp_list list;   /* sorted by tid */
	struct interp_copy memory; /* for lists */
	struct interp_copy steps;  /* for interp_step() */
	uint64_t list_time;        /* when it was read, in ns */
	uint32_t tid_offset;       /* interp_tls_tid_offset(), for root() */
	struct interp_range greenlet; /* code of that library; empty: none */
};

/* Forget the runtime, if there is one. */
void interp_close(struct interp *p);

#endif
