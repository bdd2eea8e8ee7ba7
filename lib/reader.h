/* reader.h - what a trace format has to write to become a command. */
#ifndef READER_H
#define READER_H

#include "cmd.h"
#include "count.h"

/*
 * A reader pulls lines or records from an input and pushes samples into a
 * sink: sink_begin(), a sink_frame() for each frame, sink_end().  The sink
 * does the rest: names, annotations, merging, order, and the options that all
 * collapsers share.
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

/* A frame as the trace has it; slices need to live only during the call. */
struct frame {
	struct str name;   /* not cleaned; empty or [unknown] if missing */
	struct str module; /* path or name, for a frame without a name */
	struct str line;   /* "file:line", or empty */
	unsigned version;  /* of the function: above 1, "#2" behind its name */
	uint64_t addr;     /* if has_addr */
	bool has_addr;
	bool whole; /* the name is no function's: keep what is in parentheses */
	enum frame_kind kind;
};

/*
 * What a trace may know of a sample besides its frames and its count.  Slices
 * need to live only during the call.  Begin with SAMPLE_UNKNOWN.
 */
struct sample {
	uint64_t time; /* ns on the trace's own clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu;          /* -1 if unknown */
	struct str comm, event, cgroup; /* empty if unknown */
	struct str args; /* "name=value ..." that a probe fetched, or empty */
	struct str unit; /* of the count: "samples" if empty */
	uint64_t ns;     /* time the sample stands for, 0 if unknown */
	uint64_t lost;   /* records since the sample before, 0 if unknown */
	uint64_t n;      /* samples that are alike, all in this one; 0 for 1 */
};

#define SAMPLE_UNKNOWN ((struct sample){ .pid = -1, .tid = -1, .cpu = -1 })

/* It is n samples that are alike; each stands for ns, 0 if unknown. */
static inline void
sample_repeat(struct sample *sample, uint64_t n, uint64_t ns)
{
	sample->n = n;
	if (__builtin_mul_overflow(n, ns, &sample->ns))
		sample->ns = 0;
}

struct sink;

/* False if the sample is not wanted: then push no frames, nor an end. */
bool sink_begin(struct sink *out, const struct sample *sample);

void sink_frame(struct sink *out, const struct frame *frame);

void sink_end(struct sink *out, struct count count);

/*
 * The same in two steps, for a reader that sees a frame many times: a token
 * stands for the frame in all samples of one flavour (below SINK_FLAVOURS),
 * which follows from the name of the process.
 */
#define SINK_FLAVOURS 2
int sink_flavour(struct str comm);
uint32_t sink_token(struct sink *out, const struct frame *frame, int flavour);
void sink_push(struct sink *out, const uint32_t *token, size_t n);

/* Whether --addrs is given, so that frames without a name differ by address. */
bool sink_shows_addrs(const struct sink *out);

/* Whether samples are written one by one, so that their order matters. */
bool sink_is_stream(const struct sink *out);

/* Whether every event is wanted, not only the first. */
bool sink_takes_all(const struct sink *out);

/* Say a line on standard error, unless --quiet. */
void sink_note(struct sink *out, struct str line);

/* A file that helps was understood only in part: with --strict, status 1. */
void sink_partial(struct sink *out);

/* The sample's callers are missing: marks it [truncated] before its end. */
void sink_truncated(struct sink *out);

struct reader {
	enum { LEAF_FIRST, ROOT_FIRST } order; /* of frames in the trace */
	const char *synopsis;                  /* as the manual has it */
	const char *summary;
	bool marks_jit;    /* as --jit does, always */
	const char *clock; /* of sample times, folded(5); NULL if none */
	const struct confine *may; /* as of struct cmd; it is looked at last */
	const struct cmd_option *options;     /* own ones, or NULL */
	bool (*setopt)(int value, char *arg); /* false: bad argument */
	void (*read)(struct input *in, struct sink *out);
};

/* The options that all collapsers share. */
extern const struct cmd_option collapse_options[];

/* main() of a collapser. */
int collapse_main(int argc, char *argv[], const struct reader *reader);

#endif
