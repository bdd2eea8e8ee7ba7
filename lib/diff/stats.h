/* stats.h - the statistics of folddiff(1), THE TEST. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

/*
 * The signed root of G, the log-likelihood ratio statistic of "x and y have
 * the same rate" (Sokal and Rohlf, Biometry, chapter 17).  x before and y after
 * were counted at exposures e1 and e2.  It is positive if y has the higher
 * rate.  With shares, x and y are parts of e1 and e2, and the other parts
 * count as well: the test of a two by two table.
 */
double stats_root_g(double x, double y, double e1, double e2, int shares);

/*
 * The two-sided p of Student's t, through the normal deviate of Wallace (1959),
 * which is within a per cent of z from 3 degrees of freedom on.  df may be
 * HUGE_VAL.
 */
double stats_p(double t, double df);

/* The t with the same p as a normal deviate z. */
double stats_t(double z, double df);

/* The normal deviate with a two-sided p. */
double stats_z(double p);

/* The logarithm of the density of F at f, with d1 and d2 degrees of freedom. */
double stats_log_f(double f, double d1, double d2);

/*
 * The normal deviate of F at f, by the cube root transformation of Wilson and
 * Hilferty (1931) as Paulson (1942) applies it.  d2 may be HUGE_VAL.
 */
double stats_z_f(double f, double d1, double d2);

/*
 * Adjust n p values, sorted upwards, by Benjamini and Hochberg (1995): each
 * becomes the smallest false discovery rate at which it is significant.
 */
void stats_fdr(double *p, size_t n);

#endif
