/* jfr_settings.h - what a chunk of Flight Recorder says of its sampling. */
#ifndef JFR_SETTINGS_H
#define JFR_SETTINGS_H

#include "formats/jfr_chunk.h"

/*
 * Call a function with the setting "period" of each type of events that has
 * one: "20 ms", or "everyChunk".
 */
void jfr_settings_periods(const struct jfr_chunk *chunk,
			  void (*set)(void *arg, uint64_t type,
				      struct str period),
			  void *arg);

/* The number of samples of CPU time that the JVM lost. */
uint64_t jfr_settings_lost(const struct jfr_chunk *chunk);

#endif
