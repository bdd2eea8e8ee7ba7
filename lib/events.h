/* events.h - which events of a trace are counted. */
#ifndef EVENTS_H
#define EVENTS_H

#include "cmd.h"

struct events;

/*
 * The events that a user wants: one by name, all for "all", or for NULL the
 * first that is seen.
 */
struct events *events_new(const char *wanted);
void events_free(struct events *e);

/*
 * Note a sample of an event, which becomes the current one; whether it is
 * wanted.
 */
bool events_see(struct events *e, struct str name);

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
