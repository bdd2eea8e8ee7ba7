/* exposure.h - how many samples each run has, and might have had. */
#ifndef EXPOSURE_H
#define EXPOSURE_H

#include "sides.h"

enum norm {
	NORM_TOTAL,  /* shares: of all samples of the run */
	NORM_NONE,   /* runs did the same */
	NORM_ROBUST, /* most functions are the same */
	NORM_KEY,    /* a key of the metadata says how much runs did */
	NORM_GIVEN   /* so do two numbers */
};

struct norm_option {
	enum norm norm;
	const char *key;  /* of NORM_KEY */
	double given[2];  /* of NORM_GIVEN, for all runs of a side */
	uint64_t quantum; /* what one sample adds, 0 where not stated */
};

/* By run: release with exposure_free(). */
struct exposure {
	double *quantum; /* what one sample adds to a count */
	double *e;       /* exposure, in samples */
	bool varies;     /* weights do: quantum is only their mean */
	bool unknown;    /* not even the mean is known: quantum is made up */
	bool shares;     /* exposures are the totals */
	double total[2]; /* exposures of the sides */
};

/*
 * What an option says: "total", "none", "robust", "12.5:13", or the name of a
 * key.  False if it is none of these.
 */
bool norm_parse(const char *s, struct norm_option *o);

/*
 * Find out of finished sides with runs.  NULL, or the reason why it cannot be
 * said, which is printable.
 */
const char *exposure_find(struct exposure *e, const struct sides *s,
			  const struct norm_option *o);

/*
 * The metadata of a run; and its exposure in units of counts, 0 if it is not
 * known.  Of a profile with two counts a key has the values of both sides,
 * with a comma between.
 */
const struct meta *exposure_meta(const struct sides *s, size_t run);
double exposure_of(const struct sides *s, size_t run,
		   const struct norm_option *o);

/* Let side AFTER be exposed ratio times as much as BEFORE, for NORM_ROBUST. */
void exposure_set_ratio(struct exposure *e, const struct sides *s,
			double ratio);

void exposure_free(struct exposure *e);

#endif
