/* dtype.h - types in names of D. */
#ifndef DTYPE_H
#define DTYPE_H

#include "dread.h"

bool dtype_read(struct dread *n);

/* Whether a function begins so: with its calling convention. */
bool dtype_is_convention(char c);

/* The parameters of a function that is a part of a name. */
bool dtype_named_function(struct dread *n, bool modified);

#endif
