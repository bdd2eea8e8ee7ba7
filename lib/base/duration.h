/* duration.h - parse and print durations with units. */
#ifndef DURATION_H
#define DURATION_H

#include "base/buf.h"

/*
 * Parse all of s, a number and its unit: "2ms", "1.5 s", "300us", "80ns".
 * False, with *ns unchanged, if s is something else or exceeds 63 bits.
 */
bool duration_parse(struct str s, uint64_t *ns);

/* Append a duration with three digits: "1.15 ms". */
void duration_print(struct buf *out, double ns);

#endif
