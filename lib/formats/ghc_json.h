/* ghc_json.h - reads the JSON that GHC writes with +RTS -pj. */
#ifndef GHC_JSON_H
#define GHC_JSON_H

#include "formats/ghc_costs.h"

/* Read the input to its end and push a sample for each node with a cost. */
void ghc_json_read(struct ghc_costs *costs);

#endif
