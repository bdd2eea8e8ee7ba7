/* event_choice.h - choose the events of a trace to count. */
#ifndef EVENT_CHOICE_H
#define EVENT_CHOICE_H

#include "cli/cmd.h"
#include "folded/meta.h"

struct event_choice;

/* What a sample means for the profile. */
enum event_verdict {
	EVENT_SKIPPED, /* the sample does not count */
	EVENT_COUNTS,
	EVENT_REPLACES /* it counts, and all samples before it no longer do */
};

/*
 * Count the event of this name, or every event for "all".  For NULL, count the
 * first announced event that has samples, else the event of the first sample.
 * Dummy events count only if there is no other.  wanted is not copied.
 */
struct event_choice *event_choice_new(const char *wanted);
void event_choice_free(struct event_choice *e); /* may be NULL */

/*
 * Announce an event of the input, in the order in which they were recorded.
 * Call it before the first sample of the input.
 */
void event_choice_announce(struct event_choice *e, struct str name);

/*
 * Choose when the first sample comes: the first announced event, although it
 * may have no samples.  For output that cannot be taken back.
 */
void event_choice_at_once(struct event_choice *e);

/*
 * Note n equal samples of an event, which becomes the current event.  Returns
 * EVENT_REPLACES if the event was announced before the one counted so far.
 */
enum event_verdict event_choice_add(struct event_choice *e, struct str name,
				    uint64_t n);

/* Whether samples of an event would count, or replace those that do. */
bool event_choice_may_count(struct event_choice *e, struct str name);

/* Whether no later sample can be EVENT_REPLACES. */
bool event_choice_is_final(const struct event_choice *e);

/*
 * A choice for later samples of the same input, to be counted by another
 * thread; only after event_choice_is_final().
 */
struct event_choice *event_choice_fork(const struct event_choice *e);

/* Whether all samples that the fork counted are of events that e knew. */
bool event_choice_can_join(const struct event_choice *e,
			   const struct event_choice *fork);

/* Add the samples that the fork counted. */
void event_choice_join(struct event_choice *e, const struct event_choice *fork);

/*
 * Note a sample of a stream, folded(5), whose event is in its own metadata or
 * in the header.
 */
enum event_verdict event_choice_add_sample(struct event_choice *e,
					   const struct meta *own,
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
