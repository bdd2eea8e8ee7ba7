/* mangled.c - in place of demangle.c where its library is missing. */
#include "demangle.h"

bool
demangle(struct buf *out, struct str name)
{
	(void)out;
	(void)name;
	return false;
}
