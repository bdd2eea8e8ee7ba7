/* stackcollapse-perf - fold the stacks of perf.data, or perf script text. */
#include "base/mem.h"
#include "base/parallel.h"
#include "os/cpus.h"
#include "perf/perfdata_reader.h"
#include "perf/perfscript_reader.h"
#include "reader/collapse.h"

#include <err.h>
#include <stdlib.h>

static bool with_source, with_inlines;
static unsigned debuginfod_limit = 60; /* seconds */
static unsigned threads;               /* 0: those that pay */
static struct perfdata_samples_options data_options;
static struct jitopt jit_options;
static const char **snapshots; /* of JVMs */
static size_t nsnapshots, snapshots_cap;
static struct sandbox may = { .reads_all = true, .spills = true };

enum {
	OPT_BRANCHES = CMD_LONG,
	OPT_CALLER,
	OPT_CONTEXT,
	OPT_DEBUG_DIR,
	OPT_DEBUGINFOD,
	OPT_DEBUGINFOD_LIMIT,
	OPT_INLINE,
	OPT_JVM,
	OPT_KALLSYMS,
	OPT_NO_DEMANGLE,
	OPT_NO_INLINE,
	OPT_OFF_CPU,
	OPT_SRCLINE,
	OPT_SYMFS,
	OPT_THREADS,
	OPT_WALL
};

static const struct cmd_option options[] = {
	JIT_OPTIONS,
	{ "jvm", OPT_JVM, "FILE",
	  "unwind Java frames of DWARF stacks by jvmmap's FILE", false },
	{ "symfs", OPT_SYMFS, "DIR", "find binaries of perf.data below DIR",
	  false },
	{ "kallsyms", OPT_KALLSYMS, "FILE", "read kernel symbols from FILE",
	  false },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR",
	  "find debug files below DIR, not /usr/lib/debug", false },
	{ "debuginfod", OPT_DEBUGINFOD, NULL,
	  "download missing binaries from DEBUGINFOD_URLS", false },
	{ "debuginfod-limit", OPT_DEBUGINFOD_LIMIT, "SECONDS",
	  "limit the time of downloads (60)", false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL,
	  "do not demangle names of perf.data", false },
	{ "caller-address", OPT_CALLER, "ADDRESS",
	  "look callers up at the call (default) or exact", false },
	{ "no-inline", OPT_NO_INLINE, NULL, "omit inlined frames of perf.data",
	  false },
	{ "off-cpu", OPT_OFF_CPU, NULL,
	  "show waits in perf.data, in nanoseconds", false },
	{ "wall", OPT_WALL, NULL, "show running and waiting time in perf.data",
	  false },
	{ "branches", OPT_BRANCHES, NULL,
	  "show calls among branch records of perf.data", false },
	{ "inline", OPT_INLINE, NULL,
	  "add inlined frames (default for perf.data)", true },
	{ "context", OPT_CONTEXT, NULL, "add inlined frames and source lines",
	  true },
	{ "srcline", OPT_SRCLINE, NULL,
	  "add source lines (text needs perf's -F +srcline)", true },
	{ "threads", OPT_THREADS, "N",
	  "use up to N threads (default: one per CPU)", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool
set_threads(const char *arg)
{
	uint64_t n;

	if (!str_u64(str_of(arg), &n) || n == 0 || n > PARALLEL_MAX)
		return false;
	threads = (unsigned)n;
	return true;
}

static bool
set_caller_address(const char *arg)
{
	data_options.resolve.exact = strcmp(arg, "exact") == 0;
	return data_options.resolve.exact || strcmp(arg, "call") == 0;
}

static bool
set_debuginfod_limit(const char *arg)
{
	uint64_t seconds;

	if (!str_u64(str_of(arg), &seconds) || seconds == 0 ||
	    seconds > UINT32_MAX)
		return false;
	debuginfod_limit = (unsigned)seconds;
	return true;
}

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_JVM:
		snapshots = mem_grow(snapshots, &snapshots_cap, nsnapshots + 1,
				     sizeof(*snapshots));
		snapshots[nsnapshots++] = arg;
		break;
	case OPT_SYMFS:
		data_options.resolve.places.symfs = arg;
		break;
	case OPT_KALLSYMS:
		data_options.resolve.kallsyms = arg;
		break;
	case OPT_DEBUG_DIR:
		data_options.resolve.places.debug_dir = arg;
		break;
	case OPT_DEBUGINFOD:
		may.fetches = true;
		break;
	case OPT_DEBUGINFOD_LIMIT:
		return set_debuginfod_limit(arg);
	case OPT_NO_DEMANGLE:
		data_options.resolve.mangled = true;
		jit_options.options.mangled = true;
		break;
	case OPT_CALLER:
		return set_caller_address(arg);
	case OPT_NO_INLINE:
		data_options.resolve.no_inlines = true;
		jit_options.options.no_inlines = true;
		break;
	case OPT_THREADS:
		return set_threads(arg);
	case OPT_OFF_CPU:
		data_options.view = PERFDATA_OFF_CPU;
		break;
	case OPT_WALL:
		data_options.view = PERFDATA_WALL;
		break;
	case OPT_BRANCHES:
		data_options.view = PERFDATA_BRANCHES;
		break;
	case OPT_SRCLINE:
		with_source = data_options.resolve.lines = true;
		jit_options.options.lines = true;
		break;
	case OPT_CONTEXT:
		with_inlines = data_options.resolve.lines = true;
		jit_options.options.lines = true;
		break;
	case OPT_INLINE:
		with_inlines = true;
		data_options.resolve.no_inlines = false;
		jit_options.options.no_inlines = false;
		break;
	default:
		return jitopt_is(value) && jitopt_set(&jit_options, value, arg);
	}
	return true;
}

/* Read the snapshots, once for all inputs. */
static bool
read_snapshots(struct buf *why)
{
	size_t i;

	if (nsnapshots == 0 || data_options.jvms != NULL)
		return true;
	data_options.jvms = jvm_stacks_new();
	for (i = 0; i < nsnapshots; i++) {
		if (!jvm_stacks_add(data_options.jvms, snapshots[i], why))
			return false;
	}
	return true;
}

/* False, with a message in *why, if the input cannot be read so. */
static bool
read_either(struct input *in, struct sink *out, struct buf *why)
{
	const unsigned n = cpus_fit(threads > 0 ? threads : cpus_usable());
	const struct perfdata_reader data = { .options = &data_options,
					      .jit = &jit_options,
					      .threads = n };
	struct resolve_options *resolve = &data_options.resolve;
	struct perfscript_inline_options code = { .mangled = resolve->mangled,
						  .lines = resolve->lines };
	const struct perfscript_reader text = { .with_source = with_source,
						.threads = n,
						.exact = resolve->exact,
						.jit = &jit_options,
						.code = with_inlines ? &code :
								       NULL };

	resolve->places.fetch = may.fetches ? debuginfod_limit : 0;
	code.places = resolve->places;
	if (perfdata_magic(input_peek(in, 8)))
		return read_snapshots(why) &&
		       perfdata_reader_read(&data, in, out, why);
	if (data_options.view == PERFDATA_AS_RECORDED)
		return perfscript_reader_read(&text, in, out, why);
	buf_printf(why,
		   "%s: --off-cpu, --wall and --branches need perf.data itself",
		   in->name);
	return false;
}

static void
read_perf(struct input *in, struct sink *out)
{
	struct buf why = { 0 };

	if (!read_either(in, out, &why))
		errx(2, "%.*s", (int)why.len, why.p);
}

int
main(int argc, char *argv[])
{
	static const struct reader perf = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.most_used = "root pid tid event-filter only count "
			     "drop-idle skip-after off-cpu wall inline "
			     "srcline symfs debuginfod kernel samples "
			     "meta",
		.summary =
		    "Fold the stacks of perf.data, or of perf script text.",
		.clock = "perf",
		.in_order = true,
		.may = &may,
		.options = options,
		.setopt = set_option,
		.read = read_perf
	};
	int status;

	status = collapse_main(argc, argv, &perf);
	jitopt_free(&jit_options);
	jvm_stacks_free(data_options.jvms);
	free(snapshots);
	return status;
}
