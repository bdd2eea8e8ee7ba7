/* shade.h - FlameGraph's formulas for colours; palette(5). */
#ifndef SHADE_H
#define SHADE_H

#include "palette/palette.h"

/* For each of red, green and blue: base + int(range * v[which]). */
struct shade_formula {
	struct shade_part {
		int base, range, which;
	} part[3];
};

/* Parse a formula such as "205+50*v3,0+230*v1,55*v2"; false if malformed. */
bool shade_parse(struct str s, struct shade_formula *f);

/* The colour of a frame, 0xrrggbb, as flamegraph.pl computes it. */
uint32_t shade_colour(const struct shade_formula *f, enum palette_shade shade,
		      struct str frame);

#endif
