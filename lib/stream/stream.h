/* stream.h - the headers, stacks and snapshots of one input; folded(5). */
#ifndef STREAM_H
#define STREAM_H

#include "folded/folded.h"
#include "stream/window.h"

/* All zero but for f.counts at the start; release with stream_free(). */
struct stream {
	struct folded f;
	enum stream_kind {
		STREAM_PLAIN,   /* the profile has no time */
		STREAM_SNAPSHOT /* the profile has time and dur */
	} kind;
	uint64_t begin, end; /* of a snapshot, ns */
	bool supersedes;     /* it is not a delta: it replaces earlier ones */

	/* Of a stack. */
	bool is_sample; /* a sample of a stream */
	uint64_t time;  /* of a sample, ns */
};

enum stream_event {
	STREAM_NOTHING, /* end of the input, or nothing available yet */
	STREAM_HEADER,  /* a profile begins; a previous snapshot is cut off */
	STREAM_STACK,   /* in f.stack and f.count */
	STREAM_END      /* a snapshot is complete */
};

/*
 * Read the next event.  Times beyond 63 bits count as unknown.  After
 * STREAM_NOTHING call it again if input_ended() is false.
 */
enum stream_event stream_next(struct stream *s, struct input *in);

void stream_free(struct stream *s);

/* A number in the header, or 0. */
double stream_number(const struct stream *s, const char *key);

/* n, lost and broken of the header. */
struct tallies stream_tallies(const struct stream *s);

#endif
