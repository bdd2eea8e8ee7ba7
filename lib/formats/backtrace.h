/*
 * backtrace.h - reads the backtraces that debuggers print: gdb, lldb and
 * eu-stack, and programs that print as gdb does: pstack, quickstack and the
 * resolver of knielsen-pmp.
 *
 * None of these formats is documented.  The source is what the programs print.
 */
#ifndef BACKTRACE_H
#define BACKTRACE_H

#include "reader/reader.h"

/*
 * Read an input to its end.  Each backtrace of a thread is a sample, leaf
 * first.  Other lines, of which debuggers print many, are skipped; an input
 * without any backtrace is counted with input_bad().  python_lines adds lines
 * to the frames of Python's own tracebacks.
 */
void backtrace_read(struct input *in, struct sink *out, bool python_lines);

#endif
