/* jit_report.h - passes what was wrong with names of JIT code to a sink. */
#ifndef JIT_REPORT_H
#define JIT_REPORT_H

#include "jit/jit.h"
#include "reader/reader.h"

/*
 * Pass the notes of a jit to the sink.  If entries of its files were not
 * understood, the sink is marked as partial.
 */
void jit_report(struct jit *jit, struct sink *out);

#endif
