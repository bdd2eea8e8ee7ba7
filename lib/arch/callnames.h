/* callnames.h - names of the system calls of this host. */
#ifndef CALLNAMES_H
#define CALLNAMES_H

#include <stddef.h>
#include <stdint.h>

/* build-aux/callnames makes these from the headers of the kernel. */

/* Names by number; NULL where there is no call. */
extern const char *const callnames[];
extern const size_t callnames_n;

/* The same of 32-bit programs that this host can run. */
extern const char *const callnames_compat[];
extern const size_t callnames_compat_n;

/* Numbers of this host's calls, by name. */
extern const uint16_t callnames_sorted[];
extern const size_t callnames_sorted_n;

#endif
