/* save_file.h - create new files in the current folder, from the sandbox. */
#ifndef SAVE_FILE_H
#define SAVE_FILE_H

#include "base/str.h"
#include "os/helper.h"

#include <stdint.h>

/*
 * A helper process creates the files and chooses their names,
 * "NAME-NUMBER-DATE-TIME.SUFFIX", so that the caller can neither choose
 * another name nor overwrite a file.  Only the owner can read the files.
 */
struct save_file {
	const char *name, *suffix; /* set by the caller */
	struct helper helper;      /* zero at the start */
};

/* Room for a name of a file. */
enum { SAVE_FILE_NAME = 128 };

/* Start the helper, before the sandbox.  Ends the program if that fails. */
void save_file_start(struct save_file *s);

/*
 * Write text to a new file, and set name.  The number is omitted if it is 0.
 * Returns an errno, or 0.  If it fails, there is no file.
 */
int save_file_write(struct save_file *s, uint64_t number, struct str text,
		    char name[SAVE_FILE_NAME]);

#endif
