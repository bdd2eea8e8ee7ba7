/* demangle_stub.c - replaces demangle.c in builds without libiberty. */
#include "demangle/demangle.h"

bool
demangle(struct buf *out, struct str name)
{
	(void)out;
	(void)name;
	return false;
}
