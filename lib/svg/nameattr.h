/* nameattr.h - links and titles of functions: flamegraph's --nameattr. */
#ifndef NAMEATTR_H
#define NAMEATTR_H

#include "base/buf.h"

struct nameattr;

/* Attributes of a function; an attribute that is not given is empty. */
struct attributes {
	struct str title, href, target;
};

/*
 * Read lines "name TAB key=value TAB ...".  The keys title, target and href
 * count; an href only if it is http, https, mailto or relative, so that no
 * link can run code.  Ends the program with status 2 if the file cannot be
 * read or a line has no tab.
 */
struct nameattr *nameattr_read(const char *path);
void nameattr_free(struct nameattr *n);

/* Return the attributes of a name, or NULL.  n may be NULL. */
const struct attributes *nameattr_get(const struct nameattr *n,
				      struct str name);

/* Append the opening and closing tag of a frame: a link if it has an href. */
void nameattr_open(struct buf *out, const struct attributes *a,
		   struct str class);
void nameattr_close(struct buf *out, const struct attributes *a);

#endif
