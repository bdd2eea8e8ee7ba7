/* ghc_report.h - reads the report that GHC writes with +RTS -p or -P. */
#ifndef GHC_REPORT_H
#define GHC_REPORT_H

#include "formats/ghc_costs.h"

/* Read the input to its end and push a sample for each row of a stack. */
void ghc_report_read(struct ghc_costs *costs);

#endif
