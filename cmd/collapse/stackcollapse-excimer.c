/*
 * stackcollapse-excimer - fold the output of ExcimerLog::formatCollapsed() of
 * PHP.  It is folded text with an empty frame before the others.
 */
#include "formats/foldline.h"
#include "reader/collapse.h"

int
main(int argc, char *argv[])
{
	static const struct reader excimer = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a collapsed log of PHP's Excimer.",
		.read = foldline_read
	};

	return collapse_main(argc, argv, &excimer);
}
