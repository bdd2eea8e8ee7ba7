/* perfscript_expand.c - inlined functions in frames of perf script text. */
#include "perf/perfscript_expand.h"

#include "base/intern.h"
#include "base/mem.h"

#include <stdlib.h>

/* Tokens in struct perfscript_expand, leaf first; none for a frame as perf
 * printed it. */
struct token_run {
	size_t first, n;
};

/* The expansion of each place into tokens, made once. */
struct perfscript_expand {
	struct perfscript_inline *code;
	struct intern *places;
	struct token_run *run; /* by place number */
	size_t run_cap;
	uint32_t *token; /* of all runs */
	size_t token_n, token_cap;
	uint32_t *stack; /* the sample's tokens */
	size_t stack_n, stack_cap;
};

struct perfscript_expand *
perfscript_expand_new(const struct perfscript_inline_options *options,
		      struct buf *why)
{
	struct perfscript_inline *code = perfscript_inline_new(options, why);
	struct perfscript_expand *in;

	if (code == NULL)
		return NULL;
	in = mem_zero(1, sizeof(*in));
	in->code = code;
	in->places = intern_new();
	return in;
}

void
perfscript_expand_free(struct perfscript_expand *in, struct sink *out)
{
	struct buf line = { 0 };

	for (; perfscript_inline_note(in->code, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	perfscript_inline_free(in->code);
	intern_free(in->places);
	free(in->run);
	free(in->token);
	free(in->stack);
	free(in);
}

/* Whether perf itself printed inlined functions, just before this frame. */
static bool
is_expanded(const struct perfscript_sample *s, size_t i)
{
	uint64_t addr, inlined;

	if (i == 0 ||
	    framecache_symbol(s->cache, s->frame[i - 1], &inlined)->kind !=
		PERFFRAME_INLINE)
		return false;
	framecache_symbol(s->cache, s->frame[i], &addr);
	return addr == inlined;
}

static struct token_run
expand(struct perfscript_expand *in, const struct perfscript_reader *how,
       struct sink *out, const struct perfscript_sample *s, size_t i,
       const struct perfscript_inline_place *place)
{
	const struct perfscript_inline_frame *found;
	struct token_run run = { in->token_n, 0 };
	struct frame frame;

	run.n = perfscript_inline_find(in->code, place, &found);
	in->token = mem_grow(in->token, &in->token_cap, in->token_n + run.n,
			     sizeof(*in->token));
	for (; in->token_n < run.first + run.n; found++) {
		frame = perfscript_frame(s, i);
		frame.line = found->line;
		if (in->token_n + 1 < run.first + run.n) {
			frame.name = found->name;
			frame.kind = FRAME_INLINE;
		}
		in->token[in->token_n++] = perfscript_frame_token(
		    how, out, &frame, s->flavour);
	}
	return run;
}

/* A frame with the functions inlined at its address, from the cache. */
static struct token_run
frame_run(struct perfscript_expand *in, const struct perfscript_reader *how,
	  struct sink *out, const struct perfscript_sample *s, size_t i)
{
	const uint32_t n = intern_size(in->places);
	struct perfscript_inline_place place = {
		.is_return = !how->exact && perfscript_frame_is_return(s, i)
	};
	const struct framecache_symbol *symbol = framecache_symbol(
	    s->cache, s->frame[i], &place.address);
	const uint64_t key[] = { (uintptr_t)symbol, place.address,
				 (unsigned)s->flavour, place.is_return };
	uint32_t number;

	if (symbol->kind == PERFFRAME_JIT || symbol->kind == PERFFRAME_INLINE ||
	    is_expanded(s, i))
		return (struct token_run){ 0, 0 };
	number = intern_id(in->places,
			   (struct str){ (const char *)key, sizeof(key) });
	if (number < n)
		return in->run[number];
	place.name = symbol->name;
	place.module = symbol->module;
	place.offset = framecache_offset(s->cache, s->frame[i]);
	place.has_offset = place.offset != PERFFRAME_NO_OFFSET;
	in->run = mem_grow(in->run, &in->run_cap, (size_t)n + 1,
			   sizeof(*in->run));
	return in->run[number] = expand(in, how, out, s, i, &place);
}

void
perfscript_expand_push(struct perfscript_expand *in,
		       const struct perfscript_reader *how, struct sink *out,
		       const struct perfscript_sample *s)
{
	struct token_run run;
	size_t i;

	in->stack_n = 0;
	for (i = 0; i < s->n; i++) {
		run = frame_run(in, how, out, s, i);
		in->stack = mem_grow(in->stack, &in->stack_cap,
				     in->stack_n + run.n + 1,
				     sizeof(*in->stack));
		if (run.n > 0)
			memcpy(in->stack + in->stack_n, in->token + run.first,
			       run.n * sizeof(*in->stack));
		else
			in->stack[in->stack_n++] = s->token[i];
		in->stack_n += run.n;
	}
	sink_push(out, in->stack, in->stack_n);
}
