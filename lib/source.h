/* source.h - what sources.h keeps; for sources.c and source.c only. */
#ifndef SOURCE_H
#define SOURCE_H

#include "lag.h"
#include "sources.h"
#include "stream.h"

#include <time.h>

struct source {
	struct sources *all;
	struct input in;
	struct stream stream;
	int fd;
	struct buf file_host, host; /* by its name; the frame, if asked for */
	struct slice held;          /* a snapshot that is not whole */
	bool begun, idle, ended;
	bool had_snapshot, is_ahead;
	uint64_t mark; /* it has told all that was before, */
	uint64_t had;  /* and what it told ended here */
	struct lag lag;
};

struct sources {
	const struct sources_options *options;
	struct cmd *cmd;
	struct ticker *ticker;
	struct source *source;
	size_t n;
	clockid_t clock_id; /* of this machine, for the passing of time */
	struct buf clock;   /* the streams', once one has said so */
	bool has_clock;
	struct buf unit; /* and what they count */
	struct lag lag;  /* of the soonest of all */
};

/* Begin with a file, or with standard input for "-". */
void source_open(struct source *s, struct sources *all, const char *path);
void source_close(struct source *s);

/* Read up to a time, or as much as there is. */
void source_read(struct source *s, uint64_t until);

/* ns on the clock by which time passes for all of them. */
uint64_t sources_now(const struct sources *all);

/* Write a snapshot now if one was asked for by a signal. */
void sources_answer(struct sources *all);

#endif
