/* running_kernel.h - which kernel runs, and where. */
#ifndef RUNNING_KERNEL_H
#define RUNNING_KERNEL_H

#include "base/buf.h"

/* Append its build-id, in bytes; false if it is unknown. */
bool running_kernel_id(struct buf *id);

/* The address of its symbol _text; 0 if we may not know it. */
uint64_t running_kernel_text(void);

#endif
