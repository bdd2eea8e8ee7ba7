/* event.h - names of perf events, with their PMUs and modifiers. */
#ifndef EVENT_H
#define EVENT_H

#include "base/buf.h"

/*
 * The name of an event without its PMU and its sampling terms: "cycles" for
 * "cpu_core/cycles/" and for "cycles/freq=99/".  *modifiers is what follows
 * the last slash, or the colon.
 */
struct str event_name(struct str event, struct str *modifiers);

/* Whether two names are the same event with the same modifiers on any PMU. */
bool event_same(struct str a, struct str b);

/* Append a key that is equal for the events that event_same() calls the same.
 */
void event_key(struct buf *out, struct str event);

/* Whether an event counts nothing: perf adds it to record mappings. */
bool event_is_dummy(struct str event);

/*
 * Whether a user who asks for an event as wanted means this one: wanted is its
 * whole name, or its name without modifiers, or without its PMU.
 */
bool event_matches(struct str event, struct str wanted);

/* The unit of its periods, as in folded(5): "ns" for clocks, else its name. */
struct str event_unit(struct str event);

#endif
