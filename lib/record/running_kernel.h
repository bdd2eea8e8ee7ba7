/* running_kernel.h - which kernel runs, and where. */
#ifndef RUNNING_KERNEL_H
#define RUNNING_KERNEL_H

#include "base/buf.h"

/* Append its build-id, in bytes; false if it is unknown. */
bool running_kernel_id(struct buf *id);

/* The address of its symbol _text; 0 if we may not know it. */
uint64_t running_kernel_text(void);

/* A loaded module. */
struct running_kernel_module {
	struct str name;
	uint64_t address, size;
};

/*
 * Cut the next module off the text of /proc/modules; false if there are no
 * more.  A user who may not know addresses finds no modules in it.
 */
bool running_kernel_module(struct str *text, struct running_kernel_module *m);

/* Append the build-id of a module, in bytes; false if it is unknown. */
bool running_kernel_module_id(struct buf *id, struct str name);

#endif
