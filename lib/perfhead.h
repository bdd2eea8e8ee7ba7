/* perfhead.h - the head of a perf.data file: where things are in it. */
#ifndef PERFHEAD_H
#define PERFHEAD_H

#include "input.h"
#include "perffeat.h"

struct perf_head {
	bool swap;     /* bytes are of the other order */
	uint64_t data; /* offset of the first record */
	uint64_t end;  /* of the data; UINT64_MAX if not known */
	uint64_t last; /* where the file ends; 0 if not known */
};

/*
 * Read it, and of a file its events and features; a file that comes through
 * a pipe is first copied to a temporary one.  Returns NULL, or the reason why
 * it cannot be read.  *loss is NULL, or what of the file is missing.
 */
const char *perfhead_read(struct input *in, struct perf_head *head,
			  struct perf_events *events,
			  struct perf_features *features, const char **loss);

#endif
