/*
 * stackcollapse-dtrace - fold the stacks that DTrace prints for an aggregation
 * by stack() or ustack().
 */
#include "formats/tracer_stack.h"
#include "reader/collapse.h"

/* "dtrace: 12 aggregation drops on CPU 0": data missing in the counts */
static bool
is_drop(struct str line)
{
	const char *p = str_search(line, STR(" drop"));

	return p != NULL && str_starts(line, STR("dtrace: "));
}

/*
 * "CPU     ID    FUNCTION:NAME", and "  0  64091  :tick-60s" below it; messages
 * of dtrace about its probes; and "^C" from the terminal.
 */
static bool
is_head(struct str line)
{
	uint64_t n;

	if (str_starts(line, STR("CPU ")) || str_starts(line, STR("dtrace: ")))
		return true;
	return str_eq(line, STR("^C")) || (str_u64(str_cut(&line, ' '), &n) &&
					   str_find(line, ':') != NULL);
}

/* "genunix`read+0x1f", "libc.so.1`0xfee12345"; quantize() prints tables. */
static enum tracer_stack_kind
parse_line(struct str line, struct frame *frame)
{
	const char *tick = str_find(line, '`');

	if (is_drop(line))
		return TRACER_STACK_TROUBLE;
	if (is_head(line))
		return TRACER_STACK_OTHER;
	if (str_starts(line, STR("value ")) &&
	    str_search(line, STR("- Distribution -")) != NULL)
		return TRACER_STACK_TABLE;
	if (tick != NULL) {
		struct str name = str_range(tick + 1, line.p + line.len);

		tracer_stack_frame(name, frame);
		frame->module = str_range(line.p, tick);
	}
	/* DTrace prints the module as a part of the name */
	if (tick == NULL || frame->name.len > 0)
		tracer_stack_frame(line, frame);
	return tick != NULL || frame->has_addr ? TRACER_STACK_FRAME :
						 TRACER_STACK_NAME;
}

static void
read_dtrace(struct input *in, struct sink *out)
{
	tracer_stack_read(in, out, parse_line);
}

int
main(int argc, char *argv[])
{
	static const struct reader dtrace = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the stacks that DTrace counted.",
		.read = read_dtrace
	};

	return collapse_main(argc, argv, &dtrace);
}
