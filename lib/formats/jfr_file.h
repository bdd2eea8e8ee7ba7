/* jfr_file.h - recordings of JDK Flight Recorder, in its binary format. */
#ifndef JFR_FILE_H
#define JFR_FILE_H

#include "formats/jfr_kinds.h"
#include "io/input.h"
#include "reader/sink.h"

#define JFR_MAGIC STR("FLR\0")

/*
 * Read a recording to its end and push the samples of all events with stacks.
 * With opt->list, print the events instead.
 */
void jfr_file_read(struct input *in, struct sink *out,
		   const struct jfr_options *opt);

#endif
