/* sink_state.h - what a sink knows; for sink.c and sink_fork.c. */
#ifndef SINK_STATE_H
#define SINK_STATE_H

#include "folded/event_choice.h"
#include "folded/fold.h"
#include "io/held_output.h"
#include "reader/sink-internal.h"
#include "reader/stitch.h"

struct sink {
	struct sink_options opt;
	const struct reader *reader;
	struct cmd *cmd;
	struct fold *fold;
	struct intern *names;
	struct tokens *tokens;
	struct event_choice *events;
	struct roots *roots;
	struct stitch *stitch; /* NULL without --repair */
	bool all_events;       /* --event-filter all, --mix or --ratio */
	bool has_ratio;        /* --ratio */
	uint32_t truncated_id;

	/* The sample between sink_begin() and sink_end(). */
	struct sample sample; /* only args of its slices, until the end */
	bool is_ns;           /* the unit is ns */
	enum event_ratio_column column; /* with --ratio */
	const struct root_frames *root;
	struct ids stack; /* in the reader's order */
	struct ids line;  /* the whole stack, from root to leaf */
	size_t nroots;    /* root frames at its start */
	bool nameless, truncated;
	int flavour;

	/* Totals over all samples. */
	unsigned joined; /* sinks of other threads */
	uint64_t over;   /* samples of the first event of --ratio */
	uint64_t samples, nnameless, ntruncated, nidle;
	uint64_t first_time, last_time;
	uint64_t lost; /* records lost since the last written sample */

	/* For a stream, until the event that counts is certain. */
	struct held_output held;
	uint64_t held_lost; /* records lost before samples that are held */

	bool has_time, has_event, wrote_header, mixed_units, mixed_counts;
	struct count one; /* of the first sample */
	struct buf unit;  /* of the first sample */
	struct buf event; /* in the header of a stream, if one only */
	struct buf text;  /* scratch */
};

#endif
