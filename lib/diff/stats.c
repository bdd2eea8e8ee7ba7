/* stats.c - the statistics of folddiff(1), THE TEST. */
#include "diff/stats.h"

#include <math.h>

/* n ln(n / expected), or 0 if n is 0. */
static double
term(double n, double expected)
{
	return n > 0 && expected > 0 ? n * log(n / expected) : 0;
}

double
stats_root_g(double x, double y, double e1, double e2, int shares)
{
	double rate = (x + y) / (e1 + e2), x0 = rate * e1, y0 = rate * e2, g;

	g = term(x, x0) + term(y, y0);
	if (shares)
		g += term(e1 - x, e1 - x0) + term(e2 - y, e2 - y0);
	/* Rounding may leave a little less than 0. */
	g = g > 0 ? sqrt(2 * g) : 0;
	return y < y0 ? -g : g;
}

double
stats_p(double t, double df)
{
	double z = fabs(t);

	if (df < HUGE_VAL)
		z = (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df));
	return erfc(z / sqrt(2));
}

double
stats_t(double z, double df)
{
	double w = z * (8 * df + 3) / (8 * df + 1);

	if (!(df < HUGE_VAL))
		return z;
	return copysign(sqrt(df * expm1(w * w / df)), z);
}

double
stats_z(double p)
{
	double low = 0, high = 40, middle;
	int i;

	for (i = 0; i < 60; i++) {
		middle = (low + high) / 2;
		if (erfc(middle / sqrt(2)) > p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double
stats_log_f(double f, double d1, double d2)
{
	return lgamma((d1 + d2) / 2) - lgamma(d1 / 2) - lgamma(d2 / 2) +
	       d1 / 2 * log(d1 / d2) + (d1 / 2 - 1) * log(f) -
	       (d1 + d2) / 2 * log1p(d1 * f / d2);
}

double
stats_z_f(double f, double d1, double d2)
{
	double root = cbrt(f), a = 2 / (9 * d1), b = 2 / (9 * d2);

	return ((1 - b) * root - (1 - a)) / sqrt(b * root * root + a);
}

void
stats_fdr(double *p, size_t n)
{
	double least = 1;
	size_t i;

	for (i = n; i > 0; i--) {
		p[i - 1] *= (double)n / (double)i;
		least = p[i - 1] < least ? p[i - 1] : least;
		p[i - 1] = least;
	}
}
