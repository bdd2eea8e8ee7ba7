/* exportfirefox.h - processed profiles of the Firefox Profiler. */
#ifndef EXPORTFIREFOX_H
#define EXPORTFIREFOX_H

#include "export/export.h"

extern const struct export_format exportfirefox;

#endif
