/* readjit.h - JIT code in what perf recorded; for readtext.c and readdata.c. */
#ifndef READJIT_H
#define READJIT_H

#include "jitopt.h"
#include "reader.h"

/* What the options name; ends the program with status 2 if a file is none. */
struct jit *readjit_open(const struct jitopt *options);

/* Say what hindered it, and free it. */
void readjit_close(struct jit *jit, struct sink *out);

#endif
