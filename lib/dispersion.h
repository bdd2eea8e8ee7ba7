/* dispersion.h - by how much runs differ more than chance would have it. */
#ifndef DISPERSION_H
#define DISPERSION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The variance of a count, by its mean m, is m times a factor phi.  Of what
 * is known before a frame is looked at, phi is base + slope * m, and as sure
 * as if it were measured with prior degrees of freedom.
 */
struct dispersion {
	double base, slope, prior;
	double floor;  /* phi is never less */
	bool measured; /* from replicates, else assumed */
	bool guessed;  /* base and slope are assumed all the same */
};

/*
 * What replicates show of one frame: phi as measured, with df, where a run has
 * so many samples in the mean; and the mean for which phi is wanted.
 */
struct spread {
	double mean, phi, df, wanted;
};

/*
 * What is assumed where there are no replicates: that of the real programs
 * which t/diffstudy records.
 */
struct dispersion dispersion_default(void);

/*
 * What replicates say, from n frames with the same df: base and slope as
 * their phi grows with the mean, and prior by how much they differ otherwise
 * (the empirical Bayes estimate of Smyth 2004, by maximum likelihood).  With
 * too few frames it is the default, held lightly.
 */
struct dispersion dispersion_fit(const struct spread *s, size_t n,
				 double floor);

/*
 * The phi of one frame: what is known before and what it shows itself,
 * weighted by their degrees of freedom, of which *df is the sum.
 */
double dispersion_of(const struct dispersion *d, const struct spread *s,
		     double *df);

#endif
