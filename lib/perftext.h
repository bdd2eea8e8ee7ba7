/* perftext.h - samples out of perf script text. */
#ifndef PERFTEXT_H
#define PERFTEXT_H

#include "framecache.h"
#include "input.h"
#include "perfline.h"

/*
 * A sample; slices and arrays are valid until the next perftext_read().  Names
 * of processes that begin with "java" are of flavour 1, others of 0.
 */
struct perftext_sample {
	const struct perfline_head *head;
	int flavour;
	size_t n;
	struct cached_frame **frame; /* leaf first */
	uint32_t *token;             /* theirs, of the flavour */
	bool complete;               /* no token is NO_TOKEN */
	bool in_head;                /* the frame is, as perf knows no others */
	struct str *source; /* "file:line" or empty; NULL without them */
	struct framecache *cache;
};

struct perftext;

/* With source lines, as perf script -F +srcline prints them. */
struct perftext *perftext_new(bool with_source);
void perftext_free(struct perftext *t);

/*
 * The next sample; false at the end of the input.  Lines that are not
 * understood are counted and skipped.
 */
bool perftext_read(struct perftext *t, struct input *in,
		   struct perftext_sample *sample);

/*
 * Have a function called for each "PERF_RECORD_..." that perf script
 * --show-mmap-events and its kin tell of, as it is read.
 */
void perftext_on_record(struct perftext *t,
			void (*on_record)(void *arg, struct str text),
			void *arg);

/*
 * The sampling frequency in Hz that the header of perf script --header gave
 * for an event, 0 if unknown.
 */
uint64_t perftext_hz(struct perftext *t, struct str event);

#endif
