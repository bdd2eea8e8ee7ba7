/*
 * jfr_chunk.h - chunks of a JDK Flight Recorder file: events and constants.
 *
 * A file is a row of chunks.  A chunk has a header, events, the constants that
 * its events refer to, and the description of all their types.  The header of a
 * chunk that is still written, or whose JVM was killed, describes an earlier
 * state.  So the header is not used to find anything in a chunk: all events are
 * looked at once, in their order.
 *
 * Source: as jfr_types.h.
 */
#ifndef JFR_CHUNK_H
#define JFR_CHUNK_H

#include "formats/jfr_value.h"
#include "io/input.h"

/* The pools of constants that stacks and threads need. */
enum jfr_pool {
	JFR_STACKS,
	JFR_METHODS,
	JFR_CLASSES,
	JFR_SYMBOLS,
	JFR_THREADS,
	JFR_FRAME_TYPES,
	JFR_STRINGS,
	JFR_POOLS
};

/* Offsets of constants by their ids. */
struct jfr_constants {
	struct u64map index;
	uint64_t *at;
	size_t n, cap;
};

struct jfr_chunk {
	struct str bytes;   /* from its header to its end */
	uint64_t offset;    /* in the input */
	uint64_t start;     /* ns since 1970 */
	uint64_t duration;  /* ns */
	uint64_t ticks;     /* at the start */
	uint64_t frequency; /* ticks per second */
	bool is_open;       /* its JVM had not finished it */
	struct jfr_types types;
	struct jfr_constants pool[JFR_POOLS];
	uint64_t *seen; /* number of events by type id */
	size_t nseen, seen_cap;
	uint32_t *used; /* the types that were seen */
	size_t nused, used_cap;
	size_t *checkpoint; /* places of the events with constants */
	size_t ncheckpoints, checkpoints_cap;
};

/*
 * Find the next chunk of an input, which is mapped or buffered whole, and read
 * its types and constants.  Returns false at the end of the input.  What is
 * malformed is counted as bad; then the chunk may lack events or constants.
 * Start with all zero; the previous chunk is freed.
 */
bool jfr_chunk_next(struct jfr_chunk *chunk, struct input *in);
void jfr_chunk_free(struct jfr_chunk *chunk);

/* An event: its type and its fields. */
struct jfr_event {
	uint64_t type;
	struct cursor fields;
};

/* Walk over the events of a chunk; false at the end.  Start with *at = 0. */
bool jfr_chunk_event(const struct jfr_chunk *chunk, size_t *at,
		     struct jfr_event *event);

/* The number of events of a type. */
uint64_t jfr_chunk_count(const struct jfr_chunk *chunk, uint64_t type);

/* The type of a pool's constants; NULL if the chunk does not describe it. */
const struct jfr_type *jfr_chunk_pool_type(const struct jfr_chunk *chunk,
					   enum jfr_pool pool);

/* The bytes of a constant from its start on; false if there is none. */
bool jfr_chunk_constant(const struct jfr_chunk *chunk, enum jfr_pool pool,
			uint64_t id, struct cursor *c);

/* A time or a duration in ticks of the chunk's clock, as ns. */
uint64_t jfr_chunk_time(const struct jfr_chunk *chunk, uint64_t ticks);
uint64_t jfr_chunk_ns(const struct jfr_chunk *chunk, uint64_t ticks);

#endif
