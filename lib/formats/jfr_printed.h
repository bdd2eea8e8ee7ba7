/* jfr_printed.h - an event of Flight Recorder in the output of jfr print. */
#ifndef JFR_PRINTED_H
#define JFR_PRINTED_H

#include "formats/jfr_kinds.h"
#include "io/input.h"
#include "reader/sink.h"

/* The event that is read, and what is known of the whole file. */
struct jfr_printed {
	struct input *in;
	struct sink *out;
	const struct jfr_options *opt;
	const struct jfr_kind_of_event *kind;
	struct buf name, thread, subject, text;
	int64_t tid;
	uint64_t time;
	bool has_time, has_stack, is_truncated, is_failed;
	bool has_weight, is_bad;
	uint64_t weight;
	struct str unit;
	uint32_t *token;
	size_t n, cap;
	size_t deepest;
};

/* Start with all zero, but for in, out and opt. */
void jfr_printed_begin(struct jfr_printed *p, struct str name);
void jfr_printed_frame(struct jfr_printed *p, const struct frame *frame);

/* Whether a field holds the count of the event. */
bool jfr_printed_is_weight(const struct jfr_printed *p, struct str field);

/* Push the event, if it has a stack or one of its kind should. */
void jfr_printed_end(struct jfr_printed *p);

/* After the last event: warn if jfr print has cut the stacks; free. */
void jfr_printed_finish(struct jfr_printed *p);

#endif
