/* exportcsv.h - comma-separated values, a stack a line. */
#ifndef EXPORTCSV_H
#define EXPORTCSV_H

#include "export/export.h"

extern const struct export_format exportcsv;

#endif
