/* dvalue.h - values in names of D. */
#ifndef DVALUE_H
#define DVALUE_H

#include "dread.h"

/* A value of a type that begins with a letter; NUL if it is not known. */
bool dvalue_read(struct dread *n, char of);

/*
 * Elements of a kind, as many as a number says, with commas between them and
 * what is before and behind all: 'B' types, 'A' values, 'H' pairs of values.
 */
bool dvalue_elements(struct dread *n, const char *before, char kind,
		     const char *behind);

#endif
