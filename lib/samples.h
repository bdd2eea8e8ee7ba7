/* samples.h - the samples of a stream, one after another, read fast. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "count.h"
#include "input.h"
#include "intern.h"
#include "lines.h"
#include "map.h"
#include "meta.h"

/* What a sample's metadata say besides its time: many samples share it. */
struct origin {
	int64_t pid, tid, cpu; /* -1 if unknown */
	uint32_t thread;       /* of its input, from 0; unknown is one too */
	uint32_t event;        /* its number in samples.events */
	uint64_t lost;         /* records that were lost before it */
	struct str args;       /* as written; folded(5) */
};

struct sample_line {
	uint64_t time; /* ns */
	uint64_t line; /* of the input */
	const struct origin *origin;
	uint32_t stack; /* its number in samples.stacks */
	struct count count;
};

/*
 * Samples that are read together: what is known of their stacks comes from
 * memory meanwhile.
 */
#define SAMPLES_BATCH 16
#define SAMPLES_RECENT_BITS 8

/*
 * Streams that are read one after another.  All zero at the start; release
 * with samples_free().
 */
struct samples {
	struct intern *stacks; /* as written, which need not be clean */
	struct intern *events; /* decoded; empty where none is named */
	struct meta header;    /* in force */
	uint64_t headers;      /* changes with it */
	bool mixes_clocks;     /* headers name several */
	uint32_t nthreads;

	/* Below here is samples.c's own. */
	struct input *in;
	struct buf clock; /* that was named first */
	struct str block;
	struct lines lines;
	size_t next;           /* line of the block */
	struct map threads;    /* by tid */
	struct intern *texts;  /* of metadata but for their times */
	struct origin *origin; /* by text */
	size_t norigins, origin_cap;
	uint32_t recent[1 << SAMPLES_RECENT_BITS]; /* texts */
	uint32_t now; /* text of what holds for the next stack */
	bool pending; /* and is its own, */
	bool old;     /* or that of a line that was not understood */
	uint64_t time;
	bool has_time;
	struct buf scratch;
	struct samples_batch {
		struct str text[SAMPLES_BATCH];
		uint32_t stack[SAMPLES_BATCH];
		struct samples_head {
			uint64_t time, line;
			uint32_t origin;
			struct count count;
		} head[SAMPLES_BATCH];
		size_t n, next;
	} batch;
};

/*
 * Begin to read an input, which is the caller's.  Its threads are counted
 * anew; numbers of stacks and events go on.
 */
void samples_begin(struct samples *s, struct input *in);

/*
 * The next sample; slices are valid until the next call.  False at the end.
 * What is none, or has no time, is counted as not understood.  Two counts a
 * line, another version of the format or a count beyond 64 bits end the program
 * with status 2.
 */
bool samples_next(struct samples *s, struct sample_line *sample);

void samples_free(struct samples *s);

#endif
