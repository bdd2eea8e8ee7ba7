/* unwind_site.h - how to step from an address, worked out for the cache. */
#ifndef UNWIND_SITE_H
#define UNWIND_SITE_H

#include "unwind/unwind-internal.h"

/* Fill a site with how to step from an address in a frame; returns it. */
struct unwind_site *unwind_site_fill(const struct unwind_thread *t,
				     uint64_t address,
				     const struct unwind_frame *frame,
				     struct unwind_site *s);

#endif
