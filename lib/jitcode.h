/* jitcode.h - the functions of a jitdump, by address and time. */
#ifndef JITCODE_H
#define JITCODE_H

#include "arena.h"
#include "jitdump.h"

/* Bytes that lie in the dump, for jitdump_read(). */
struct jitcode_bytes {
	uint64_t at;
	size_t len;
};

/*
 * A function as one LOAD made it, or as one MOVE put it elsewhere.  What was
 * said of it by a record before the LOAD is with it, whatever number the JIT
 * gave it.
 */
struct jit_function {
	struct str name;      /* as the JIT wrote it; may be empty */
	uint64_t start, size; /* where it is */
	uint64_t loaded;      /* where it was when LOADed */
	uint64_t index;       /* the JIT's own number of it */
	uint32_t number;      /* ours, from 0 without gaps */
	uint32_t version;     /* 1, 2, ... of those with this name */
	struct jitcode_bytes code, lines, unwind;
	size_t hdr_size; /* of .eh_frame_hdr, at the end of unwind */
};

/* How to make nanoseconds of the times in a dump. */
struct jit_clock {
	enum {
		JIT_CLOCK_FILE,  /* as its header says; of ticks, none */
		JIT_CLOCK_NONE,  /* times mean nothing: the last LOAD wins */
		JIT_CLOCK_NS,    /* they are ns, even if called ticks */
		JIT_CLOCK_TICKS, /* as perf_event_open(2), time_zero, has it */
	} kind;
	uint64_t shift, mult, zero;
};

/* Any time later than all others: the last function wins. */
#define JIT_LAST UINT64_MAX

struct jitcode;

/*
 * Read a dump to its end; it is kept, and closed by jitcode_free().  What is
 * spoilt is counted in it.
 */
struct jitcode *jitcode_read(struct jitdump *dump,
			     const struct jit_clock *clock);
void jitcode_free(struct jitcode *c);

struct jitdump *jitcode_dump(const struct jitcode *c);

/* Whether its times can be compared with those of samples. */
bool jitcode_has_times(const struct jitcode *c);

/*
 * Make ns of times that are ticks and mean nothing yet, if the clock is of
 * that kind.
 */
void jitcode_set_ticks(struct jitcode *c, const struct jit_clock *clock);

/* How many functions there are, and one of them by its number. */
size_t jitcode_size(const struct jitcode *c);
const struct jit_function *jitcode_function(const struct jitcode *c, size_t i);

/* The function at an address at a time, and since when; or NULL. */
const struct jit_function *jitcode_at(const struct jitcode *c, uint64_t address,
				      uint64_t time, uint64_t *since);

/* The first one to come to an address after a time, and when; or NULL. */
const struct jit_function *jitcode_after(const struct jitcode *c,
					 uint64_t address, uint64_t time,
					 uint64_t *when);

/*
 * Append the source line of an address of a function, "file:line" without
 * folders; false if none is known.
 */
bool jitcode_line(struct jitcode *c, const struct jit_function *f,
		  uint64_t address, struct buf *out);

/* How often anything changed, up to a time. */
uint64_t jitcode_changes(const struct jitcode *c, uint64_t time);

struct cfi;

/*
 * The rules for unwinding a function, which are for addresses as it was loaded,
 * and point into bytes, which is filled and outlives them; NULL if there are
 * none.
 */
struct cfi *jitcode_cfi(struct jitcode *c, const struct jit_function *f,
			struct arena *bytes);

#endif
