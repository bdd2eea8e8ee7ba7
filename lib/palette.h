/* palette.h - which class, colour and name a frame has; palette(5). */
#ifndef PALETTE_H
#define PALETTE_H

#include "str.h"

struct palette;
struct palfile;
struct palrule;

/* A colour of a frame, 0xrrggbb, where the page is light and where dark. */
struct colour {
	uint32_t light, dark;
};

/* How shades are chosen: FlameGraph's default, its --hash and --random. */
enum palette_shade { SHADE_NAME, SHADE_HASH, SHADE_RANDOM };

/*
 * Read a palette: NULL is the built-in one, else a file, or a name that is
 * looked up as palette(5) says.  Ends the program with status 2 if there is
 * none, or if it holds an error; all errors are said before.
 */
struct palette *palette_new(const char *name, enum palette_shade shade);
void palette_free(struct palette *p);

/* Read another one, as if the palette included it at its end. */
void palette_add(struct palette *p, const char *name);

/* What is in it, for those who look at more than one frame; palread.h. */
const struct palfile *palette_file(const struct palette *p);

/*
 * Read a palette.map of FlameGraph's, lines "name->rgb(1,2,3)", whose colours
 * come before the palette's.  A missing file is an empty one.
 */
void palette_read_map(struct palette *p, const char *path);

/* Whether it has rules that change names. */
bool palette_renames(const struct palette *p);

/*
 * The frame as the rename rules have it, clean as folded(5) says: what stands
 * before its suffix is changed, the suffix stays.  Valid until the next call,
 * and as long as what was given.  Frames are valid UTF-8 here and below.
 */
struct str palette_rename(struct palette *p, struct str frame);

/*
 * The first rule that holds for a name and its suffix, 0 for none, wherever
 * the frame stands; the number of rules if there is none.
 */
size_t palette_rule(const struct palette *p, struct str name, char suffix);

/* Whether a rule holds but for what it asks of other frames. */
bool palette_matches(const struct palrule *r, struct str name, char suffix);

/*
 * The colour of a frame, given with its suffix, by the rules that ask nothing
 * of other frames.  They see it renamed.
 */
struct colour palette_colour(struct palette *p, struct str frame);

/* Whether black or white is easier to read on a colour. */
bool colour_wants_black(uint32_t rgb);

#endif
