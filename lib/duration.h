/* duration.h - lengths of time as people write them. */
#ifndef DURATION_H
#define DURATION_H

#include "buf.h"

/*
 * Read all of s, a number and its unit: "2ms", "1.5 s", "300us", "80ns".
 * False, with *ns as it was, if it is none, or beyond 64 bits.
 */
bool duration_parse(struct str s, uint64_t *ns);

/* Append it with three digits: "1.15 ms". */
void duration_print(struct buf *out, double ns);

#endif
