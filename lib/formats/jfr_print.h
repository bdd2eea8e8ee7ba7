/* jfr_print.h - events of Flight Recorder as jfr print writes them. */
#ifndef JFR_PRINT_H
#define JFR_PRINT_H

#include "formats/jfr_kinds.h"
#include "io/input.h"
#include "reader/sink.h"

/* Read the text of "jfr print". */
void jfr_print_read(struct input *in, struct sink *out,
		    const struct jfr_options *opt);

#endif
