/* stackcollapse-jitdump - fold perf recordings of JIT code. */
#include "formats/jitframe.h"
#include "perf/perfdata_reader.h"
#include "perf/perfscript_reader.h"
#include "reader/collapse.h"

#include <err.h>

static struct jitframe frames;
static struct jitopt jit_options;
static struct perfdata_samples_options data_options = {
	.resolve.no_inlines = true
};

enum {
	OPT_CALLER = CMD_LONG,
	OPT_INSNS,
	OPT_LINES,
	OPT_NO_DEMANGLE,
	OPT_SYMFS,
	OPT_TIERS,
	OPT_VERSIONS
};

static const struct cmd_option options[] = {
	JIT_OPTIONS,
	{ "lines", OPT_LINES, NULL, "add source lines to JIT frames", false },
	{ "versions", OPT_VERSIONS, NULL,
	  "number functions that were compiled again: f#2", false },
	{ "tiers", OPT_TIERS, NULL,
	  "mark tiers: _[0] interpreter, _[1] low, _[j] high", false },
	{ "insns", OPT_INSNS, NULL, "add the sampled instruction as a frame",
	  false },
	{ "symfs", OPT_SYMFS, "DIR", "find binaries of perf.data below DIR",
	  false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL,
	  "do not demangle names of perf.data", false },
	{ "caller-address", OPT_CALLER, "ADDRESS",
	  "look callers up at the call (default) or exact", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_LINES:
		frames.lines = jit_options.options.lines = true;
		break;
	case OPT_VERSIONS:
		frames.versions = jit_options.options.versions = true;
		break;
	case OPT_TIERS:
		frames.tiers = true;
		break;
	case OPT_INSNS:
		data_options.resolve.insns = true;
		break;
	case OPT_SYMFS:
		data_options.resolve.places.symfs = arg;
		break;
	case OPT_NO_DEMANGLE:
		data_options.resolve.mangled = true;
		jit_options.options.mangled = true;
		break;
	case OPT_CALLER:
		data_options.resolve.exact = strcmp(arg, "exact") == 0;
		return data_options.resolve.exact || strcmp(arg, "call") == 0;
	default:
		return jitopt_is(value) && jitopt_set(&jit_options, value, arg);
	}
	return true;
}

static void
read_jitdump(struct input *in, struct sink *out)
{
	const struct perfdata_reader data = { .options = &data_options,
					      .jit = &jit_options,
					      .change = jitframe_change,
					      .arg = &frames };
	const struct perfscript_reader text = {
		.with_source = frames.lines,
		.exact = data_options.resolve.exact,
		.insns = data_options.resolve.insns,
		.jit = &jit_options,
		.change = jitframe_change,
		.arg = &frames
	};
	struct buf why = { 0 };
	bool good;

	if (perfdata_magic(input_peek(in, 8)))
		good = perfdata_reader_read(&data, in, out, &why);
	else
		good = perfscript_reader_read(&text, in, out, &why);
	if (!good)
		errx(2, "%.*s", (int)why.len, why.p);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .reads_all = true, .spills = true };
	static const struct reader jitdump = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold perf script text, with names of JIT code from "
			   "jitdumps.",
		.marks_jit = true,
		.clock = "perf",
		.in_order = true,
		.may = &may,
		.options = options,
		.setopt = set_option,
		.read = read_jitdump
	};
	int status;

	status = collapse_main(argc, argv, &jitdump);
	jitopt_free(&jit_options);
	jitframe_free(&frames);
	return status;
}
