/*
 * stackcollapse-excimer - fold what ExcimerLog::formatCollapsed() of PHP
 * writes, which is folded text but for an empty frame before the others.
 */
#include "foldline.h"

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
