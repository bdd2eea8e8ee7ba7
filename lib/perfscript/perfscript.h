/* perfscript.h - reads samples from perf script text. */
#ifndef PERFSCRIPT_H
#define PERFSCRIPT_H

#include "io/input.h"
#include "perfscript/framecache.h"
#include "perfscript/perfline.h"
#include "reader/sink.h"

/*
 * A sample.  Slices and arrays are valid until the next perfscript_read().
 * The flavour is 1 if the name of the process begins with "java", else 0.
 *
 * Samples have the same memo if their frame lines are the same bytes, in the
 * same flavour.  The reader does not use it.
 */
struct perfscript_sample {
	const struct perfline_head *head;
	int flavour;
	size_t n;
	struct framecache_frame **frame; /* leaf first */
	uint32_t *token;                 /* by perfscript_tokens() */
	bool complete;                   /* no token is FRAMECACHE_NO_TOKEN */
	bool in_head;       /* the only frame stands in the head line */
	bool cut;           /* the input may end inside this sample */
	struct str *source; /* "file:line" or empty; NULL without them */
	struct framecache *cache;
	struct sink_memo *memo; /* the caller's, of this stack; NULL: none */
};

struct perfscript;

/* With source lines, as perf script -F +srcline prints them. */
struct perfscript *perfscript_new(bool with_source);
void perfscript_free(struct perfscript *ps);

/*
 * A parser for later samples of the same input, which another thread can read:
 * parts of the input that begin after a blank line and end with one.  It knows
 * no frequencies of events.
 */
struct perfscript *perfscript_fork(const struct perfscript *ps);

/*
 * Note what the samples of a fork tell about the last sample of the input:
 * whether it is cut.
 */
void perfscript_join(struct perfscript *ps, const struct perfscript *fork);

/*
 * Read the next sample; false at the end of the input.  Lines that it cannot
 * parse are counted with input_bad() and skipped.
 *
 * The last sample is "cut" if no blank line ends it, although one ends all
 * others, and its outermost frame is not that of another sample.  A last line
 * without LF that is only a part of a frame is counted with input_bad().
 */
bool perfscript_read(struct perfscript *ps, struct input *in,
		     struct perfscript_sample *sample);

/* Set the tokens of a sample's frames in its flavour, and complete. */
void perfscript_tokens(struct perfscript *ps, struct perfscript_sample *sample);

/*
 * Set a function that perfscript_read() calls for each "PERF_RECORD_..." line,
 * which perf script --show-mmap-events and similar options print.
 */
void perfscript_on_record(struct perfscript *ps,
			  void (*on_record)(void *arg, struct str text),
			  void *arg);

/*
 * The sampling frequency of an event in Hz, from perf script --header; 0 if
 * unknown.
 */
uint64_t perfscript_hz(struct perfscript *ps, struct str event);

/*
 * The number of events in the header read so far, and the name of one, in the
 * order in which they were recorded.
 */
uint32_t perfscript_events(const struct perfscript *ps);
struct str perfscript_event(const struct perfscript *ps, uint32_t i);

#endif
