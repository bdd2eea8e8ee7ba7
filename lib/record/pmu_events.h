/* pmu_events.h - events of a PMU, described in sysfs. */
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

#include "record/event_names.h"

/*
 * Set type and config of an event by the terms between the slashes of
 * "cpu/event=0x3c,umask=1/": fields of the PMU's format with numbers, names of
 * its events, and config, config1 and config2.  False with the reason appended
 * to why.
 */
bool pmu_events_find(struct str pmu, struct str terms, struct event_request *e,
		     struct buf *why);

#endif
