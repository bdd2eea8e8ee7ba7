/* interp_words.c - a runtime's block, searched for in the C stack of a thread.
 */
#include "interp/interp_words.h"

#include "base/mem.h"

#include <stdlib.h>

/* How much of a C stack is searched, in words. */
enum { SEARCHED = 8192 };

/* How far a frame may begin from an address in code that it has called. */
enum { FRAME = 32 };

/* Words that are kept, so that most are looked at once. */
enum { SEEN = 256 };

struct interp_words
interp_words_of(const struct interp_target *target)
{
	struct interp_words w = { .pid = target->pid };
	size_t i;

	for (i = 0; i < target->n; i++) {
		if (str_eq(target->map[i].path, STR("[stack]")))
			w.stack_end = target->map[i].end;
	}
	return w;
}

/* A part of a C stack, from an address on. */
struct words_part {
	uint64_t start;
	uint64_t *word;
	size_t n;
};

/* Read the outer part, or if inner, the inner part of a stack. */
static void
read_part(const struct interp_words *w, struct interp_copy *memory, int64_t tid,
	  bool inner, struct words_part *part)
{
	const uint64_t page = 4096, sp = memory->moment.sp;
	const bool outer = !inner && tid == w->pid && w->stack_end != 0;
	size_t n = SEARCHED * sizeof(*part->word);

	part->n = 0;
	/* Mostly the whole stack is copied already. */
	if (!inner && memory->stack.len > 0) {
		if (n > memory->stack.len)
			n = memory->stack.len;
		memcpy(part->word, memory->stack.p, n);
		part->start = sp;
		part->n = n / sizeof(*part->word);
		return;
	}
	if (!outer && sp == 0)
		return;
	for (; n >= page; n /= 2) {
		part->start = outer ? w->stack_end - n :
			      inner ? sp / sizeof(*part->word) *
					  sizeof(*part->word) :
				      sp / page * page;
		if (interp_copy_read(memory, part->start, part->word, n)) {
			part->n = n / sizeof(*part->word);
			return;
		}
	}
}

static bool
is_in(const struct interp_range *r, uint64_t address)
{
	return address >= r->start && address < r->end;
}

/* Leave out the words beyond the frames of the code. */
static void
cut_part(const struct interp_words *w, const struct interp_moment *moment,
	 struct words_part *part)
{
	size_t i = part->n;

	if (w->code.start == w->code.end)
		return;
	while (i > 0 && !is_in(&w->code, part->word[i - 1]))
		i--;
	if (i == 0 && !is_in(&w->code, moment->pc))
		part->n = 0;
	else if (part->n - i > FRAME)
		part->n = i + FRAME;
}

/*
 * Whether a word may be the address of an object, which is neither code nor in
 * the stack itself.
 */
static bool
may_be_object(const struct interp_words *w, const struct words_part *part,
	      uint64_t word)
{
	const uint64_t lowest = 65536, highest = UINT64_C(1) << 47;

	return word % 8 == 0 && word >= lowest && word < highest &&
	       !is_in(&w->code, word) &&
	       word - part->start >= SEARCHED * sizeof(word);
}

void
interp_words_search(const struct interp_words *w, struct interp_copy *memory,
		    int64_t tid, bool inner,
		    bool (*visit)(void *arg, uint64_t address,
				  const char head[INTERP_WORDS_HEAD]),
		    void *arg)
{
	struct words_part part = { .word = mem_alloc(SEARCHED *
						     sizeof(uint64_t)) };
	uint64_t seen[SEEN] = { 0 }, address, *last;
	char head[INTERP_WORDS_HEAD];
	size_t i;

	read_part(w, memory, tid, inner, &part);
	if (!inner)
		cut_part(w, &memory->moment, &part);
	for (i = 0; i < part.n; i++) {
		address = part.word[inner ? i : part.n - 1 - i];
		last = &seen[address / 8 % SEEN];
		if (*last == address || !may_be_object(w, &part, address))
			continue;
		*last = address;
		if (interp_copy_read(memory, address, head, sizeof(head)) &&
		    visit(arg, address, head))
			break;
	}
	free(part.word);
}
