/* jitcode.h - the functions of a jitdump, by address and time. */
#ifndef JITCODE_H
#define JITCODE_H

#include "base/arena.h"
#include "jit/jitdump.h"
#include "jit/jitinline.h"

/* Bytes in the dump, for jitdump_read(). */
struct jitcode_bytes {
	uint64_t at;
	size_t len;
};

/*
 * A function that a LOAD record made, or a MOVE record moved.  Its lines and
 * unwind rules come from the records before the LOAD, whatever index they have.
 */
struct jit_function {
	struct str name;      /* as the JIT wrote it; may be empty */
	uint64_t start, size; /* in the process */
	uint64_t loaded;      /* start before it was moved */
	uint64_t index;       /* the JIT's number */
	uint32_t number;      /* our number, from 0 without gaps */
	uint32_t version;     /* 1, 2, ... of the functions with this name */
	struct jitcode_bytes code, lines, unwind, inlines;
	size_t hdr_size; /* of .eh_frame_hdr, at the end of unwind */
};

/* How to convert the times of a dump to nanoseconds. */
struct jit_clock {
	enum {
		JIT_CLOCK_FILE,  /* as its header says; ticks are not usable */
		JIT_CLOCK_NONE,  /* times are not usable: the last LOAD wins */
		JIT_CLOCK_NS,    /* ns, even if the header says ticks */
		JIT_CLOCK_TICKS, /* time_zero of perf_event_open(2) */
	} kind;
	uint64_t shift, mult, zero;
};

/* A time later than all others: the last function at an address wins. */
#define JIT_LAST UINT64_MAX

struct jitcode;

/*
 * Read a dump to its end.  The dump belongs to the result, which closes it;
 * jitdump_bad() counts what is wrong in it.
 */
struct jitcode *jitcode_read(struct jitdump *dump,
			     const struct jit_clock *clock);
void jitcode_free(struct jitcode *c);

struct jitdump *jitcode_dump(const struct jitcode *c);

/* Whether its times can be compared with those of samples. */
bool jitcode_has_times(const struct jitcode *c);

/*
 * Convert times that are ticks.  Does nothing if they are already converted, or
 * if the clock is of another kind.
 */
void jitcode_set_ticks(struct jitcode *c, const struct jit_clock *clock);

/* The number of functions, and a function by its number. */
size_t jitcode_size(const struct jitcode *c);
const struct jit_function *jitcode_function(const struct jitcode *c, size_t i);

/* The function at an address at a time, and since when; or NULL. */
const struct jit_function *jitcode_at(const struct jitcode *c, uint64_t address,
				      uint64_t time, uint64_t *since);

/* The first function at an address after a time, and when; or NULL. */
const struct jit_function *jitcode_after(const struct jitcode *c,
					 uint64_t address, uint64_t time,
					 uint64_t *when);

/*
 * Append the source line of an address in a function, "file:line" without
 * folders.  False if it is unknown.
 */
bool jitcode_line(struct jitcode *c, const struct jit_function *f,
		  uint64_t address, struct buf *out);

/*
 * Whether a function has a name like "LApp;run(I)V", so that its lines are of
 * HotSpot: those of the innermost method that is inlined at an address, which
 * may be any method.  jitcode_innermost_line() appends that line.
 */
bool jitcode_is_java(const struct jit_function *f);
bool jitcode_innermost_line(struct jitcode *c, const struct jit_function *f,
			    uint64_t address, struct buf *out);

/*
 * The table of the functions that a function has inlined, or NULL.  It belongs
 * to the jitcode.
 */
const struct jitinline *jitcode_inlines(struct jitcode *c,
					const struct jit_function *f);

/* The number of changes up to a time. */
uint64_t jitcode_changes(const struct jitcode *c, uint64_t time);

struct cfi;

/*
 * The unwind rules of a function, or NULL.  They are for addresses from
 * f->loaded on.  They point into memory from the arena, which outlives them.
 */
struct cfi *jitcode_cfi(struct jitcode *c, const struct jit_function *f,
			struct arena *bytes);

#endif
