/*
 * stackcollapse-stap - fold the stacks that SystemTap prints with
 * print_stack() or print_ustack(), each with a count below it.
 */
#include "column.h"

/* " 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]" */
static bool
take(struct str line, struct frame *frame)
{
	const char *colon = str_search(line, STR(" : "));
	const char *bracket;
	struct str name = line;

	if (colon != NULL)
		name = str_range(colon + 3, line.p + line.len);
	bracket = name.len == 0 ? NULL : memrchr(name.p, '[', name.len);
	if (bracket != NULL && str_ends(name, STR("]"))) {
		frame->module = str_range(bracket + 1, name.p + name.len - 1);
		name = str_rtrim(str_range(name.p, bracket));
	}
	if (str_eq(frame->module, STR("kernel")))
		frame->kind = FRAME_KERNEL;
	column_frame(name, frame);
	return true;
}

static void
read_stap(struct input *in, struct sink *out)
{
	column_read(in, out, take);
}

int
main(int argc, char *argv[])
{
	static const struct reader stap = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the stacks that SystemTap counted.",
		.read = read_stap
	};

	return collapse_main(argc, argv, &stap);
}
