/* interp_merge.c - one stack of native frames and a virtual machine's. */
#include "interp/interp_merge.h"

#include "base/mem.h"

#include <stdlib.h>

struct merge {
	const struct interp_stack *s;
	const struct unwind_frame *native;
	size_t n;
	const struct interp_ranges *loops;
	struct interp_entries *out;
};

void
interp_merge_free(struct interp_entries *entries)
{
	free(entries->entry);
	*entries = (struct interp_entries){ 0 };
}

static void
add(struct merge *m, size_t from, size_t to, size_t at, bool replaces)
{
	struct interp_entries *e = m->out;
	size_t i;

	e->entry = mem_grow(e->entry, &e->cap, e->n + to - from + 1,
			    sizeof(*e->entry));
	for (i = from; i < to; i++) {
		if (m->s->frame[i].function == INTERP_STACK_HIDDEN)
			continue;
		e->entry[e->n++] = (struct interp_entry){
			.at = (uint32_t)at,
			.function = m->s->frame[i].function,
			.line = m->s->frame[i].line,
			.native = m->s->frame[i].native,
			.replaces = replaces,
		};
	}
}

static bool
is_loop(const struct merge *m, size_t i)
{
	return interp_binary_in(m->loops,
				m->native[i].pc - !m->native[i].exact);
}

/* Whether a loop has called other functions, so that it has a frame. */
static bool
has_loop(const struct merge *m)
{
	size_t i;

	for (i = 1; i < m->n; i++) {
		if (is_loop(m, i))
			return true;
	}
	return false;
}

static size_t
segment_begin(const struct interp_stack *s, size_t i)
{
	return i == 0 ? 0 : s->segment[i - 1].end;
}

/* All frames in the place of the outermost loop. */
static void
add_unmerged(struct merge *m)
{
	size_t i = m->n;

	while (i > 0 && !is_loop(m, i - 1))
		i--;
	m->out->n = 0;
	m->out->unmerged = true;
	add(m, 0, m->s->n, i == 0 ? m->n : i - 1, i > 0);
}

/*
 * The native frame, from i on, that has an address on its stack; n if none has.
 * Only the start of the outermost frame is known, not its end.
 */
static size_t
find_frame(const struct merge *m, size_t i, uint64_t where)
{
	for (; i + 1 < m->n && m->native[i].sp <= where; i++) {
		if (where < m->native[i + 1].sp)
			return i;
	}
	return i + 1 == m->n && m->native[i].sp == where ? i : m->n;
}

/*
 * Merge by the places on the C stack.  Whatever loops are without a segment
 * have just begun, or are about to end.  Segments beyond the native frames
 * follow them.  False if a segment has no place.
 */
static bool
merge_by_place(struct merge *m, bool complete)
{
	const struct interp_stack *s = m->s;
	size_t i, at = 0;

	for (i = 0; i < s->segments; i++) {
		at = find_frame(m, at, s->segment[i].where);
		if (at == m->n &&
		    (complete || m->n == 0 ||
		     s->segment[i].where < m->native[m->n - 1].sp))
			return false;
		add(m, segment_begin(s, i), s->segment[i].end, at, at < m->n);
		if (at < m->n)
			at++;
	}
	return true;
}

/*
 * Merge by numbers, from the root: a loop that has just begun has no segment
 * yet, and stays; the innermost segment may be without its loop, and joins its
 * caller's.  False if the numbers differ otherwise.  Frames after the last
 * segment were called without a loop.  Segments on other C stacks follow the
 * native frames, which end where this stack begins.
 */
static bool
merge_by_number(struct merge *m, bool complete)
{
	const struct interp_stack *s = m->s;
	const bool switched = s->segments_here < s->segments;
	const size_t here = switched ? s->segments_here : s->segments;
	const size_t early = s->may_be_early && here > 1;
	size_t i, loops = 0, segment = 0, end;

	for (i = 0; i < m->n; i++)
		loops += is_loop(m, i);
	/* Native frames up to where they are missing: all loops are callers. */
	if (!complete && loops == 0) {
		add(m, 0, s->n, m->n, false);
		return true;
	}
	if ((!complete && !switched) || loops > here + 1 ||
	    loops + early < here)
		return false;
	for (i = 0; i < m->n; i++) {
		if (!is_loop(m, i))
			continue;
		if (loops > here) {
			loops--;
			continue;
		}
		end = segment + (loops < here ? 2 : 1);
		add(m, segment_begin(s, segment), s->segment[end - 1].end, i,
		    true);
		segment = end;
		loops = here;
	}
	add(m, segment_begin(s, here), s->n, m->n, false);
	m->out->continues = switched;
	return true;
}

/* Native frames of one coroutine, or of what has none, and its segments. */
struct merge_level {
	size_t from,
	    to; /* native frames; the last one has resumed it, if any */
	size_t segment, end;
	bool innermost, resumed;
};

/*
 * Merge the loops of one level.  Loops in which a coroutine was suspended are
 * gone: frames that they executed, the outermost, join those of the outermost
 * loop that is left, or stand before the function that has resumed them.
 */
static bool
merge_level(struct merge *m, const struct merge_level *l)
{
	const struct interp_stack *s = m->s;
	const size_t segments = l->end - l->segment;
	size_t i, loops = 0, segment = l->segment, end;
	bool early, skip;

	for (i = l->from; i < l->to; i++)
		loops += is_loop(m, i);
	early = !l->resumed && l->innermost && s->may_be_early && loops > 0 &&
		segments == loops + 1;
	skip = l->innermost && loops == segments + 1;
	if (loops > segments + skip ||
	    (!l->resumed && loops + early < segments))
		return false;
	for (i = l->from; i < l->to; i++) {
		if (!is_loop(m, i))
			continue;
		loops--;
		if (skip) {
			skip = false;
			continue;
		}
		end = loops == 0 ? l->end : segment + 1 + early;
		early = false;
		add(m, segment_begin(s, segment), s->segment[end - 1].end, i,
		    true);
		segment = end;
	}
	if (segment < l->end)
		add(m, segment_begin(s, segment), s->segment[l->end - 1].end,
		    l->to, false);
	return true;
}

static bool
is_resume(const struct merge *m, size_t i)
{
	const struct interp_range *r = &m->s->resume;
	const uint64_t pc = m->native[i].pc - !m->native[i].exact;

	return pc >= r->start && pc < r->end;
}

/* Whether loops are outside of all coroutines. */
static bool
has_outer_loop(const struct merge *m)
{
	size_t i;

	for (i = m->n; i > 0 && !is_resume(m, i - 1); i--) {
		if (is_loop(m, i - 1))
			return true;
	}
	return false;
}

/*
 * The level of the innermost native frames, by their number of coroutines and
 * that of the runtime.  The program itself may have resumed the outermost; and
 * the innermost is not active yet when it begins, nor when it ends.  SIZE_MAX
 * if the numbers differ.
 */
static size_t
innermost_level(const struct merge *m, size_t resumed)
{
	const size_t levels = m->s->levels;

	if (resumed + 1 == levels || (resumed == levels && has_outer_loop(m)))
		return resumed;
	return resumed > 0 && (resumed == levels || resumed == levels + 1) ?
		   resumed - 1 :
		   SIZE_MAX;
}

/*
 * Merge coroutines that resume each other.  Where there is no native frame of
 * them, another thread executes them.
 */
static bool
merge_by_level(struct merge *m, bool complete)
{
	const struct interp_stack *s = m->s;
	struct merge_level l = { .innermost = true };
	size_t i, resumed = 0, level;

	for (i = 0; i < m->n; i++)
		resumed += is_resume(m, i);
	if (!complete)
		return merge_by_number(m, false);
	if (resumed == 0 && !has_outer_loop(m))
		return true;
	level = innermost_level(m, resumed);
	for (i = 0; i <= m->n; i++) {
		l.resumed = i < m->n;
		if (l.resumed && !is_resume(m, i))
			continue;
		while (l.end < s->segments && s->segment[l.end].level == level)
			l.end++;
		l.to = i;
		if (!merge_level(m, &l))
			return false;
		l = (struct merge_level){ i, i, l.end, l.end, false, false };
		level--;
	}
	return l.end == s->segments;
}

void
interp_merge(const struct interp_stack *s, const struct unwind_frame *native,
	     size_t n, bool complete, const struct interp_ranges *loops,
	     struct interp_entries *entries)
{
	struct merge m = { s, native, n, loops, entries };
	bool by_place, merged;

	entries->n = 0;
	entries->unmerged = entries->continues = false;
	if (s->n == 0) {
		entries->unmerged = !s->complete || has_loop(&m);
		return;
	}
	by_place = interp_stack_has_places(s);
	merged = s->complete &&
		 (!by_place || s->segment[s->segments - 1].end == s->n) &&
		 (by_place      ? merge_by_place(&m, complete) :
		  s->levels > 0 ? merge_by_level(&m, complete) :
				  merge_by_number(&m, complete));
	if (!merged)
		add_unmerged(&m);
}
