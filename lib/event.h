/* event.h - names of perf events, and which of them are the same. */
#ifndef EVENT_H
#define EVENT_H

#include "str.h"

/*
 * The name without the PMU it was counted on and without how it was sampled:
 * "cycles" of "cpu_core/cycles/" and of "cycles/freq=99/", whose modifiers
 * stand behind the slash; *modifiers is set to them, or to those behind a
 * colon.
 */
struct str event_name(struct str event, struct str *modifiers);

/* The same event, perhaps of several PMUs. */
bool event_same(struct str a, struct str b);

/*
 * Whether an event is meant by what a user wrote: its whole name, or its
 * name without modifiers or PMU.
 */
bool event_matches(struct str event, struct str wanted);

/* The unit of its periods, folded(5): "ns" for what is time, else its name. */
struct str event_unit(struct str event);

#endif
