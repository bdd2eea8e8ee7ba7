/* stats.h - the formulas of folddiff's tests; folddiff(1), THE TEST. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

/*
 * The signed root of G, the log-likelihood ratio of "x and y have the same
 * rate" (Sokal and Rohlf, Biometry, chapter 17): x before and y after were
 * counted at exposures e1 and e2.  Positive where y is more than its share.
 * With shares, x and y are parts of e1 and e2, and the other parts count as
 * well: the test of a two by two table.
 */
double stats_root_g(double x, double y, double e1, double e2, int shares);

/*
 * The two-sided probability of a Student's t as large, through the normal
 * deviate of Wallace (1959), which is right to a per cent of z from 3 degrees
 * of freedom on; df may be HUGE_VAL.
 */
double stats_p(double t, double df);

/* The t that has the probability of a normal deviate z. */
double stats_t(double z, double df);

/* The normal deviate that has a two-sided probability p. */
double stats_z(double p);

/*
 * The logarithm of the density of F at f, with d1 and d2 degrees of freedom.
 */
double stats_log_f(double f, double d1, double d2);

/*
 * The normal deviate of F at f, by the cube roots of Wilson and Hilferty
 * (1931) as Paulson (1942) has them; d2 may be HUGE_VAL.
 */
double stats_z_f(double f, double d1, double d2);

/*
 * Benjamini and Hochberg (1995): replace n probabilities, sorted upwards, by
 * the rates of false discoveries at which each would be one.
 */
void stats_fdr(double *p, size_t n);

#endif
