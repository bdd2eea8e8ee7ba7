/* svgratio.h - pictures of two events: width by one, colour by their ratio. */
#ifndef SVGRATIO_H
#define SVGRATIO_H

#include "folded/event_ratio.h"
#include "folded/label.h"
#include "folded/meta.h"
#include "tree/tree.h"

/* How the ratio of a frame is computed, printed and coloured. */
struct svgratio {
	struct str over, under; /* names of the events */
	struct buf unit;        /* "instructions per cycle" */
	double factor;   /* of the ratio of counts: 1000 for "per 1000" */
	double whole;    /* the ratio of all counts; 0 if there are none */
	int places;      /* decimals */
	struct buf text; /* private: the names, from metadata */
};

/*
 * Set up for the two counts of a finished tree.  The events are those given, or
 * if there are none, those of the metadata.  False, with nothing set up, if the
 * counts are no ratio.  Names live as long as those given.  Release with
 * svgratio_free().
 */
bool svgratio_init(struct svgratio *r, const struct event_ratio *given,
		   const struct tree *t, const struct meta *meta);
void svgratio_free(struct svgratio *r);

/* Append the ratio of a frame's totals: "1.23", or "-" without a second one. */
void svgratio_print(const struct svgratio *r, const struct tree *t, uint32_t i,
		    struct buf *out);

/*
 * Return the colour of a frame, a step of diffcolour.h: DIFF_SAME for a ratio
 * as that of all counts, the first and the last for a quarter and four times
 * as much.
 */
uint32_t svgratio_step(const struct svgratio *r, const struct tree *t,
		       uint32_t i, bool negate);

/* How many times that of all counts the ratio of the last step is. */
#define SVGRATIO_MOST 4

#endif
