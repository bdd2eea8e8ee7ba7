/* nameattr.h - links and titles of functions: flamegraph's --nameattr. */
#ifndef NAMEATTR_H
#define NAMEATTR_H

#include "buf.h"

struct nameattr;

/* What a function has; empty where nothing is said. */
struct attributes {
	struct str title, href, target;
};

/*
 * Read lines "name TAB key=value TAB ...".  Kept are title, target, and an
 * href that leads to http, https, mailto or a relative address: nothing that
 * could run.  Ends the program with status 2 if the file cannot be read, or a
 * line has no tab.
 */
struct nameattr *nameattr_read(const char *path);
void nameattr_free(struct nameattr *n);

/* The attributes of a name, or NULL; n may be NULL. */
const struct attributes *nameattr_get(const struct nameattr *n,
				      struct str name);

/* Append the start and the end of a frame's element, a link if it has one. */
void nameattr_open(struct buf *out, const struct attributes *a,
		   struct str class);
void nameattr_close(struct buf *out, const struct attributes *a);

#endif
