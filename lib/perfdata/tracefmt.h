/* tracefmt.h - the formats of tracepoints: where fields are in raw bytes. */
#ifndef TRACEFMT_H
#define TRACEFMT_H

#include "base/arena.h"
#include "base/cursor.h"

/*
 * A recording has the formats of its tracepoints, as in tracefs
 * (events/SYSTEM/EVENT/format).  trace-cmd.dat.v6(5) describes how they are
 * packed into one blob.
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
	bool swap; /* the raw bytes are of the other byte order */
	struct arena arena;
};

/*
 * Add the formats of a blob, which is copied.  Formats before a broken place
 * are used.
 */
void tracefmt_read(struct trace_formats *t, struct str blob);

/* The format of a tracepoint, by the config of its attr; NULL if none. */
const struct trace_format *tracefmt_find(const struct trace_formats *t,
					 uint64_t id);

/* A field that holds a number. */
struct trace_field {
	uint64_t offset, size; /* size is 2, 4 or 8; 0 if there is no field */
};

struct trace_field tracefmt_field(const struct trace_format *format,
				  struct str name);

/* Read a field; false if the bytes lack it. */
bool tracefmt_get(const struct trace_formats *t, struct trace_field field,
		  struct str raw, int64_t *value);

void tracefmt_free(struct trace_formats *t);

#endif
