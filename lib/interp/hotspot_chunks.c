/*
 * hotspot_chunks.c - frames of a virtual thread in the heap of a HotSpot.
 *
 * HotSpot copies them as they are, but for words that have addresses of the
 * stack: these have distances instead, stackChunkFrameStream_x86.inline.hpp.
 */
#include "interp/hotspot_chunks.h"

/* Words of a frame of the interpreter, from its frame pointer, in bytes. */
enum {
	FRAME_BCP = -64,
	FRAME_LOCALS = -56,
	FRAME_METHOD = -24,
	FRAME_SENDER_SP = -8
};

/* The last frame is followed by at least that much of nothing. */
enum { WORD = 8, END = 2 * WORD };

/* A frame while the others are walked. */
struct chunk_frame {
	uint64_t sp;   /* after the words of its callee */
	uint64_t size; /* its size is counted from here on */
};

static bool
load(const struct hotspot_chunk *c, uint64_t address, uint64_t *word)
{
	const uint64_t start = c->sp - HOTSPOT_CHUNKS_BELOW;
	const uint64_t offset = address - start;

	if (address % WORD != 0 || offset >= c->end - start ||
	    c->end - start - offset < WORD)
		return false;
	memcpy(word, c->bytes + offset, WORD);
	return true;
}

/* The address that a word has as a distance in words; 0 if it has none. */
static uint64_t
distant(const struct hotspot_chunk *c, uint64_t from, int at)
{
	const int64_t most = 1 << 20;
	uint64_t word;

	if (!load(c, from + (uint64_t)(int64_t)at, &word) ||
	    (int64_t)word < -most || (int64_t)word > most)
		return 0;
	return from + WORD * word;
}

static bool
step_interpreted(struct hotspot_walker *w, struct interp_copy *memory,
		 struct interp_stack *s, const struct hotspot_chunk *c,
		 struct chunk_frame *f)
{
	const uint64_t fp = distant(c, f->sp - END, 0);
	struct hotspot_walk_interpreted frame = { .sp = f->sp };
	uint64_t locals;

	if (fp < f->sp ||
	    !load(c, fp + (uint64_t)FRAME_METHOD, &frame.method) ||
	    !load(c, fp + (uint64_t)FRAME_BCP, &frame.bcp) ||
	    !hotspot_walk_add_interpreted(w, memory, s, &frame))
		return false;
	locals = distant(c, fp, FRAME_LOCALS);
	f->sp = fp + END;
	f->size = distant(c, fp, FRAME_SENDER_SP);
	if (locals != 0 && locals + WORD >= c->end)
		f->sp = c->end;
	return true;
}

/* The pc of a frame that is to be interpreted when its callee returns. */
static uint64_t
correct_deoptimized(const struct hotspot_chunk *c, const struct hotspot_blob *b,
		    uint64_t sp, uint64_t pc)
{
	uint64_t original;

	return (pc == b->deopt || pc == b->deopt_mh) && b->orig_pc > 0 &&
		       load(c, sp + b->orig_pc, &original) &&
		       original >= b->code_begin && original < b->code_end ?
		   original :
		   pc;
}

static bool
step(struct hotspot_walker *w, struct interp_copy *memory,
     struct interp_stack *s, const struct hotspot_chunk *c,
     struct chunk_frame *f)
{
	struct unwind_frame frame = { .sp = f->sp };
	const struct hotspot_blob *found;
	struct hotspot_blob b;

	if (!load(c, f->sp - WORD, &frame.pc))
		return false;
	found = hotspot_code_find(w->code, memory, frame.pc - 1);
	if (found == NULL)
		return false;
	b = *found;
	if (b.kind == HOTSPOT_INTERPRETER)
		return step_interpreted(w, memory, s, c, f);
	if (b.frame_size < END || f->size < f->sp)
		return false;
	frame.pc = correct_deoptimized(c, &b, f->size, frame.pc);
	if (b.kind == HOTSPOT_COMPILED || b.kind == HOTSPOT_NATIVE)
		hotspot_walk_add_compiled(w, memory, s, &b, &frame);
	f->sp = f->size = f->size + b.frame_size;
	return true;
}

bool
hotspot_chunks_walk(struct hotspot_walker *w, struct interp_copy *memory,
		    struct interp_stack *s, const struct hotspot_chunk *c)
{
	struct chunk_frame f = { c->sp, c->sp };
	uint64_t last = 0;

	if (c->end < END)
		return false;
	while (f.sp > last && f.sp < c->end - END) {
		last = f.sp;
		if (!step(w, memory, s, c, &f))
			return false;
	}
	return f.sp > last && s->n < INTERP_STACK_DEPTH;
}
