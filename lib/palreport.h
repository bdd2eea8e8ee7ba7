/* palreport.h - what can be said about a palette, and what its rules did. */
#ifndef PALREPORT_H
#define PALREPORT_H

#include "count.h"
#include "intern.h"
#include "palette.h"

/*
 * Call say with a line for each rule that can never take a frame, because one
 * before it takes them all.  Returns how many lines that were.
 */
size_t palreport_check(const struct palette *p,
		       void (*say)(const char *line, void *arg), void *arg);

/* The same for each pattern whose search was given up, with an example. */
size_t palreport_given_up(const struct palette *p,
			  void (*say)(const char *line, void *arg), void *arg);

/* What rules took.  All zero but for palette at the start. */
struct paltaken {
	const struct palette *palette;
	struct intern *pairs; /* of rule and frame */
	uint64_t *frames;     /* different ones, by rule; the last: no rule */
	struct count *count;
	uint64_t *stack; /* the last one counted */
	uint64_t stacks;
};

/*
 * Count a stack whose frames were taken by these rules; false if a sum would
 * exceed 64 bits.
 */
bool paltaken_add(struct paltaken *t, const uint32_t *frame,
		  const uint32_t *rule, size_t n, struct count count);

/* Append a table, a line for each rule and for each rename. */
void paltaken_print(struct paltaken *t, struct buf *out);

void paltaken_free(struct paltaken *t);

#endif
