/*
 * stackcollapse-dtrace - fold the stacks that DTrace prints of an aggregation
 * by stack() or ustack().
 */
#include "column.h"

/* "dtrace: 12 aggregation drops on CPU 0": what is not in the counts. */
static bool
tells_of_drops(struct str line)
{
	const char *p = str_search(line, STR(" drop"));

	return p != NULL && str_starts(line, STR("dtrace: "));
}

/*
 * "CPU     ID    FUNCTION:NAME", and "  0  64091  :tick-60s" below it; what
 * dtrace says of its probes, and how a terminal shows that it was ended.
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
static enum column_kind
take(struct str line, struct frame *frame)
{
	const char *tick = str_find(line, '`');

	if (tells_of_drops(line))
		return COLUMN_TROUBLE;
	if (is_head(line))
		return COLUMN_OTHER;
	if (str_starts(line, STR("value ")) &&
	    str_search(line, STR("- Distribution -")) != NULL)
		return COLUMN_TABLE;
	if (tick != NULL) {
		struct str name = str_range(tick + 1, line.p + line.len);

		column_frame(name, frame);
		frame->module = str_range(line.p, tick);
	}
	/* the module is part of the name, as DTrace writes it */
	if (tick == NULL || frame->name.len > 0)
		column_frame(line, frame);
	return tick != NULL || frame->has_addr ? COLUMN_FRAME : COLUMN_NAME;
}

static void
read_dtrace(struct input *in, struct sink *out)
{
	column_read(in, out, take);
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
