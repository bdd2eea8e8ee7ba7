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
	{ "lines", OPT_LINES, NULL, "add source lines to frames of JIT code",
	  false },
	{ "versions", OPT_VERSIONS, NULL,
	  "tell functions apart that were compiled again: f, f#2", false },
	{ "tiers", OPT_TIERS, NULL,
	  "annotate interpreted code _[0], lower tiers _[1], others _[j]",
	  false },
	{ "insns", OPT_INSNS, NULL, "add the sampled instruction as a frame",
	  false },
	{ "symfs", OPT_SYMFS, "DIR",
	  "find the files of perf.data below DIR, not here", false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL,
	  "leave the names of perf.data as the compiler made them", false },
	{ "caller-address", OPT_CALLER, "WHAT",
	  "look callers up at their call (default), or exact, as perf", false },
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
	const struct perfdata_reader data = { &data_options, &jit_options,
					      jitframe_change, &frames };
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
		.summary = "Fold what perf recorded of a JIT's code.",
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
