/*
 * svgsource.h - lines of the source for the picture: flamegraph's --source.
 *
 * The script reads a table, with numbers encoded as in svgtable.h:
 *
 *	version (1), number of files, number of names with a line
 *	for each file: length of its path and the path, as names have it;
 *	    number of ranges, and for each range:
 *		lines left out before it, number of its lines
 *		for each line: length and bytes, valid UTF-8
 *	for each name with a line in one of the files, in their order:
 *	    distance from the name before, which the first has from -1
 *	    twice its line, plus 1 if it is of another function than that before
 *	    in that case: the file
 */
#ifndef SVGSOURCE_H
#define SVGSOURCE_H

#include "cli/cmd.h"
#include "svg/svgnames.h"

/* What was found.  Release with svgsource_free(). */
struct svgsource {
	struct buf table;
	uint32_t lines;     /* names with a line */
	uint32_t files;     /* files that these are in */
	uint32_t missing;   /* files not found in the folder */
	uint32_t left_out;  /* files that would make the table too large */
	struct buf example; /* the path of a missing file */
};

/*
 * Split a name that ends in a line, as folded(5) has it: "main:a.c:12" or
 * "Class.run (b.py:12)".  head is all before the colon of the line.
 */
bool svgsource_split(struct str name, struct str *head, struct str *file,
		     uint32_t *line);

/*
 * Read the lines around those that the names of a finished tree have, from
 * files below a folder; see source_tree.h.  Files with more counts come first.
 */
void svgsource_read(struct svgsource *s, const struct svgnames *names,
		    const struct tree *t, int folder);

/* Print what is missing; folder is its name. */
void svgsource_report(const struct svgsource *s, const struct cmd *c,
		      const char *folder);

void svgsource_free(struct svgsource *s);

#endif
