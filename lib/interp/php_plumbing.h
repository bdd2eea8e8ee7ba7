/* php_plumbing.h - functions by which PHP calls functions. */
#ifndef PHP_PLUMBING_H
#define PHP_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing php_plumbing;

#endif
