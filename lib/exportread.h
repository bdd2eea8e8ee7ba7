/* exportread.h - reads profiles for another tool's format. */
#ifndef EXPORTREAD_H
#define EXPORTREAD_H

#include "events.h"
#include "export.h"
#include "stacks.h"

/*
 * Options first; the rest is zero at the start.  Release with
 * exportread_free().
 */
struct exportread {
	const struct export_format *format;
	const char *event;    /* of streams, as for events_new() */
	bool keep_suffixes;   /* in names, also if the format has a place */
	const char *title;    /* NULL for that of the profile, or its file */
	struct stacks stacks; /* asked and cut_off are the user's */
	void *arg;            /* for cut_off(), whose own is this struct */

	struct exported profile; /* what was read */
	struct events *events;   /* of streams, to be told of */

	/* Below here is exportread.c's own. */
	bool begun;
	struct trie trie;       /* of a stream */
	struct intern *threads; /* by pid and tid */
	size_t thread_cap;
	uint64_t n;
	struct buf file, title_text;
};

/* Read a file; what cannot be added up ends the program with status 2. */
void exportread_file(struct exportread *r, struct input *in);

/* When all is read: let the format write it. */
void exportread_write(struct exportread *r, FILE *out);

void exportread_free(struct exportread *r);

#endif
