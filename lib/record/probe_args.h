/* probe_args.h - fetch variables of a program where it is probed. */
#ifndef PROBE_ARGS_H
#define PROBE_ARGS_H

#include "record/probe_places.h"

/*
 * Set what each place fetches for a list of variables, separated by blanks:
 * "id path:string req->id:x32".  A function's place moves behind its prologue
 * if that stores one of them.  False, with the reason appended to why, if one
 * cannot be fetched at one of the places.
 */
bool probe_args_find(struct probe_places *all, const char *path,
		     struct str variables, struct buf *why);

#endif
