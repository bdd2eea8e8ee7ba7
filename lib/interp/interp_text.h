/* interp_text.h - how frames of interpreters look in folded text; folded(5). */
#ifndef INTERP_TEXT_H
#define INTERP_TEXT_H

#include "base/buf.h"

/*
 * Append a frame: of Python "Class.method (path/file.py)", of other languages
 * "Class::method"; and with a line "Class::method (path/file.php:12)".  Code
 * outside of functions may be named by its file: "path/file.php:12".  line is 0
 * if it is unknown or not wanted.
 */
void interp_text_frame(struct buf *out, struct str language, struct str name,
		       struct str file, uint32_t line);

#endif
