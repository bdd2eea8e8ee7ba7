/* jitnow.h - names of the code that JITs make in processes that run. */
#ifndef JITNOW_H
#define JITNOW_H

#include "jit.h"
#include "process.h"

/*
 * What processes have of names grows while they run: their files are read
 * again, and JVMs asked again, when there was code without a name.
 */
struct jitnow;

/* The processes outlive it; ask: also JVMs, as jvm.h says. */
struct jitnow *jitnow_new(const struct jit_options *options,
			  struct processes *processes, bool ask);
void jitnow_free(struct jitnow *n);

/* All names, for a resolver. */
struct jit *jitnow_jit(const struct jitnow *n);

/* A process is there from now on. */
void jitnow_add(struct jitnow *n, int64_t pid);

/*
 * The code at an address at a time.  Where there is no name, but a JIT may
 * have put code there, that is kept in mind.
 */
bool jitnow_find(struct jitnow *n, int64_t pid, uint64_t time, uint64_t address,
		 struct jit_symbol *found);

/*
 * See what is new, at leisure.  At last, do so even if it was done just now,
 * and wait for answers.
 */
void jitnow_update(struct jitnow *n, bool last);

/* Where code was that had no name. */
struct jitnow_place {
	int64_t pid;
	uint64_t time, address;
};

/*
 * After an update, the next one that has a name now, as found; false when
 * there are no more.
 */
bool jitnow_late(struct jitnow *n, struct jitnow_place *place,
		 struct jit_symbol *found);

#endif
