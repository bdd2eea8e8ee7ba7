/* jfr_settings.h - what a chunk of Flight Recorder says of its sampling. */
#ifndef JFR_SETTINGS_H
#define JFR_SETTINGS_H

#include "formats/jfr_chunk.h"

/* The period of a type of events in ns; 0 if it has none. */
uint64_t jfr_settings_period(const struct jfr_chunk *chunk, uint64_t type);

/* The number of samples of CPU time that the JVM lost. */
uint64_t jfr_settings_lost(const struct jfr_chunk *chunk);

#endif
