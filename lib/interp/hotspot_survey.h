/* hotspot_survey.h - takes snapshots of a running HotSpot, foldjvm(5). */
#ifndef HOTSPOT_SURVEY_H
#define HOTSPOT_SURVEY_H

#include "base/buf.h"

struct hotspot_survey;

/* Begin; NULL, with a reason appended to *why, if the process has no HotSpot
 * whose memory can be read. */
struct hotspot_survey *hotspot_survey_new(int64_t pid, struct buf *why);
void hotspot_survey_free(struct hotspot_survey *s);

/* Append the beginning of the file. */
void hotspot_survey_head(const struct hotspot_survey *s, struct buf *out);

/*
 * Read the code cache, and the methods of all classes, and append what has
 * changed since the last moment; nothing if nothing has.  Without all, do so
 * only if there is other code than at the last moment.  No thread is stopped.
 * False, with a reason appended to *why, if the process has ended or has more
 * than can be read.
 */
bool hotspot_survey_take(struct hotspot_survey *s, bool all, struct buf *out,
			 struct buf *why);

#endif
