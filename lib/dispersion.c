/* dispersion.c - by how much runs differ more than chance would have it. */
#include "dispersion.h"

#include "stats.h"

#include <math.h>

/* With fewer frames there is nothing to learn from them in common. */
#define ENOUGH 8

/* More make it slow and nothing surer. */
#define MANY 2000

struct dispersion
dispersion_default(void)
{
	return (struct dispersion){
		.base = 4, .slope = 0.02, .prior = HUGE_VAL, .floor = 1
	};
}

/*
 * A frame whose phi is so many deviations beyond what is expected is not of
 * the same kind as the others, and speaks for itself: it is the rule of DESeq2
 * (Love, Huber and Anders 2014) for outliers of dispersion.
 */
#define OUTLIER 2

static double
expected(const struct dispersion *d, double mean)
{
	return d->base + d->slope * mean;
}

/* The frames looked at, evenly out of all. */
static size_t
stride(size_t n)
{
	return n / MANY + 1;
}

/*
 * One step of least squares of phi on the mean, with weights: the variance of
 * a phi goes with the square of what is expected.
 */
static void
fit_line(struct dispersion *d, const struct spread *s, size_t n)
{
	double w, sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, det;
	size_t i;

	for (i = 0; i < n; i += stride(n)) {
		w = pow(expected(d, s[i].mean), -2);
		sw += w;
		sx += w * s[i].mean;
		sy += w * s[i].phi;
		sxx += w * s[i].mean * s[i].mean;
		sxy += w * s[i].mean * s[i].phi;
	}
	det = sw * sxx - sx * sx;
	d->slope = det > 1e-9 * sw * sxx ? (sw * sxy - sx * sy) / det : 0;
	if (d->slope < 0)
		d->slope = 0;
	d->base = (sy - d->slope * sx) / sw;
	if (d->base < 0.1 * sy / sw)
		d->base = 0.1 * sy / sw;
	if (!(d->base > 1e-3))
		d->base = 1e-3;
}

/* The likelihood of the phis, if the expected ones are scale times as large. */
static double
likelihood(const struct dispersion *d, const struct spread *s, size_t n,
	   double prior, double scale)
{
	double sum = 0, f;
	size_t i;

	for (i = 0; i < n; i += stride(n)) {
		f = s[i].phi / expected(d, s[i].mean) / scale;
		/* A phi of nothing has no logarithm. */
		f = f > 1e-4 ? f : 1e-4;
		sum += stats_log_f(f, s[i].df, prior) - log(scale);
	}
	return sum;
}

/*
 * The most degrees of freedom are few: however alike the frames of these runs
 * look, one in which something rare happened, as when another program takes
 * the machine, may be among the next.
 */
static void
fit_prior(struct dispersion *d, const struct spread *s, size_t n)
{
	static const double prior[] = { 1, 2, 3, 4, 6, 8, 12 };
	double best = -HUGE_VAL, best_scale = 1, l, scale;
	size_t i;

	for (i = 0; i < sizeof(prior) / sizeof(*prior); i++) {
		for (scale = 0.25; scale < 4.1; scale *= 1.189207115) {
			l = likelihood(d, s, n, prior[i], scale);
			if (l <= best)
				continue;
			best = l;
			best_scale = scale;
			d->prior = prior[i];
		}
	}
	d->base *= best_scale;
	d->slope *= best_scale;
}

struct dispersion
dispersion_fit(const struct spread *s, size_t n, double floor)
{
	struct dispersion d = dispersion_default();
	int i;

	d.floor = floor;
	d.measured = true;
	d.prior = 4;
	d.guessed = n < ENOUGH;
	if (d.guessed)
		return d;
	for (i = 0; i < 8; i++)
		fit_line(&d, s, n);
	fit_prior(&d, s, n);
	return d;
}

double
dispersion_of(const struct dispersion *d, const struct spread *s, double *df)
{
	double phi = expected(d, s->wanted), there = expected(d, s->mean);
	double own = s->phi * phi / there;

	*df = d->prior;
	if (d->measured && s->df > 0 &&
	    stats_z_f(s->phi / there, s->df, d->prior) > OUTLIER) {
		phi = own;
		*df = s->df;
	} else if (d->measured && s->df > 0) {
		phi = (d->prior * phi + s->df * own) / (d->prior + s->df);
		*df = d->prior + s->df;
	}
	return phi > d->floor ? phi : d->floor;
}
