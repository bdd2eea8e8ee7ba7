/* exposure.h - the exposure of each run: how much it could have sampled. */
#ifndef EXPOSURE_H
#define EXPOSURE_H

#include "diff/comparison.h"

/* What makes runs comparable. */
enum norm {
	NORM_TOTAL,  /* their totals: compare shares */
	NORM_NONE,   /* nothing: all runs did the same work */
	NORM_ROBUST, /* the size factor: most functions are the same */
	NORM_KEY,    /* a metadata key that says how much work a run did */
	NORM_GIVEN   /* two numbers from the user */
};

struct norm_option {
	enum norm norm;
	const char *key;  /* for NORM_KEY */
	double given[2];  /* for NORM_GIVEN: of all runs of a side */
	uint64_t quantum; /* count per sample, 0 if not given */
};

/* Arrays are indexed by run; release with exposure_free(). */
struct exposure {
	double *quantum;      /* count per sample */
	double *value;        /* exposure, in samples */
	bool weights_vary;    /* samples differ; quantum is their mean */
	bool quantum_unknown; /* not even the mean is known: it is a guess */
	bool shares;          /* value is the total, so samples are shares */
	double total[2];      /* sum of value, by side */
};

/*
 * Parse "total", "none", "robust", "12.5:13" or the name of a key.  Return
 * false if s is none of these.  o->key borrows s.
 */
bool exposure_parse_norm(const char *s, struct norm_option *o);

/*
 * Compute the exposure of all runs.  Return NULL, or a message why the runs
 * cannot be tested, a string constant; *e must be freed either way.  Ends the
 * program with status 2 if a run's metadata lack the key of NORM_KEY.
 */
const char *exposure_init(struct exposure *e, const struct comparison *c,
			  const struct norm_option *o);

/*
 * The exposure of one run in units of counts, or 0 if unknown.  The key of a
 * two-count profile has both values, separated by a comma.
 */
double exposure_of(const struct comparison *c, size_t run,
		   const struct norm_option *o);

/* Scale the exposure of the after side to ratio times that of before. */
void exposure_set_ratio(struct exposure *e, const struct comparison *c,
			double ratio);

void exposure_free(struct exposure *e);

#endif
