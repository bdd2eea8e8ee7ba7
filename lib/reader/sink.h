/* sink.h - where a reader of traces pushes its samples. */
#ifndef SINK_H
#define SINK_H

#include "base/count.h"

/*
 * A reader pushes each sample as sink_begin(), one sink_frame() for each frame
 * in the reader's own order, and sink_end().  The sink cleans names, adds the
 * root frames and the marks, merges equal stacks and applies the options that
 * all collapsers share.
 *
 * Slices need to live only during a call, but for args of struct sample.
 */

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL, /* _[k] with --kernel */
	FRAME_JIT,    /* _[j] with --jit */
	FRAME_INLINE, /* _[i] */
	FRAME_WAKER,  /* _[w] */
	FRAME_INTERP, /* _[0] with --jit */
	FRAME_LOWJIT  /* _[1] with --jit */
};

/* A function that is inlined into a frame. */
struct inlined_frame {
	struct str name, line; /* as in struct frame */
};

/* A frame as the trace has it.  All zero is a frame without a name. */
struct frame {
	struct str name;   /* not cleaned; empty or [unknown] if missing */
	struct str module; /* path or name, for a frame without a name */
	struct str line;   /* "file:line", or empty */
	unsigned version;  /* of the function: above 1 it adds "#2" */
	uint64_t addr;     /* if has_addr */
	bool has_addr;
	bool whole; /* parentheses are part of the name, not arguments */
	enum frame_kind kind;
	const struct inlined_frame *inlined; /* the outermost first */
	size_t inlines;
};

/*
 * What a trace may know of a sample besides its frames and its count.  Start
 * from SAMPLE_UNKNOWN.
 */
struct sample {
	uint64_t time; /* ns on the trace's own clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu;          /* -1 if unknown */
	struct str comm, event, cgroup; /* empty if unknown */
	/* "name=value ..." that a probe fetched, or empty; until sink_end() */
	struct str args;
	struct str unit; /* of the count; empty for "samples" */
	uint64_t ns;     /* time that the sample stands for, 0 if unknown */
	uint64_t lost;   /* records lost since the previous sample */
	uint64_t n;      /* equal samples merged into this one; 0 means 1 */
};

#define SAMPLE_UNKNOWN ((struct sample){ .pid = -1, .tid = -1, .cpu = -1 })

/* Make one sample stand for n, each of which lasts ns; 0 if unknown. */
static inline void
sample_repeat(struct sample *sample, uint64_t n, uint64_t ns)
{
	sample->n = n;
	if (__builtin_mul_overflow(n, ns, &sample->ns))
		sample->ns = 0;
}

struct sink;

/*
 * Announce an event of the input, in the order in which they were recorded,
 * before its first sample.  Unless the user chose, the first that has samples
 * counts.
 */
void sink_announce_event(struct sink *out, struct str event);

/*
 * Begin a sample.  Returns false if the options exclude the sample: then push
 * neither frames nor an end.
 */
bool sink_begin(struct sink *out, const struct sample *sample);

/* Push one frame of the sample. */
void sink_frame(struct sink *out, const struct frame *frame);

/*
 * End the sample and count it.  Ends the program with status 2 if --count time
 * is given and the duration of the sample is unknown.
 */
void sink_end(struct sink *out, struct count count);

/*
 * sink_frame() in two steps, for a reader that sees the same frame many times.
 * A token stands for a frame in all samples of one flavour.  The flavour, a
 * number below SINK_FLAVOURS, follows from the name of the process: the
 * symbols of Java are spelled differently.  Tokens live as long as the sink.
 */
#define SINK_FLAVOURS 2
int sink_flavour(struct str comm);
uint32_t sink_token(struct sink *out, const struct frame *frame, int flavour);

/* Push n frames by their tokens, in the reader's order. */
void sink_push(struct sink *out, const uint32_t *token, size_t n);

/*
 * For a reader that finds whole stacks again: where the sink counted such a
 * stack last, below different root frames.  All zero at first.
 */
#define SINK_MEMO_PLACES 4
struct sink_memo {
	struct {
		uint64_t roots;
		uint32_t place;
	} known[SINK_MEMO_PLACES];
	unsigned next; /* in known, to be replaced */
};

/* sink_end(), which also sets the memo of the stack. */
void sink_end_memo(struct sink *out, struct count count,
		   struct sink_memo *memo);

/*
 * End a sample of which nothing was pushed, but whose tokens would be those of
 * the memo.  False, and the sample has not ended, if the sink must have them.
 */
bool sink_end_again(struct sink *out, struct count count,
		    const struct sink_memo *memo);

/* Whether frames without a name differ by address, as --addrs asks. */
bool sink_shows_addrs(const struct sink *out);

/* Whether samples are written one by one, so that their order matters. */
bool sink_is_stream(const struct sink *out);

/* Whether samples of an event may count: a reader can skip those that do not.
 */
bool sink_may_count(const struct sink *out, struct str event);

/* Whether every event is counted, not only the first. */
bool sink_all_events(const struct sink *out);

/* Print a line on standard error, unless --quiet. */
void sink_note(struct sink *out, struct str line);

/*
 * Record that a file besides the input was understood only in part: --strict
 * then ends with status 1.
 */
void sink_partial(struct sink *out);

/* Mark the sample [truncated], before its end: its callers are missing. */
void sink_truncated(struct sink *out);

#endif
