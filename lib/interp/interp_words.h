/* interp_words.h - a runtime's block, searched for in the C stack of a thread.
 */
#ifndef INTERP_WORDS_H
#define INTERP_WORDS_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/* The process; a value. */
struct interp_words {
	int64_t pid;
	uint64_t stack_end; /* of the main thread; 0 if unknown */
	/*
	 * Code that has the object's address in its frames: the outer part is
	 * searched from where the outermost one begins.  Empty: unknown.
	 */
	struct interp_range code;
};

struct interp_words interp_words_of(const struct interp_target *target);

enum { INTERP_WORDS_HEAD = 24 };

/*
 * Call visit() with the words of a part of a thread's stack that may be
 * addresses of an object, until it returns true; head has the first bytes at
 * the address.  The part is the outer one, and the outermost words are first;
 * or if inner, which needs the memory's moment, the reverse.
 */
void interp_words_search(const struct interp_words *w,
			 struct interp_copy *memory, int64_t tid, bool inner,
			 bool (*visit)(void *arg, uint64_t address,
				       const char head[INTERP_WORDS_HEAD]),
			 void *arg);

#endif
