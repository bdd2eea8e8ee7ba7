/* palreport.h - warnings about a palette, and statistics of its rules. */
#ifndef PALREPORT_H
#define PALREPORT_H

#include "base/count.h"
#include "base/intern.h"
#include "palette/palette.h"

/*
 * Call say with a line for each rule that can never match a frame first,
 * because an earlier rule matches all of its frames.  Returns the number of
 * lines.
 */
size_t palreport_check(const struct palette *p,
		       void (*say)(const char *line, void *arg), void *arg);

/*
 * The same for each pattern with aborted searches: how many, and the text of
 * the first.
 */
size_t palreport_given_up(const struct palette *p,
			  void (*say)(const char *line, void *arg), void *arg);

/* Statistics of rules.  All zero but for palette at the start. */
struct palreport_stats {
	const struct palette *palette;
	struct intern *pairs; /* of rule and frame, to find new ones */

	/* By rule; the last element is for frames without a rule. */
	uint64_t *frames;    /* different frames */
	struct count *count; /* sum over stacks with such a frame */
	uint64_t *stack;     /* number of the last stack counted */
	uint64_t stacks;
};

/*
 * Count a stack of n frames and the rules that matched them.  False if a sum
 * exceeds 64 bits.
 */
bool palreport_add(struct palreport_stats *t, const uint32_t *frame,
		   const uint32_t *rule, size_t n, struct count count);

/* Append a table with a line for each rename and each rule. */
void palreport_print(struct palreport_stats *t, struct buf *out);

void palreport_free(struct palreport_stats *t);

#endif
