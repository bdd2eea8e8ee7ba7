/* difftitle.c - the title of the picture of a difference. */
#include "diff/difftitle.h"

#include "base/buf.h"

#include <string.h>

/* The only profile of a side, or NULL. */
static const char *
only_name(const struct comparison *c, enum side side)
{
	const char *name = NULL;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->run[i].side == side && name != NULL)
			return NULL;
		if (c->run[i].side == side)
			name = c->run[i].name;
	}
	return name;
}

/* Names of standard input, and those like /dev/fd/63, tell nothing. */
static bool
tells(const char *name)
{
	return name != NULL && strcmp(name, "-") != 0 &&
	       strcmp(name, "stdin") != 0 &&
	       !str_starts(str_of(name), STR("/dev/")) &&
	       !str_starts(str_of(name), STR("/proc/"));
}

void
difftitle_set(const struct comparison *c, struct meta *header)
{
	const char *before = only_name(c, BEFORE), *after = only_name(c, AFTER);
	struct str from, to;
	struct buf title = { 0 };

	if (c->paired || meta_has(header, "title") || !tells(before) ||
	    !tells(after))
		return;
	from = str_basename(str_of(before));
	to = str_basename(str_of(after));
	if (str_eq(from, to)) {
		from = str_of(before);
		to = str_of(after);
	}
	buf_printf(&title, "%.*s \xe2\x86\x92 %.*s", (int)from.len, from.p,
		   (int)to.len, to.p);
	meta_set(header, "title", buf_slice(&title));
	buf_free(&title);
}
