/* interp_text.h - how frames of interpreters look in folded text; folded(5). */
#ifndef INTERP_TEXT_H
#define INTERP_TEXT_H

#include "base/buf.h"

/*
 * Append a frame: "Class.method (path/file.py)", with ":12" after the file
 * where a line is wanted; line is 0 otherwise, or if it is unknown.  Code that
 * has the name of its file is that alone, "path/file.php", or with a line,
 * "path/file.php:12".
 * A method of Java has no file: it is "Class.method_[j]", with the line before
 * the mark, "Class.method:12_[j]".
 * A name that ends with the file, as "f /path/a.js:2:13", stands alone without
 * a line.
 */
void interp_text_frame(struct buf *out, struct str name, struct str file,
		       uint32_t line);

#endif
