/* vdso.h - the vdso, code that the kernel maps into each process. */
#ifndef VDSO_H
#define VDSO_H

#include "base/buf.h"

/* The ELF image of the vdso of this process; empty if it has none. */
struct str vdso_image(void);

/*
 * Append the ELF image of the vdso of another process; 32-bit programs have one
 * of their own.  False if the process is gone or may not be read.
 */
bool vdso_copy(int64_t pid, struct buf *image);

#endif
