/* jitframe.h - tiers, versions and source lines of JIT frames. */
#ifndef JITFRAME_H
#define JITFRAME_H

#include "base/arena.h"
#include "reader/reader.h"

struct jitframe_function;
struct jitframe_version;
struct jitframe_module;

/* All zero but for the options; release with jitframe_free(). */
struct jitframe {
	bool lines;    /* add source lines: "f:app.js:15" */
	bool versions; /* add "#2" to the second function of a name */
	bool tiers;    /* set the kind: interpreted, a lower tier, or JIT */

	/* Below here is jitframe.c's own. */
	struct jitframe_function *function; /* tables */
	struct jitframe_version *version;
	struct jitframe_module *module;
	struct arena arena; /* their elements */
	struct buf name, key, line;
};

/*
 * Change a frame of kind FRAME_JIT as the options say; from any other frame,
 * and from one without a name, only remove the line.  Functions of one name in
 * several modules "jitted-PID-NUMBER.so" are versions, in order of appearance.
 * What the frame points to then is valid until the next call.
 */
void jitframe_change(void *jitframe, struct frame *frame);

/*
 * The kind of code by V8's mark: '~' interpreted, '^' Sparkplug, '+' Maglev,
 * '*' Turbofan.  FRAME_USER for other marks.
 */
enum frame_kind jitframe_v8_tier(char mark);

void jitframe_free(struct jitframe *j);

#endif
