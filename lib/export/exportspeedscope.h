/* exportspeedscope.h - the JSON of speedscope. */
#ifndef EXPORTSPEEDSCOPE_H
#define EXPORTSPEEDSCOPE_H

#include "export/export.h"

extern const struct export_format exportspeedscope;

#endif
