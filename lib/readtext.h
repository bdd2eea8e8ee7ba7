/* readtext.h - perf script text, read into a sink. */
#ifndef READTEXT_H
#define READTEXT_H

#include "jitopt.h"
#include "reader.h"
#include "textcode.h"

struct readtext {
	bool with_source;         /* lines of perf script -F +srcline */
	bool exact;               /* look callers up where they return to */
	bool insns;               /* the instruction of JIT code as a leaf */
	const struct jitopt *jit; /* may name frames of JIT code */
	/* Look for what was inlined, in the files the text names; or NULL. */
	const struct textcode_options *code;
	/* Called for each new frame, to change it; or NULL. */
	void (*change)(void *arg, struct frame *f);
	void *arg;
};

void readtext(const struct readtext *how, struct input *in, struct sink *out);

#endif
