/* thin.h - how little is too little to tell calls apart by. */
#ifndef THIN_H
#define THIN_H

#include <stdbool.h>

/* Whether a part of a profile is of so few calls, or samples in them. */
static inline bool
is_thin(double calls, double samples)
{
	return calls < 30 || samples < 100;
}

#endif
