/* exportread.h - reads profiles and passes them to an export format. */
#ifndef EXPORTREAD_H
#define EXPORTREAD_H

#include "export/export.h"
#include "folded/event_choice.h"
#include "folded/stacks.h"

/*
 * The caller sets the options and leaves the rest zero; release with
 * exportread_free().
 */
struct exportread {
	/* Options: */
	const struct export_format *format;
	const char *event;    /* of streams, as for event_choice_new() */
	bool keep_suffixes;   /* in names, even if the format annotates */
	const char *title;    /* or NULL: that of the profile or its file */
	struct stacks stacks; /* asked and cut_off are options */
	void *arg;            /* for cut_off(); its stacks.arg is this struct */

	/* Results: */
	struct export_profile profile;
	struct event_choice *events; /* of streams */

	/* Private to exportread.c. */
	bool begun;
	struct trie trie; /* of a stream */
	struct exportread_thread *threads;
	size_t thread_cap;
	uint64_t n; /* samples of a stream */
	struct buf file, title_text;
};

/*
 * Read a file.  Ends the program with status 2 if it cannot be merged with the
 * files before it.
 */
void exportread_file(struct exportread *r, struct input *in);

/* All is read: write it in the format. */
void exportread_write(struct exportread *r, FILE *out);

/*
 * For formats: get the next sample of a stream, in the order of the format, or
 * the next stack whose counts are not zero, callers before callees.  Return
 * false at the end; stacks then start again.
 */
bool exportread_next(struct export_profile *e, struct export_sample *sample);

void exportread_free(struct exportread *r);

#endif
