/* collapse.h - main() of all collapsers: the shared options and one loop. */
#ifndef COLLAPSE_H
#define COLLAPSE_H

#include "reader/reader.h"

/* The options that all collapsers share. */
extern const struct cmd_option collapse_options[];

/*
 * Parse the command line, read each input with the reader, and write folded
 * text to standard output.  Returns the exit status.
 */
int collapse_main(int argc, char *argv[], const struct reader *reader);

#endif
