/* tracefmt.h - what the raw bytes of tracepoints mean. */
#ifndef TRACEFMT_H
#define TRACEFMT_H

#include "arena.h"
#include "cursor.h"

/*
 * The formats that a recording brings along, as tracefs has them in
 * events/SYSTEM/EVENT/format; how they are packed into one blob is described
 * by trace-cmd.dat.v6(5).
 */
struct trace_format {
	uint64_t id;
	struct str name; /* "sched:sched_switch" */
	struct str text; /* of the format file */
};

/* All zero is empty; release with tracefmt_free(). */
struct trace_formats {
	struct trace_format *format;
	size_t n, cap;
	bool swap; /* they are of the other byte order, as is what they tell */
	struct arena arena;
};

/*
 * Take the formats out of a blob, which need not live on.  What stands
 * before a place where it is spoilt is taken.
 */
void tracefmt_read(struct trace_formats *t, struct str blob);

/* The format of a tracepoint's number, which is its attr's config; or NULL. */
const struct trace_format *tracefmt_find(const struct trace_formats *t,
					 uint64_t id);

/* Where a number lies in the raw bytes. */
struct trace_field {
	uint64_t offset, size; /* size is 2, 4, 8, or 0: there is none */
};

struct trace_field tracefmt_field(const struct trace_format *f,
				  struct str name);

/* The number of a field; false if the bytes do not have it. */
bool tracefmt_get(const struct trace_formats *t, struct trace_field field,
		  struct str raw, int64_t *value);

void tracefmt_free(struct trace_formats *t);

#endif
