/*
 * stackcollapse-stap - fold the stacks that SystemTap prints with
 * print_stack() or print_ustack(), each with a count below it.
 */
#include "formats/tracer_stack.h"
#include "reader/collapse.h"

/*
 * " 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]"; without a symbol
 * " 0x7f5d1a7c2b15 [/lib/libc.so+0x21b15/0x3be000]"; without a module just the
 * address.  " at /src/a.c:12" may follow the name, " (inexact)" may be at the
 * end.
 */
static enum tracer_stack_kind
parse_line(struct str line, struct frame *frame)
{
	const struct str inexact = STR(" (inexact)");
	const char *p = str_search(line, STR(" : "));
	struct str name = line;

	if (p != NULL)
		name = str_range(p + 3, line.p + line.len);
	if (str_ends(name, inexact))
		name.len -= inexact.len;
	p = name.len == 0 ? NULL : memrchr(name.p, '[', name.len);
	if (p != NULL && str_ends(name, STR("]"))) {
		frame->module = str_range(p + 1, name.p + name.len - 1);
		frame->module = tracer_stack_name(frame->module);
		name = str_rtrim(str_range(name.p, p));
	}
	p = str_search(name, STR(" at "));
	if (p != NULL)
		name = str_range(name.p, p);
	if (str_eq(frame->module, STR("kernel")))
		frame->kind = FRAME_KERNEL;
	tracer_stack_frame(name, frame);
	return TRACER_STACK_FRAME;
}

static void
read_stap(struct input *in, struct sink *out)
{
	tracer_stack_read(in, out, parse_line);
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
