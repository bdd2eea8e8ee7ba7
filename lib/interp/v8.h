/* v8.h - V8, which executes the JavaScript of node. */
#ifndef V8_H
#define V8_H

#include "interp/interp_language.h"

extern const struct interp_language v8_language;

#endif
