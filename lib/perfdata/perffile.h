/* perffile.h - the file header of perf.data: where its sections are. */
#ifndef PERFFILE_H
#define PERFFILE_H

#include "io/input.h"
#include "perfdata/perffeat.h"

struct perf_file {
	bool is_stream; /* made for a pipe: it has no sections */
	bool swap;      /* the file is of the other byte order */
	uint64_t data;  /* offset of the first record */
	uint64_t end;  /* offset after the last record; UINT64_MAX if unknown */
	uint64_t last; /* offset after the last section; 0 if unknown */
};

/*
 * Read the header and, of a file, its events and features.  A file that comes
 * through a pipe is first copied to a temporary file.  Returns NULL, or why the
 * input cannot be read.  *loss is NULL, or what is missing from the file.
 */
const char *perffile_read(struct input *in, struct perf_file *file,
			  struct perf_events *events,
			  struct perf_features *features, const char **loss);

#endif
