/* codetokens.c - sink tokens for the code that a resolver found. */
#include "perf/codetokens.h"

#include "base/mem.h"
#include "perf/jit_inlined.h"
#include "perfscript/perfframe.h"

#include <stdlib.h>

/* perf inject --jit puts each function of a JIT into a file of its own. */
static bool
is_injected(const struct code *code)
{
	return code->kind == CODE_USER &&
	       perfframe_kind(code->module) == PERFFRAME_JIT;
}

/* The JIT has told the function and the line of such a frame. */
static bool
is_inlined_by_jit(const struct code *code)
{
	const bool is_inlined = code->kind == CODE_INLINE;

	while (code->kind == CODE_INLINE && code->outer != NULL)
		code = code->outer;
	return is_inlined && code->kind == CODE_JIT;
}

static struct frame
code_frame(const struct code *code, uint64_t address)
{
	static const enum frame_kind kinds[] = {
		[CODE_USER] = FRAME_USER,     [CODE_KERNEL] = FRAME_KERNEL,
		[CODE_JIT] = FRAME_JIT,       [CODE_INLINE] = FRAME_INLINE,
		[CODE_INTERP] = FRAME_INTERP, [CODE_LOWJIT] = FRAME_LOWJIT
	};

	return (struct frame){ .name = code->name,
			       .module = code->module,
			       .line = code->line,
			       .addr = address,
			       .has_addr = true,
			       .kind = is_injected(code) ? FRAME_JIT :
							   kinds[code->kind] };
}

static void
grow_tokens(struct codetokens *c, size_t n)
{
	int i;
	size_t old = c->n, j;

	for (i = 0; i < SINK_FLAVOURS; i++) {
		c->token[i] = mem_grow(c->token[i], &c->cap[i], n,
				       sizeof(*c->token[i]));
		c->n = c->cap[i];
		for (j = old; j < c->n; j++)
			c->token[i][j] = CODETOKENS_NONE;
	}
}

uint32_t
codetokens_make(struct codetokens *c, struct sink *out, const struct code *code,
		uint64_t address, int flavour)
{
	struct frame frame = code_frame(code, address);
	struct inlined_frame place;
	uint32_t *token;

	if (code->number >= c->n)
		grow_tokens(c, code->number + 1);
	token = &c->token[flavour][code->number];
	jit_inlined_move_line(&frame, &place);
	if (c->change != NULL && !is_inlined_by_jit(code))
		c->change(c->arg, &frame);
	if (frame.name.len == 0 && sink_shows_addrs(out))
		return sink_token(out, &frame, flavour);
	return *token = sink_token(out, &frame, flavour);
}

void
codetokens_free(struct codetokens *c)
{
	int i;

	for (i = 0; i < SINK_FLAVOURS; i++)
		free(c->token[i]);
}
