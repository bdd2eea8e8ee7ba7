/* waitnote.c - what is said of waits that were not recorded whole. */
#include "waitnote.h"

#include <inttypes.h>

static bool
note_switches(const struct waitfacts *f, struct buf *line)
{
	if (!f->switches && f->wall && !f->has_waited) {
		buf_str(line, STR("no switches of threads were recorded, so "
				  "that their waits are not known: record with "
				  "--switch-events"));
		return true;
	}
	if (f->lost > 0)
		buf_printf(line,
			   "%" PRIu64 " %s lost while recording: record with a "
			   "larger -m",
			   f->lost,
			   str_plural(f->lost, "switch of threads was",
				      "switches of threads were"));
	return f->lost > 0;
}

static double
percent(uint64_t part, uint64_t rest)
{
	return part == 0 ? 0 : 100 * (double)part / (double)(part + rest);
}

static bool
note_unknown(const struct waitfacts *f, struct buf *line)
{
	double share = percent(f->unknown, f->total - f->unknown);

	if (share < 0.1)
		return false;
	buf_printf(line,
		   "%.1f %% of the time of threads is not known, as it was not "
		   "recorded when they returned to a CPU: record with "
		   "--switch-events",
		   share);
	return true;
}

/* Time on CPUs of which nobody knows what it was for. */
static bool
note_unsampled(const struct waitfacts *f, struct buf *line)
{
	double share = percent(f->unsampled, f->sampled);

	if (!f->wall || f->clock == NULL || share < 10)
		return false;
	buf_printf(line, "%.0f %% of the time on CPUs has no samples: ", share);
	buf_str(line, f->clock->user_only ?
			  STR("those of the kernel were not allowed, see "
			      "perf_event_paranoid in perf_event_open(2)") :
			  STR("record with a higher -F"));
	return true;
}

static bool
note_bare(const struct waitfacts *f, struct buf *line)
{
	if (f->bare == 0 || f->bare < f->waits)
		return false;
	buf_str(line, STR("no stacks of waits were recorded: "));
	buf_str(line, f->has_leaves ?
			  STR("they are in the kernel, see "
			      "perf_event_paranoid in perf_event_open(2)") :
			  STR("record with -e context-switches/period=1/ or "
			      "-e sched:sched_switch, too"));
	return true;
}

bool
waitnote(struct waitfacts *f, struct buf *line)
{
	static bool (*const notes[])(const struct waitfacts *, struct buf *) = {
		note_switches, note_unknown, note_unsampled, note_bare
	};

	while (f->said < sizeof(notes) / sizeof(*notes)) {
		if (notes[f->said++](f, line))
			return true;
	}
	return false;
}
