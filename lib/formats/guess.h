/* guess.h - guesses the format of a file from its first bytes. */
#ifndef GUESS_H
#define GUESS_H

#include "base/str.h"

/* So many bytes are enough to guess from. */
#define GUESS_BYTES ((size_t)1 << 20)

/*
 * The name of the command that reads a file, given its first bytes,
 * decompressed.  NULL if no command reads the file, or if several might: then
 * *other is one of them, else NULL.
 */
const char *guess_reader(struct str begin, const char **other);

/*
 * For the message about a file that no command reads: its format, and the
 * program that converts it.  NULL if the format is unknown.
 */
const char *guess_hint(struct str begin);

#endif
