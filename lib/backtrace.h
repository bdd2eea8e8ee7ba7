/* backtrace.h - stacks of threads, in what debuggers print; btline.h. */
#ifndef BACKTRACE_H
#define BACKTRACE_H

#include "reader.h"

/*
 * Read an input to its end: each backtrace is a sample, leaf first.  Lines of
 * other kinds, of which debuggers print many, are passed over; an input
 * without any backtrace is counted as not understood.
 */
void backtrace_read(struct input *in, struct sink *out);

#endif
