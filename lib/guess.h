/* guess.h - which of the formats that we read a file is in. */
#ifndef GUESS_H
#define GUESS_H

#include "str.h"

/* Enough of a file to tell by. */
#define GUESS_BYTES ((size_t)1 << 20)

/*
 * The command that reads what begins so, decompressed; NULL if there is none,
 * or if more than one might: then *other is one of these, else NULL.
 */
const char *guess_reader(struct str begin, const char **other);

#endif
