/* event_choice.h - choose the events of a trace to count. */
#ifndef EVENT_CHOICE_H
#define EVENT_CHOICE_H

#include "cli/cmd.h"
#include "folded/meta.h"

struct event_choice;

/*
 * Count the event of this name, every event for "all", or for NULL the first
 * event of the input.  wanted is not copied.
 */
struct event_choice *event_choice_new(const char *wanted);
void event_choice_free(struct event_choice *e); /* may be NULL */

/*
 * Note a sample of an event, which becomes the current event.  True if the
 * sample counts.
 */
bool event_choice_add(struct event_choice *e, struct str name);

/*
 * Note a sample of a stream, folded(5), whose event is in its own metadata or
 * in the header.  True if the sample counts.
 */
bool event_choice_add_sample(struct event_choice *e, const struct meta *own,
			     const struct meta *header);

/*
 * Add the keys event and unit to the metadata of a profile of the samples of a
 * stream that counted.  Keys in *all stay, but a unit that belongs to another
 * event is replaced.
 */
void event_choice_describe(const struct event_choice *e, struct meta *all);

/* The current event's name, empty before the first sample. */
struct str event_choice_current(const struct event_choice *e);

/*
 * The name of the event whose samples counted so far.  If there were several,
 * which differ in modifiers or PMU, the name has neither.
 */
struct str event_choice_counted(const struct event_choice *e);

/*
 * Print which events were left out, in a message of cmd.  counted says that
 * samples of other events did count.
 */
void event_choice_report(const struct event_choice *e, const struct cmd *cmd,
			 bool counted);

#endif
