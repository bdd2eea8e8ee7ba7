/* palette.h - which colour a frame has; palette(5). */
#ifndef PALETTE_H
#define PALETTE_H

#include "str.h"

struct palette;

/* A colour of a frame, 0xrrggbb, where the page is light and where dark. */
struct colour {
	uint32_t light, dark;
};

/* How shades are chosen: FlameGraph's default, its --hash and --random. */
enum palette_shade { SHADE_NAME, SHADE_HASH, SHADE_RANDOM };

/*
 * Read a palette: NULL is the built-in one, else a file, or a name that is
 * looked up as palette(5) says.  Ends the program with status 2 if there is
 * none, or if it holds an error.
 */
struct palette *palette_new(const char *name, enum palette_shade shade);
void palette_free(struct palette *p);

/*
 * Read a palette.map of FlameGraph's, lines "name->rgb(1,2,3)", whose colours
 * come before the palette's.  A missing file is an empty one.
 */
void palette_read_map(struct palette *p, const char *path);

/* The colour of a frame, given with its suffix. */
struct colour palette_colour(const struct palette *p, struct str frame);

/* Whether black or white is easier to read on a colour. */
bool colour_wants_black(uint32_t rgb);

#endif
