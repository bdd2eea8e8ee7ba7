/* jit_inlined.c - functions that JIT code has inlined, for a sink. */
#include "perf/jit_inlined.h"

#include "base/mem.h"

struct inlined_frame *
jit_inlined_frames(const struct jit_symbol *symbol, struct frame *frame)
{
	struct inlined_frame *list;
	size_t i;

	frame->inlined = NULL;
	frame->inlines = symbol->inlines;
	if (symbol->inlines == 0)
		return NULL;
	list = mem_alloc(symbol->inlines * sizeof(*list));
	for (i = 0; i < symbol->inlines; i++)
		list[i] = (struct inlined_frame){ symbol->inlined[i].name,
						  symbol->inlined[i].line };
	frame->inlined = list;
	return list;
}

/* Whether a line "file:12" is of a language of the JVM. */
static bool
is_jvm_line(struct str line)
{
	static const char *const ends[] = { ".java", ".kt", ".scala", ".groovy",
					    ".clj" };
	const char *colon = memrchr(line.p, ':', line.len);
	size_t i;

	for (i = 0; colon != NULL && i < sizeof(ends) / sizeof(*ends); i++)
		if (str_ends(str_range(line.p, colon), str_of(ends[i])))
			return true;
	return false;
}

void
jit_inlined_move_line(struct frame *frame, struct inlined_frame *place)
{
	if (frame->kind != FRAME_JIT || frame->line.len == 0 ||
	    frame->inlines > 0 || !is_jvm_line(frame->line) ||
	    !str_starts(str_basename(frame->module), STR("jitted-")) ||
	    str_find(frame->module, '/') == NULL)
		return;
	*place = (struct inlined_frame){ .name = frame->line };
	frame->line = STR("");
	frame->inlined = place;
	frame->inlines = 1;
}
