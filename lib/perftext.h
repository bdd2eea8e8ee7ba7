/* perftext.h - samples out of perf script text. */
#ifndef PERFTEXT_H
#define PERFTEXT_H

#include "input.h"
#include "perfline.h"

#define PERFTEXT_NO_TOKEN UINT32_MAX

/*
 * A function in a module, the same for all its addresses, as long as the
 * reader lives.  The tokens are the caller's to set.
 */
struct perftext_symbol {
	struct str name, module; /* empty if missing */
	enum perfline_kind kind;
	uint32_t token[2];
};

/* A frame line; valid until the next perftext_read(). */
struct perftext_frame {
	uint32_t token[2]; /* the caller's to set */
	uint32_t len;      /* of text */
	uint64_t addr;
	struct perftext_symbol *symbol;
	struct str source; /* "file:line", only with source lines */
	struct perftext_frame *next; /* the line that followed it last */
	char text[];                 /* the line with its LF */
};

/*
 * A sample; slices and arrays are valid until the next perftext_read().  Names
 * of processes that begin with "java" are of flavour 1, others of 0: token[i]
 * is frame[i]->token[flavour].
 */
struct perftext_sample {
	struct perfline_head head;
	int flavour;
	size_t n;
	struct perftext_frame **frame; /* leaf first */
	uint32_t *token;
	bool complete; /* no token is PERFTEXT_NO_TOKEN */
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
 * The sampling frequency in Hz that the header of perf script --header gave
 * for an event, 0 if unknown.
 */
uint64_t perftext_hz(const struct perftext *t, struct str event);

#endif
