/* palette.h - the class, colour and new name of a frame; palette(5). */
#ifndef PALETTE_H
#define PALETTE_H

#include "base/str.h"

struct palette;
struct palfile;
struct palfile_rule;

/* A colour, 0xrrggbb, on a light page and on a dark one. */
struct colour {
	uint32_t light, dark;
};

/* How to choose shades: FlameGraph's default, its --hash and its --random. */
enum palette_shade { SHADE_NAME, SHADE_HASH, SHADE_RANDOM };

/*
 * Read a palette: NULL is the built-in one, else a file, or a name to search as
 * in palette(5).  If there is none, or if it has errors, print all errors and
 * end the program with status 2.
 */
struct palette *palette_new(const char *name, enum palette_shade shade);
void palette_free(struct palette *p); /* may be NULL */

/* Read another palette, as if the first one included it at its end. */
void palette_add(struct palette *p, const char *name);

/* The parsed files, for callers that look at more than one frame; palfile.h. */
const struct palfile *palette_file(const struct palette *p);

/*
 * Read FlameGraph's palette.map, lines "name->rgb(1,2,3)".  Its colours take
 * precedence over the palette's.  A missing file counts as empty.
 */
void palette_read_map(struct palette *p, const char *path);

/* Whether the palette has rename rules. */
bool palette_renames(const struct palette *p);

/*
 * Apply the rename rules to a frame, which is valid UTF-8.  They change the
 * name, the suffix stays.  The result is escaped as in folded(5).  It is valid
 * until the next call, and no longer than the argument.
 */
struct str palette_rename(struct palette *p, struct str frame);

/*
 * The number of the first rule that matches a name and its suffix, 0 for none,
 * wherever the frame is in a stack; the number of rules if none matches.
 */
size_t palette_rule(const struct palette *p, struct str name, char suffix);

/* Whether a rule matches, apart from its conditions on other frames. */
bool palette_matches(const struct palfile_rule *r, struct str name,
		     char suffix);

/* Instead of a class: no rule matches, or palette.map has the colour. */
#define PALETTE_NO_RULE SIZE_MAX
#define PALETTE_MAPPED (SIZE_MAX - 1)

/*
 * The colour of a frame with its suffix, by the rules without conditions on
 * other frames.  Rules see the renamed frame.  Unless class is NULL, set *class
 * to the index of its class in palette_file(), or to a constant above.
 */
struct colour palette_colour(struct palette *p, struct str frame,
			     size_t *class);

/* Whether black text on this colour is easier to read than white text. */
bool palette_wants_black(uint32_t rgb);

#endif
