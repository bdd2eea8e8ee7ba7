/* dispersion.c - estimates the overdispersion of counts between runs. */
#include "diff/dispersion.h"

#include "diff/stats.h"

#include <math.h>

/* Frames that are needed to fit a trend. */
#define MIN_FRAMES 8

/* Frames to use at most: more make the fit slow, not better. */
#define MAX_FRAMES 2000

struct dispersion
dispersion_default(void)
{
	return (struct dispersion){
		.base = 4, .slope = 0.02, .prior_df = HUGE_VAL, .floor = 1
	};
}

/*
 * A frame whose phi is this many deviations above the trend keeps its own
 * estimate: the rule of DESeq2 (Love, Huber and Anders 2014) for dispersion
 * outliers.
 */
#define OUTLIER 2

static double
expected(const struct dispersion *d, double mean)
{
	return d->base + d->slope * mean;
}

/* The step between the frames to use. */
static size_t
stride(size_t n)
{
	return n / MAX_FRAMES + 1;
}

/*
 * One step of reweighted least squares of phi on the mean.  The variance of a
 * phi grows with the square of its expected value.
 */
static void
fit_line(struct dispersion *d, const struct dispersion_estimate *est, size_t n)
{
	double w, sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, det;
	size_t i;

	for (i = 0; i < n; i += stride(n)) {
		w = pow(expected(d, est[i].mean), -2);
		sw += w;
		sx += w * est[i].mean;
		sy += w * est[i].phi;
		sxx += w * est[i].mean * est[i].mean;
		sxy += w * est[i].mean * est[i].phi;
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

/* The log-likelihood of the phis, if the trend is scale times as large. */
static double
likelihood(const struct dispersion *d, const struct dispersion_estimate *est,
	   size_t n, double prior, double scale)
{
	double sum = 0, f;
	size_t i;

	for (i = 0; i < n; i += stride(n)) {
		f = est[i].phi / expected(d, est[i].mean) / scale;
		/* A phi of 0 has no logarithm. */
		f = f > 1e-4 ? f : 1e-4;
		sum += stats_log_f(f, est[i].df, prior) - log(scale);
	}
	return sum;
}

/*
 * The largest prior_df is small: however alike the frames of these runs are, a
 * rare event, such as another program using the machine, may hit the next
 * frame.
 */
static void
fit_prior(struct dispersion *d, const struct dispersion_estimate *est, size_t n)
{
	static const double prior[] = { 1, 2, 3, 4, 6, 8, 12 };
	double best = -HUGE_VAL, best_scale = 1, l, scale;
	size_t i;

	for (i = 0; i < sizeof(prior) / sizeof(*prior); i++) {
		for (scale = 0.25; scale < 4.1; scale *= 1.189207115) {
			l = likelihood(d, est, n, prior[i], scale);
			if (l <= best)
				continue;
			best = l;
			best_scale = scale;
			d->prior_df = prior[i];
		}
	}
	d->base *= best_scale;
	d->slope *= best_scale;
}

struct dispersion
dispersion_fit(const struct dispersion_estimate *est, size_t n, double floor)
{
	struct dispersion d = dispersion_default();
	int i;

	d.floor = floor;
	d.measured = true;
	d.prior_df = 4;
	d.too_few = n < MIN_FRAMES;
	if (d.too_few)
		return d;
	for (i = 0; i < 8; i++)
		fit_line(&d, est, n);
	fit_prior(&d, est, n);
	return d;
}

double
dispersion_of(const struct dispersion *d, const struct dispersion_estimate *est,
	      double *df)
{
	double phi = expected(d, est->target), there = expected(d, est->mean);
	double own = est->phi * phi / there;

	*df = d->prior_df;
	if (d->measured && est->df > 0 &&
	    stats_z_f(est->phi / there, est->df, d->prior_df) > OUTLIER) {
		phi = own;
		*df = est->df;
	} else if (d->measured && est->df > 0) {
		phi = (d->prior_df * phi + est->df * own) /
		      (d->prior_df + est->df);
		*df = d->prior_df + est->df;
	}
	return phi > d->floor ? phi : d->floor;
}
