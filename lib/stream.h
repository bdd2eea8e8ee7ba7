/* stream.h - one input of folded text, piece by piece; folded(5), Streams. */
#ifndef STREAM_H
#define STREAM_H

#include "folded.h"
#include "window.h"

/* All zero but for f.counts at the start; release with stream_free(). */
struct stream {
	struct folded f;
	enum stream_kind {
		STREAM_PLAIN,   /* a profile of which no time is known */
		STREAM_SNAPSHOT /* one that began and ended */
	} kind;
	uint64_t begin, end; /* of a snapshot, ns */
	bool supersedes;     /* what was before: it is no delta */

	/* Of a stack: it is a sample of a stream, taken at that time. */
	bool is_sample;
	uint64_t time;
};

enum stream_event {
	STREAM_NOTHING, /* the input has ended, or has nothing at hand */
	STREAM_HEADER,  /* a profile begins, and one before it has no end */
	STREAM_STACK,   /* in f.stack and f.count */
	STREAM_END      /* a snapshot is whole */
};

/*
 * Read on to the next event.  Times of more than 63 bits are as unknown ones.
 * After STREAM_NOTHING it can be called again, where input_ended() is false.
 */
enum stream_event stream_next(struct stream *s, struct input *in);

void stream_free(struct stream *s);

/* What the header says; 0 where it does not. */
double stream_number(const struct stream *s, const char *key);
struct tallies stream_tallies(const struct stream *s);

#endif
