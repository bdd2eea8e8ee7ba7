/* exportd3.h - the nested JSON of d3-flame-graph. */
#ifndef EXPORTD3_H
#define EXPORTD3_H

#include "export/export.h"

extern const struct export_format exportd3;

#endif
