/* perfscript_frame.c - frames of perf script text, for a sink. */
#include "perf/perfscript_frame.h"

#include "perf/jit_inlined.h"

struct frame
perfscript_frame(const struct perfscript_sample *s, size_t i)
{
	static const enum frame_kind kinds[] = {
		[PERFFRAME_USER] = FRAME_USER,
		[PERFFRAME_KERNEL] = FRAME_KERNEL,
		[PERFFRAME_JIT] = FRAME_JIT,
		[PERFFRAME_INLINE] = FRAME_INLINE
	};
	struct frame frame = { .has_addr = true };
	const struct framecache_symbol *symbol;

	symbol = framecache_symbol(s->cache, s->frame[i], &frame.addr);
	frame.name = symbol->name;
	frame.module = symbol->module;
	frame.kind = kinds[symbol->kind];
	if (s->source != NULL)
		frame.line = s->source[i];
	return frame;
}

bool
perfscript_frame_is_return(const struct perfscript_sample *s, size_t i)
{
	uint64_t addr;

	return i > 0 &&
	       framecache_symbol(s->cache, s->frame[i - 1], &addr)->kind !=
		   PERFFRAME_KERNEL;
}

uint32_t
perfscript_frame_token(const struct perfscript_reader *how, struct sink *out,
		       struct frame *frame, int flavour)
{
	struct inlined_frame place;

	jit_inlined_move_line(frame, &place);
	if (how->change != NULL)
		how->change(how->arg, frame);
	return sink_token(out, frame, flavour);
}
