/* vdso.h - the code that this machine's kernel maps into each process. */
#ifndef VDSO_H
#define VDSO_H

#include "str.h"

/* The ELF image of this process's vdso; empty if it has none. */
struct str vdso_image(void);

#endif
