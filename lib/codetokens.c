/* codetokens.c - frames of code that a resolver found, for a sink. */
#include "codetokens.h"

#include "mem.h"
#include "perfframe.h"

#include <stdlib.h>

/* perf inject --jit makes a file of each function of a JIT. */
static bool
is_injected(const struct code *code)
{
	return code->kind == CODE_USER &&
	       perfframe_kind(code->module) == PERFFRAME_JIT;
}

static struct frame
code_frame(const struct code *code, uint64_t address)
{
	static const enum frame_kind kinds[] = { [CODE_USER] = FRAME_USER,
						 [CODE_KERNEL] = FRAME_KERNEL,
						 [CODE_JIT] = FRAME_JIT,
						 [CODE_INLINE] = FRAME_INLINE };

	return (struct frame){ .name = code->name,
			       .module = code->module,
			       .line = code->line,
			       .addr = address,
			       .has_addr = true,
			       .kind = is_injected(code) ? FRAME_JIT :
							   kinds[code->kind] };
}

static void
grow_tokens(struct codetokens *t, size_t n)
{
	int i;
	size_t old = t->n, j;

	for (i = 0; i < SINK_FLAVOURS; i++) {
		t->token[i] = mem_grow(t->token[i], &t->cap[i], n,
				       sizeof(*t->token[i]));
		t->n = t->cap[i];
		for (j = old; j < t->n; j++)
			t->token[i][j] = CODETOKENS_NONE;
	}
}

uint32_t
codetokens_make(struct codetokens *t, struct sink *out, const struct code *code,
		uint64_t address, int flavour)
{
	struct frame frame = code_frame(code, address);
	uint32_t *token;

	if (code->number >= t->n)
		grow_tokens(t, code->number + 1);
	token = &t->token[flavour][code->number];
	if (t->change != NULL)
		t->change(t->arg, &frame);
	if (frame.name.len == 0 && sink_shows_addrs(out))
		return sink_token(out, &frame, flavour);
	return *token = sink_token(out, &frame, flavour);
}

void
codetokens_free(struct codetokens *t)
{
	int i;

	for (i = 0; i < SINK_FLAVOURS; i++)
		free(t->token[i]);
}
