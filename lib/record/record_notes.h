/* record_notes.h - what a recording tells its user. */
#ifndef RECORD_NOTES_H
#define RECORD_NOTES_H

#include "record/recorder.h"

/* On standard error: what the kernel's settings keep out of the recording. */
void record_notes_plan(const struct record_plan *plan);

/*
 * At the end, on standard error: the number of samples and the recorder's cost,
 * what has no stack, and what was lost.  With quiet, losses only.
 */
void record_notes_counts(const struct recorder *r,
			 const struct record_plan *plan, bool quiet);

/* On standard error: how long the call took that was waited for. */
void record_notes_call(const struct call_watch *watch);

/* On standard output: a line for each event, with its count. */
void record_notes_values(const struct recorder *r,
			 const struct record_plan *plan);

/* On standard output: a line for each place that the probes use. */
void record_notes_probes(const struct event_requests *events);

#endif
