/* exportpprof.h - compressed profile.proto of pprof. */
#ifndef EXPORTPPROF_H
#define EXPORTPPROF_H

#include "export/export.h"

extern const struct export_format exportpprof;

#endif
