/* exportcallgrind.h - the format of valgrind's callgrind. */
#ifndef EXPORTCALLGRIND_H
#define EXPORTCALLGRIND_H

#include "export/export.h"

extern const struct export_format exportcallgrind;

#endif
