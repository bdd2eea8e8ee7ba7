/* jitframe.h - what the frame of JIT code says besides its name. */
#ifndef JITFRAME_H
#define JITFRAME_H

#include "arena.h"
#include "reader.h"

/* Begin with all zero but for what is wanted; release with jitframe_free(). */
struct jitframe {
	bool lines;    /* "f:app.js:15" */
	bool versions; /* "f#2" for the second function of this name */
	bool tiers;    /* interpreted and lower tiers are such, not just JIT */

	/* Below here is jitframe.c's own. */
	struct intern *names, *modules;
	uint32_t *versions_of; /* a name */
	size_t cap;
	uint32_t *version_of; /* a name in a module */
	size_t version_cap;
	struct intern *lined; /* modules with a line, */
	struct str *file;     /* the last one with a name */
	size_t file_cap;
	struct arena arena;
	struct buf name, key, line;
};

/*
 * Change a frame of JIT code, one in a module "jitted-PID-NUMBER.so" or of
 * kind FRAME_JIT; others stay as they are.  Functions of one name in several
 * modules are versions, in the order in which they come.  What the frame
 * points to then is valid until the next call.
 */
void jitframe_change(void *jitframe, struct frame *f);

/* How V8 marks code: '~' interpreted, '^' Sparkplug, '+' Maglev, '*' Turbofan.
 */
enum frame_kind jitframe_v8_tier(char mark);

void jitframe_free(struct jitframe *j);

#endif
