/* export.c - the list of the formats of other tools. */
#include "export/export.h"

#include "export/exportcallgrind.h"
#include "export/exportcsv.h"
#include "export/exportd3.h"
#include "export/exportfirefox.h"
#include "export/exportpprof.h"
#include "export/exportspeedscope.h"

const struct export_format *const export_formats[] = {
	&exportcallgrind, &exportcsv,        &exportd3, &exportfirefox,
	&exportpprof,     &exportspeedscope, NULL
};

const struct export_format *
export_find(const char *name)
{
	size_t i = 0;

	while (export_formats[i] != NULL &&
	       strcmp(export_formats[i]->name, name) != 0)
		i++;
	return export_formats[i];
}
