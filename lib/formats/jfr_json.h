/* jfr_json.h - events of Flight Recorder as jfr print --json writes them. */
#ifndef JFR_JSON_H
#define JFR_JSON_H

#include "formats/jfr_kinds.h"
#include "io/input.h"

/* Read the JSON of "jfr print --json". */
void jfr_json_read(struct input *in, struct sink *out,
		   const struct jfr_options *opt);

#endif
