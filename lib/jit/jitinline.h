/* jitinline.h - which functions compiled code has inlined, by address. */
#ifndef JITINLINE_H
#define JITINLINE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The table that libfoldjvm.so appends to a record of lines; foldjvm(5)
 * describes it.  It may be hostile.
 */
#define JITINLINE_MAGIC "FOLDINL1"

/* A function at a place of it. */
struct jitinline_frame {
	struct str name; /* as the JIT wrote it */
	struct str file; /* with folders, or empty */
	int32_t line;    /* 0 or less if unknown */
};

struct jitinline;

/* NULL if the table is damaged.  The bytes are copied. */
struct jitinline *jitinline_new(struct str table, bool swapped);
void jitinline_free(struct jitinline *t);

/* How many stretches of code the table distinguishes, at least one. */
size_t jitinline_stretches(const struct jitinline *t);

/*
 * The stretch, from 0 on, in which an offset of the code is.  A call that
 * returns to a place of the table is a stretch of its own.
 */
size_t jitinline_stretch(const struct jitinline *t, uint64_t offset,
			 bool is_call);

/* Chains of inlined functions are at most this deep. */
enum { JITINLINE_DEPTH = 256 };

/*
 * The frames of a stretch, the outermost first; returns how many, which may be
 * 0.  Between two places these are the ones that both have in common: the
 * inlined function of only one may not have begun, or may have ended.
 */
size_t jitinline_frames(const struct jitinline *t, size_t stretch,
			struct jitinline_frame frame[JITINLINE_DEPTH]);

#endif
