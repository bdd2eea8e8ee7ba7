/* perl_walk.c - the frames of a thread of Perl. */
#include "interp/perl_walk.h"

#include "base/peek.h"

/* Members of PERL_SI and PERL_CONTEXT, cop.h. */
enum {
	SI_CONTEXTS = 8,
	SI_PREVIOUS = 16,
	SI_LAST = 32,
	SI_BYTES = 48,
	SI_SORT = 3,
	CX_OLDCOP = 16,
	CX_RETOP = 48,
	CX_BYTES = 128 /* at most */
};

/* Members after context_pad. */
enum { CX_NAME = 0, CX_CV = 8, CX_DEPTH = 16 };

/* Low bits of a context's first byte. */
enum {
	TYPE = 0xf,
	TYPE_SUB = 9,
	TYPE_FORMAT = 10,
	TYPE_EVAL = 11,
	CODE_IN_REGEXP = 0x80, /* CXp_SUB_RE_FAKE: of a subroutine, once more */
	UNUSED = 0xab          /* Perl fills new contexts with this */
};

/* PL_phase while the program runs. */
enum { PHASE_RUN = 4 };

/* So many contexts are copied at once. */
enum { PART = 64 };

/* Such loops, and contexts and stacks, of one thread. */
enum { MAX_BLOCKS = 1024, MAX_CONTEXTS = 65536, MAX_READS = 1024 };

/* How a frame came to be. */
enum { FROM_C = 1, IS_EVAL = 2, BEGINS_LOOP = 4 };

struct perl_walker {
	struct interp_copy *copy;
	struct interp_stack *s;
	const struct perl_layout *l;
	uint64_t cop;     /* what the next frame executes */
	uint64_t comppad; /* 0 after the first frame */
	size_t contexts;  /* so far */
	uint8_t how[INTERP_STACK_DEPTH + 1];
	/* Numbers of frames in the loops of sort blocks, which have no frame.
	 */
	size_t block[MAX_BLOCKS], blocks;
};

static bool
get_word(struct interp_copy *copy, uint64_t address, uint64_t *word)
{
	return interp_copy_get(copy, address, word, sizeof(*word),
			       sizeof(*word));
}

static bool
add(struct perl_walker *w, uint64_t code, uint64_t context, unsigned how)
{
	if (!interp_stack_add(w->s, code, (int64_t)w->cop))
		return false;
	w->s->frame[w->s->n - 1].context = context;
	w->how[w->s->n - 1] = (uint8_t)how;
	w->comppad = 0;
	return true;
}

/*
 * Code whose loop has no frame of its own begins here.  What its last operation
 * calls has no operation to return to either.
 */
static bool
add_block(struct perl_walker *w)
{
	if (w->blocks == MAX_BLOCKS)
		return false;
	w->block[w->blocks++] = w->s->n;
	if (w->s->n > 0)
		w->how[w->s->n - 1] &= (uint8_t)~FROM_C;
	return true;
}

/* Add the frame of a context, if it is one that caller() tells of. */
static bool
add_context(struct perl_walker *w, const char *cx)
{
	const uint64_t address = (UINT64_C(1) << PERL_WALK_DEPTH) - 1;
	const unsigned from_c = peek_u64(cx, CX_RETOP) == 0 ? FROM_C : 0;
	const char *pad = cx + w->l->context_pad;
	uint64_t context = 0;
	bool ok = true;

	if ((uint8_t)cx[0] == UNUSED)
		return true;
	switch (cx[0] & TYPE) {
	case TYPE_SUB:
		if (cx[0] & (char)CODE_IN_REGEXP)
			return add_block(w);
		if (w->comppad != 0)
			context = (w->comppad & address) |
				  (uint64_t)(uint32_t)peek_i32(pad, CX_DEPTH)
				      << PERL_WALK_DEPTH;
		ok = add(w, peek_u64(pad, CX_CV), context, from_c);
		break;
	case TYPE_FORMAT:
		ok = add(w, peek_u64(pad, CX_CV), 0, from_c);
		break;
	case TYPE_EVAL:
		ok = add(w, PERL_WALK_EVAL, peek_u64(pad, CX_NAME),
			 IS_EVAL | from_c);
		break;
	default:
		return true;
	}
	w->cop = peek_u64(cx, CX_OLDCOP);
	return ok;
}

/* Add the frames of one of the interpreter's stacks. */
static bool
add_stack(struct perl_walker *w, const char *si)
{
	const uint64_t contexts = peek_u64(si, SI_CONTEXTS);
	const size_t first = w->s->n, size = w->l->context_bytes;
	int32_t i = peek_i32(si, SI_LAST);
	char cx[CX_BYTES];
	uint64_t offset;

	for (; i >= 0; i--) {
		offset = (uint64_t)i * size;
		if (w->contexts++ == MAX_CONTEXTS)
			return false;
		interp_copy_get(w->copy,
				contexts + offset - offset % (PART * size), cx,
				1, PART * size);
		if (!interp_copy_get(w->copy, contexts + offset, cx, size,
				     size) ||
		    !add_context(w, cx))
			return false;
	}
	if (peek_i32(si, w->l->si_type) == SI_SORT &&
	    (w->s->n == first ||
	     (w->how[w->s->n - 1] & (FROM_C | IS_EVAL)) != FROM_C))
		return add_block(w);
	return true;
}

static bool
add_stacks(struct perl_walker *w, uint64_t address)
{
	char si[SI_BYTES];

	while (address != 0) {
		if (w->contexts++ == MAX_CONTEXTS ||
		    !interp_copy_get(w->copy, address, si, sizeof(si),
				     sizeof(si)) ||
		    !add_stack(w, si))
			return false;
		address = peek_u64(si, SI_PREVIOUS);
	}
	return true;
}

/*
 * Find the frames that loops begin with: those that C has called; and an eval
 * that is in a subroutine that C has called without a way to catch what dies,
 * so that docatch() in pp_ctl.c begins a loop for it.
 */
static void
find_loops(struct perl_walker *w)
{
	size_t i, block = w->blocks;
	bool catches = true, by_c = false;

	for (i = w->s->n; i > 0; i--) {
		for (; block > 0 && w->block[block - 1] >= i; block--)
			catches = false;
		if (w->how[i - 1] & IS_EVAL) {
			by_c = w->how[i - 1] & FROM_C;
			if (!by_c && !catches)
				w->how[i - 1] |= BEGINS_LOOP;
			catches = true;
			continue;
		}
		if (w->how[i - 1] & FROM_C) {
			w->how[i - 1] |= BEGINS_LOOP;
			/* call_sv() with G_EVAL has made an eval first. */
			catches = by_c ||
				  w->s->frame[i - 1].code == PERL_WALK_MAIN;
		}
		by_c = false;
	}
}

static void
end_segments(struct perl_walker *w)
{
	const size_t n = w->s->n;
	size_t i, block = 0;

	for (i = 0; i <= n; i++) {
		w->s->n = i;
		for (; block < w->blocks && w->block[block] == i; block++)
			interp_stack_end_segment(w->s, 0);
		w->s->n = i + 1;
		if (i < n && (w->how[i] & BEGINS_LOOP))
			interp_stack_end_segment(w->s, 0);
	}
	w->s->n = n;
}

void
perl_walk(const struct perl_layout *l, struct interp_copy *copy,
	  const struct perl_variables *v, bool is_main, struct interp_stack *s)
{
	struct perl_walker w = { .copy = copy, .s = s, .l = l };
	uint64_t si, phase = PHASE_RUN;

	copy->max_reads = MAX_READS;
	s->complete = get_word(copy, v->curcop, &w.cop) &&
		      get_word(copy, v->curstackinfo, &si) &&
		      get_word(copy, v->comppad, &w.comppad) &&
		      (v->phase == 0 || get_word(copy, v->phase, &phase)) &&
		      add_stacks(&w, si);
	if (!s->complete)
		return;
	if (is_main && (phase & UINT32_MAX) == PHASE_RUN)
		s->complete = add(&w, PERL_WALK_MAIN, 0, FROM_C);
	find_loops(&w);
	end_segments(&w);
	/* A loop begins after its frame was made. */
	s->may_be_early = true;
}
