/* events.h - which events of a trace are counted. */
#ifndef EVENTS_H
#define EVENTS_H

#include "cmd.h"
#include "meta.h"

struct events;

/*
 * The events that a user wants: one by name, all for "all", or for NULL the
 * first that is seen.
 */
struct events *events_new(const char *wanted);
void events_free(struct events *e); /* may be NULL */

/*
 * Note a sample of an event, which becomes the current one; whether it is
 * wanted.
 */
bool events_see(struct events *e, struct str name);

/*
 * The same of a sample of a stream, folded(5), by its own metadata and the
 * header's; and what these say of the samples that were wanted, as one
 * profile: set what is not known from them, event and unit.
 */
bool events_see_sample(struct events *e, const struct meta *own,
		       const struct meta *header);
void events_describe(const struct events *e, struct meta *all);

/* The current event's name, empty before the first. */
struct str events_current(const struct events *e);

/*
 * The name of the event whose samples were wanted so far; without modifiers
 * or PMU if there were several, which differ only in these.
 */
struct str events_counted(const struct events *e);

/* Say which events were left out; counted tells that others were not. */
void events_say(const struct events *e, const struct cmd *cmd, bool counted);

#endif
