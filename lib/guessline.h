/*
 * guessline.h - formats that are told by what stands in each of their lines, or
 * in the first.
 */
#ifndef GUESSLINE_H
#define GUESSLINE_H

#include "str.h"

/* Cut the first line that is no comment and not blank. */
struct str guessline_first(struct str *s);

/* Whether it may be text of these that begins so; the last line may be cut. */
bool guessline_austin(struct str s);
bool guessline_luajit(struct str s);
bool guessline_typhon(struct str s);

/* Folded text, or a header alone, that is none of these. */
bool guessline_folded(struct str s);

#endif
