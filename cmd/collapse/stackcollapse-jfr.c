/*
 * stackcollapse-jfr - fold recordings of JDK Flight Recorder, as the JVM and
 * async-profiler write them and as "jfr print" prints them.
 */
#include "formats/jfr_file.h"
#include "formats/jfr_json.h"
#include "formats/jfr_print.h"
#include "reader/collapse.h"

#include <stddef.h>

enum { OPT_WEIGHT = CMD_LONG, OPT_CLASSES, OPT_THREADS, OPT_SRCLINE, OPT_LIST };

static const struct cmd_option options[] = {
	{ "list", OPT_LIST, NULL, "list the events that have stacks", false },
	{ "weight", OPT_WEIGHT, "FIELD", "count this field of the event",
	  false },
	{ "classes", OPT_CLASSES, NULL,
	  "add a leaf frame: the class allocated or waited for", false },
	{ "threads", OPT_THREADS, NULL, "add a root frame: thread name",
	  false },
	{ "srcline", OPT_SRCLINE, NULL, "add line numbers to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static struct jfr_options opt;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_WEIGHT:
		opt.weight = arg;
		break;
	case OPT_CLASSES:
		opt.subjects = true;
		break;
	case OPT_THREADS:
		opt.threads = true;
		break;
	case OPT_SRCLINE:
		opt.lines = true;
		break;
	case OPT_LIST:
		opt.list = true;
		break;
	default:
		return false;
	}
	return true;
}

static void
read_jfr(struct input *in, struct sink *out)
{
	const struct str first = input_peek(in, JFR_MAGIC.len);

	if (str_starts(first, JFR_MAGIC))
		jfr_file_read(in, out, &opt);
	else if (str_starts(first, STR("{")))
		jfr_json_read(in, out, &opt);
	else
		jfr_print_read(in, out, &opt);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	static const struct reader jfr = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a recording of JDK Flight Recorder.",
		.clock = "realtime",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_jfr
	};

	return collapse_main(argc, argv, &jfr);
}
