/* callnames.h - the names of this machine's system calls. */
#ifndef CALLNAMES_H
#define CALLNAMES_H

#include <stddef.h>

/*
 * By number; NULL where there is none.  build-aux/callnames takes them from
 * the headers of the kernel.
 */
extern const char *const callnames[];
extern const size_t callnames_n;

#endif
