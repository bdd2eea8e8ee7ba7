/* samples.h - fast reader of sample streams; folded(5), Streams. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "base/count.h"
#include "base/intern.h"
#include "base/lines.h"
#include "base/u64map.h"
#include "folded/meta.h"
#include "io/input.h"

/* A sample's metadata but for its time; many samples share them. */
struct origin {
	int64_t pid, tid, cpu; /* -1 if unknown */
	uint32_t thread; /* number in the input, from 0; also if unknown */
	uint32_t event;  /* number in samples.events */
	uint64_t lost;   /* records lost before the sample */
	struct str args; /* as written; folded(5) */
};

struct sample_line {
	uint64_t time; /* ns */
	uint64_t line; /* number in the input */
	const struct origin *origin;
	uint32_t stack; /* number in samples.stacks */
	struct count count;
};

/* Samples are read in batches, to prefetch what is needed for their stacks. */
#define SAMPLES_BATCH 16
#define SAMPLES_RECENT_BITS 8

/*
 * A reader of streams, one after another.  All zero at the start; release with
 * samples_free().
 */
struct samples {
	struct intern *stacks; /* as written, not escaped */
	struct intern *events; /* decoded; empty if unknown */
	struct meta header;    /* in force */
	uint64_t headers;      /* changes with each header */
	bool mixes_clocks;     /* headers have different clocks */
	uint32_t nthreads;

	/* Private. */
	struct input *in;
	struct buf clock; /* of the first header that has one */
	struct str block;
	struct lines lines;
	size_t next;           /* line of the block */
	struct u64map threads; /* by tid */
	struct intern *texts;  /* metadata without time */
	struct origin *origin; /* by text */
	size_t norigins, origin_cap;
	uint32_t recent[1 << SAMPLES_RECENT_BITS]; /* cache of texts */

	/* Metadata of the next stack. */
	uint32_t text; /* without its time; set if pending */
	bool pending;
	bool malformed; /* the stack line was malformed: discard text */
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
 * Begin an input, which the caller owns.  Threads are numbered from 0 again;
 * numbers of stacks and events stay valid.
 */
void samples_begin(struct samples *s, struct input *in);

/*
 * Read the next sample; its origin is valid until the next call.  False at the
 * end.  A malformed line, and a stack without a time, is skipped and counted
 * with input_bad().  Two counts per line, another version of the format or a
 * count beyond 64 bits ends the program with status 2.
 */
bool samples_next(struct samples *s, struct sample_line *sample);

void samples_free(struct samples *s);

#endif
