/* dispersion.h - estimates the overdispersion of counts between runs. */
#ifndef DISPERSION_H
#define DISPERSION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The trend over all frames.  A count with mean m has variance phi * m, where
 * phi = base + slope * m.  The trend weighs as much as prior_df degrees of
 * freedom against the estimate of a single frame.
 */
struct dispersion {
	double base, slope, prior_df;
	double floor;  /* lower limit of phi */
	bool measured; /* from replicates, else assumed */
	bool too_few;  /* too few frames: base and slope are the default */
};

/* The estimate of one frame, from replicates or blocks. */
struct dispersion_estimate {
	double mean;   /* samples per run, where phi was measured */
	double phi;    /* 0 if df is 0 */
	double df;     /* degrees of freedom of phi */
	double target; /* the mean for which phi is needed */
};

/*
 * The trend to assume without replicates: that of the real programs in
 * t/diffstudy.
 */
struct dispersion dispersion_default(void);

/*
 * Fit the trend to the estimates of n frames, which all have the same df.
 * prior_df comes from how much the frames scatter around the trend: the
 * empirical Bayes estimate of Smyth (2004), by maximum likelihood.  With too
 * few frames, return the default trend with a small prior_df.
 */
struct dispersion dispersion_fit(const struct dispersion_estimate *est,
				 size_t n, double floor);

/*
 * The phi of one frame at est->target: the mean of trend and estimate, weighted
 * by their degrees of freedom.  An outlier above the trend keeps its own
 * estimate.  *df receives the degrees of freedom of the result.
 */
double dispersion_of(const struct dispersion *d,
		     const struct dispersion_estimate *est, double *df);

#endif
