/* diffcolour.c - colours of a diff. */
#include "svg/diffcolour.h"

#include <math.h>

/*
 * Even steps in OKLCH at hues 42 and 252.  Text on them has a contrast of at
 * least 8:1 on light pages and 4.5:1 on dark ones.
 */
static const struct colour grew[DIFF_STEPS] = {
	{ 0xf4e4de, 0x513d36 }, { 0xf7d8cc, 0x5c3f35 }, { 0xf9cbba, 0x674133 },
	{ 0xfabfa8, 0x714331 }, { 0xfbb296, 0x7c452f }, { 0xfba584, 0x87462c },
	{ 0xfb9871, 0x9c4926 }, { 0xfb8a5d, 0xa84b20 },
};

static const struct colour shrank[DIFF_STEPS] = {
	{ 0xdfe9f5, 0x374452 }, { 0xcee2f8, 0x36495e }, { 0xbedafa, 0x364e69 },
	{ 0xaed2fb, 0x345375 }, { 0x9dcafd, 0x335881 }, { 0x8dc2fe, 0x315d8d },
	{ 0x7dbafe, 0x2c669f }, { 0x6cb2fe, 0x2769ae },
};

static const struct colour same = { 0xe4e4e4, 0x3c3d40 };

struct colour
diffcolour(uint32_t step)
{
	if (step == DIFF_SAME)
		return same;
	return step > DIFF_SAME ? grew[step - DIFF_SAME - 1] :
				  shrank[DIFF_SAME - 1 - step];
}

/* The step of a change between the steps low and high of its direction. */
static uint32_t
step_between(double change, double max, uint32_t low, uint32_t high)
{
	double steps;
	uint32_t n;

	if (change == 0 || max <= 0)
		return DIFF_SAME;
	steps = ceil(DIFF_STEPS * sqrt(fabs(change) / max));
	n = steps < low ? low : steps > high ? high : (uint32_t)steps;
	return change > 0 ? DIFF_SAME + n : DIFF_SAME - n;
}

uint32_t
diffcolour_step(double change, double max)
{
	return step_between(change, max, 1, DIFF_STEPS);
}

uint32_t
diffcolour_tested_step(double change, double max, bool is_weak)
{
	/* Far enough from each other, and from grey, for all eyes. */
	return is_weak ? step_between(change, max, DIFF_PALE, DIFF_PALE) :
			 step_between(change, max, DIFF_STRONG, DIFF_STEPS);
}
