/* sortedtree.c - a tree of stacks that come sorted by their bytes. */
#include "tree/sortedtree.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/scan.h"
#include "tree/widthbin.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bits beside the depth of a complete frame. */
#define UNSORTED (UINT32_C(1) << 31) /* its children are not in order */
#define MORE (UINT32_C(1) << 30)     /* several frames merged */
#define DEPTH (MORE - 1)

/* More frames than this are left to struct runtree. */
#define MOST_FRAMES (UINT32_C(1) << 29)

#define NO_NAME UINT32_MAX

/*
 * A complete frame.  Callees come before their caller, siblings in the order of
 * the input.  Frames that are merged into one have the sum of their counts, and
 * the name and number of the first one by name.  The name is not set if the
 * numbers of its siblings are in the same order.
 */
struct sorted_frame {
	uint64_t units;
	uint32_t name, seen;
	uint32_t depth;  /* 1 is below the root; later its place */
	uint32_t frames; /* frames in it, itself included */
};

/* A frame of the last stack: it may get more callees. */
struct open_frame {
	size_t end;   /* of its name in the text */
	size_t first; /* number of complete frames before its own */
	uint64_t units;
	uint32_t frames, seen;
	bool unsorted;

	/* The callees that are complete and too narrow to be drawn. */
	struct {
		uint64_t units;
		uint32_t frames, seen;
		bool in_text;    /* the name of the first one is still in */
		size_t end;      /* the text, up to here */
		struct buf name; /* otherwise it is here */
	} narrow;
};

/*
 * A stack that ended in a frame without callees, and a sibling whose name
 * begins with that frame's: "foo", then "foo(int)".  As '(' sorts before ';',
 * callees of "foo" may still come.
 */
struct paused_frame {
	size_t end; /* of its name in the text, which still has it */
	uint64_t units;
	uint32_t depth, seen;
};

/* Names that are looked up together; see intern_ids(). */
#define NAMES 64

struct frame_names {
	struct buf text;
	size_t n, end[NAMES]; /* where each name ends in text */
	size_t frame[NAMES];  /* number of each complete frame */
};

struct sortedtree {
	struct intern *names;
	uint32_t max;
	struct buf text; /* the last stack */
	uint64_t total;
	uint32_t seen; /* number of frames so far, with the root */

	struct open_frame *open; /* from the root */
	size_t depth, open_cap, opened;
	struct paused_frame *paused;
	size_t npaused, paused_cap;
	struct sorted_frame *frame;
	size_t n, cap;
	struct frame_names later;
	uint32_t deepest;

	size_t cut;      /* draw frames of this bin and above; 0: all */
	uint64_t least;  /* their least width */
	bool draws_none; /* no width is enough */
	uint32_t *at;    /* scratch memory for each depth */
	size_t at_cap;
};

struct sortedtree *
sortedtree_new(struct intern *names, uint32_t max)
{
	struct sortedtree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->max = max;
	t->seen = 1;
	t->open = mem_grow(NULL, &t->open_cap, 1, sizeof(*t->open));
	memset(t->open, 0, t->open_cap * sizeof(*t->open));
	t->opened = t->open_cap;
	return t;
}

void
sortedtree_free(struct sortedtree *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->opened; i++)
		buf_free(&t->open[i].narrow.name);
	free(t->open);
	free(t->paused);
	free(t->frame);
	free(t->at);
	buf_free(&t->text);
	buf_free(&t->later.text);
	free(t);
}

static bool
is_narrow(const struct sortedtree *t, uint64_t units)
{
	return units < t->least || t->draws_none;
}

/* The name of a callee of p, which is in the text up to end. */
static struct str
name_in_text(const struct sortedtree *t, const struct open_frame *p, size_t end)
{
	const size_t begin = p == t->open ? 0 : p->end + 1;

	return (struct str){ t->text.p + begin, end - begin };
}

static struct str
name_of_narrow(const struct sortedtree *t, const struct open_frame *p)
{
	return p->narrow.in_text ? name_in_text(t, p, p->narrow.end) :
				   buf_slice(&p->narrow.name);
}

/* Copy the name of the first narrow callee before the text changes. */
static void
save_name(const struct sortedtree *t, struct open_frame *p)
{
	struct str name = name_of_narrow(t, p);

	if (p->narrow.frames == 0 || !p->narrow.in_text)
		return;
	p->narrow.name.len = 0;
	buf_str(&p->narrow.name, name);
	p->narrow.in_text = false;
}

static void
push(struct sortedtree *t, struct sorted_frame f)
{
	t->frame = mem_grow(t->frame, &t->cap, t->n + 1, sizeof(*t->frame));
	t->frame[t->n++] = f;
}

/* Look up the names of the last complete frames. */
static void
find_names(struct sortedtree *t)
{
	struct frame_names *l = &t->later;
	struct str name[NAMES];
	uint32_t id[NAMES];
	size_t i, begin = 0;

	for (i = 0; i < l->n; begin = l->end[i++])
		name[i] = (struct str){ l->text.p + begin, l->end[i] - begin };
	intern_ids(t->names, name, l->n, id);
	for (i = 0; i < l->n; i++)
		t->frame[l->frame[i]].name = id[i];
	l->text.len = l->n = 0;
}

/* Look up the name of the last complete frame, later. */
static void
name_last(struct sortedtree *t, struct str name)
{
	struct frame_names *l = &t->later;

	if (l->n == NAMES)
		find_names(t);
	buf_str(&l->text, name);
	l->end[l->n] = l->text.len;
	l->frame[l->n++] = t->n - 1;
}

/* Drop the complete frames from a number on. */
static void
drop_frames(struct sortedtree *t, size_t first)
{
	struct frame_names *l = &t->later;

	while (l->n > 0 && l->frame[l->n - 1] >= first)
		l->n--;
	l->text.len = l->n == 0 ? 0 : l->end[l->n - 1];
	t->n = first;
}

/* Whether a callee sorts before the narrow ones that are complete. */
static bool
is_first(const struct sortedtree *t, const struct open_frame *p,
	 struct str name, uint32_t seen)
{
	if (p->narrow.frames == 0)
		return true;
	return p->unsorted ? str_cmp(name, name_of_narrow(t, p)) < 0 :
			     seen < p->narrow.seen;
}

/* Complete a callee of p whose name is in the text up to end. */
static inline void
complete(struct sortedtree *t, struct open_frame *p, size_t end,
	 const struct sorted_frame *f)
{
	p->units += f->units;
	p->frames += f->frames;
	if (!is_narrow(t, f->units)) {
		push(t, *f);
		name_last(t, name_in_text(t, p, end));
		return;
	}
	if (is_first(t, p, name_in_text(t, p, end), f->seen)) {
		p->narrow.seen = f->seen;
		p->narrow.end = end;
		p->narrow.in_text = true;
	}
	p->narrow.frames += f->frames;
	p->narrow.units += f->units;
}

/* Make one frame of the narrow callees of p, whose depth is given. */
static void
complete_narrow(struct sortedtree *t, struct open_frame *p, uint32_t depth)
{
	const uint32_t frames = p->narrow.frames;

	if (frames == 0)
		return;
	push(t, (struct sorted_frame){ p->narrow.units, NO_NAME, p->narrow.seen,
				       (depth + 1) | (frames > 1 ? MORE : 0),
				       frames });
	if (frames == 1 || p->unsorted)
		name_last(t, name_of_narrow(t, p));
	p->narrow.frames = 0;
}

/* Complete the deepest frame. */
static void
close_frame(struct sortedtree *t)
{
	const uint32_t depth = (uint32_t)t->depth;
	struct open_frame *o = &t->open[t->depth--];

	if (is_narrow(t, o->units))
		drop_frames(t, o->first);
	else
		complete_narrow(t, o, depth);
	complete(t, o - 1, o->end,
		 &(struct sorted_frame){ o->units, NO_NAME, o->seen,
					 depth | (o->unsorted ? UNSORTED : 0),
					 o->frames });
}

/* Complete the last paused frame, whose siblings are complete. */
static void
close_paused(struct sortedtree *t)
{
	const struct paused_frame *paused = &t->paused[--t->npaused];
	struct open_frame *p = &t->open[paused->depth - 1];

	p->unsorted = true;
	complete(t, p, paused->end,
		 &(struct sorted_frame){ paused->units, NO_NAME, paused->seen,
					 paused->depth, 1 });
}

/* Pause the deepest frame, which is complete but may be entered again. */
static void
pause_frame(struct sortedtree *t)
{
	const struct open_frame *o = &t->open[t->depth];

	t->paused = mem_grow(t->paused, &t->paused_cap, t->npaused + 1,
			     sizeof(*t->paused));
	t->paused[t->npaused++] = (struct paused_frame){ o->end, o->units,
							 (uint32_t)t->depth,
							 o->seen };
	t->depth--;
}

/* Whether the deepest frame is in a stack that has n bytes in common. */
static bool
is_in(const struct sortedtree *t, struct str stack, size_t n)
{
	const size_t end = t->open[t->depth].end;

	return end < n || (end == n && n < stack.len && stack.p[n] == ';');
}

/* Leave all frames that a stack, with n bytes in common, does not have. */
static void
leave(struct sortedtree *t, struct str stack, size_t n)
{
	size_t depth;

	if (t->depth > 0 && n == t->text.len && n < stack.len &&
	    (unsigned char)stack.p[n] < ';')
		pause_frame(t);
	while (t->depth > 0 && !is_in(t, stack, n)) {
		depth = t->depth;
		close_frame(t);
		while (t->npaused > 0 &&
		       t->paused[t->npaused - 1].depth == depth &&
		       t->paused[t->npaused - 1].end > n)
			close_paused(t);
	}
}

/* Continue a paused frame; false if it is another one. */
static bool
resume_frame(struct sortedtree *t, struct open_frame *o)
{
	const struct paused_frame *paused;

	if (t->npaused == 0)
		return false;
	paused = &t->paused[t->npaused - 1];
	if (paused->depth != t->depth || paused->end != o->end)
		return false;
	o->units = paused->units;
	o->seen = paused->seen;
	t->npaused--;
	return true;
}

/* Enter a frame whose name is in the text up to end. */
static void
enter(struct sortedtree *t, size_t end)
{
	struct open_frame *o;

	t->open = mem_grow(t->open, &t->open_cap, ++t->depth + 1,
			   sizeof(*t->open));
	if (t->opened < t->open_cap) {
		memset(t->open + t->opened, 0,
		       (t->open_cap - t->opened) * sizeof(*t->open));
		t->opened = t->open_cap;
	}
	o = &t->open[t->depth];
	o->end = end;
	o->first = t->n;
	o->units = 0;
	o->frames = 1;
	o->unsorted = false;
	o->narrow.units = 0;
	o->narrow.frames = 0;
	if (!resume_frame(t, o))
		o->seen = t->seen++;
}

/* Enter the frames of the text that begin at an offset. */
static void
enter_frames(struct sortedtree *t, size_t at)
{
	uint64_t found;

	for (;; at += SCAN_WIDTH) {
		found = scan(t->text.p + at, ';');
		if (t->text.len - at < SCAN_WIDTH)
			found &= ((uint64_t)1 << (t->text.len - at)) - 1;
		for (; found != 0; found &= found - 1)
			enter(t, at + (size_t)__builtin_ctzll(found));
		if (t->text.len - at <= SCAN_WIDTH)
			break;
	}
	enter(t, t->text.len);
	if (t->deepest < t->depth)
		t->deepest = (uint32_t)t->depth;
}

/* Which frames to draw. */

static uint32_t
depth_of(const struct sorted_frame *f)
{
	return f->depth & DEPTH;
}

/* Scratch memory for each depth, and one more, set to value. */
static uint32_t *
scratch(struct sortedtree *t, uint32_t value)
{
	size_t i;

	t->at = mem_grow(t->at, &t->at_cap, (size_t)t->deepest + 3,
			 sizeof(*t->at));
	for (i = 0; i < (size_t)t->deepest + 3; i++)
		t->at[i] = value;
	return t->at;
}

/* Count a frame; with a cut above narrowest, up to own, it counts twice. */
static void
count_frame(size_t *bins, size_t own, size_t narrowest)
{
	bins[own] += narrowest < own ? 2 : 1;
	bins[narrowest] -= narrowest < own;
}

/* Count the complete frames by bins, as find_cut() of treelayout.c does. */
static void
count_frames(struct sortedtree *t, size_t *bins, bool with_root)
{
	uint32_t *narrowest = scratch(t, WIDTHBINS), depth;
	const struct sorted_frame *f;
	size_t own;

	for (f = t->frame; f < t->frame + t->n; f++) {
		depth = depth_of(f);
		own = f->depth & MORE ? 0 : widthbin(f->units);
		if (narrowest[depth + 1] > own)
			narrowest[depth + 1] = (uint32_t)own;
		if (!(f->depth & MORE))
			count_frame(bins, own, narrowest[depth + 1]);
		narrowest[depth + 1] = WIDTHBINS;
		if (narrowest[depth] > own)
			narrowest[depth] = (uint32_t)own;
	}
	if (with_root)
		count_frame(bins, WIDTHBINS,
			    t->open->narrow.frames > 0 ? 0 : narrowest[1]);
}

/* The least width of a bin; false if it is above all widths. */
static bool
least_width(size_t bin, uint64_t *least)
{
	uint64_t low = 0, high = UINT64_MAX, middle;

	if (widthbin(high) < bin)
		return false;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (widthbin(middle) < bin)
			low = middle + 1;
		else
			high = middle;
	}
	*least = low;
	return true;
}

/*
 * Find the lowest bin such that the complete frames of this bin and above are
 * at most max.  What comes later can only make it higher.
 */
static void
find_cut(struct sortedtree *t, bool with_root)
{
	size_t *bins = mem_zero(WIDTHBINS + 1, sizeof(*bins));
	const size_t lowest = t->cut > 1 ? t->cut : 1;
	size_t n = 0, cut = WIDTHBINS;

	count_frames(t, bins, with_root);
	while (cut >= lowest && n + bins[cut] <= (size_t)t->max + 1)
		n += bins[cut--];
	t->cut = cut + 1;
	t->draws_none = !least_width(t->cut, &t->least);
	free(bins);
}

/* Add a narrow frame to its open parent's narrow ones. */
static void
merge_into_open(struct sortedtree *t, struct open_frame *p,
		const struct sorted_frame *f)
{
	struct str name = { 0 };

	if (f->name != NO_NAME)
		name = intern_name(t->names, f->name);
	if (is_first(t, p, name, f->seen)) {
		p->narrow.seen = f->seen;
		p->narrow.in_text = false;
		p->narrow.name.len = 0;
		buf_str(&p->narrow.name, name);
	}
	p->narrow.frames += f->frames;
	p->narrow.units += f->units;
}

/* Add a narrow frame to a narrow sibling. */
static void
merge_into(struct sortedtree *t, struct sorted_frame *to,
	   const struct sorted_frame *f, bool unsorted)
{
	if (unsorted ? str_cmp(intern_name(t->names, f->name),
			       intern_name(t->names, to->name)) < 0 :
		       f->seen < to->seen) {
		to->seen = f->seen;
		to->name = f->name;
	}
	to->frames += f->frames;
	to->units += f->units;
	to->depth = depth_of(to) | MORE;
}

/* States of a depth while frames are merged, or a number of a frame. */
#define PARENT_OPEN UINT32_MAX
#define NONE_YET (UINT32_MAX - 1)

/*
 * Merge the narrow frames.  From the last frame to the first, so that callers
 * come before callees; the frames that are left move to the end of the array.
 */
static void
merge_narrow(struct sortedtree *t)
{
	uint32_t *at = scratch(t, PARENT_OPEN), depth, dropping = UINT32_MAX;
	size_t i, to = t->n, open = t->depth, k;
	/* Whether the siblings of each depth are unsorted: one bit more. */
	uint8_t *unsorted = mem_zero((size_t)t->deepest + 3, 1);
	struct sorted_frame *f;

	for (i = t->n; i-- > 0;) {
		for (; open > 0 && t->open[open].first == i + 1; open--)
			t->open[open].first = to;
		f = &t->frame[i];
		depth = depth_of(f);
		if (depth > dropping)
			continue;
		dropping = UINT32_MAX;
		if (!(f->depth & MORE) && !is_narrow(t, f->units)) {
			t->frame[--to] = *f;
			at[depth + 1] = NONE_YET;
			unsorted[depth + 1] = (f->depth & UNSORTED) != 0;
			continue;
		}
		dropping = depth;
		if (at[depth] == PARENT_OPEN) {
			merge_into_open(t, &t->open[depth - 1], f);
		} else if (at[depth] == NONE_YET) {
			t->frame[--to] = *f;
			t->frame[to].depth |= f->frames > 1 ? MORE : 0;
			t->frame[to].depth &= ~UNSORTED;
			at[depth] = (uint32_t)to;
		} else {
			merge_into(t, &t->frame[at[depth]], f, unsorted[depth]);
		}
	}
	for (; open > 0; open--)
		t->open[open].first = to;
	for (k = 1; k <= t->depth; k++)
		t->open[k].first -= to;
	memmove(t->frame, t->frame + to, (t->n - to) * sizeof(*t->frame));
	t->n -= to;
	free(unsorted);
}

bool
sortedtree_add(struct sortedtree *t, struct str stack, struct count count)
{
	const struct str last = buf_slice(&t->text);
	size_t same = str_common(last, stack), begin;
	struct open_frame *p;

	if (count.micro != 0 || count.units > UINT64_MAX - t->total ||
	    t->seen > MOST_FRAMES || stack.len > MOST_FRAMES ||
	    (same == stack.len && same < last.len) ||
	    (same < stack.len && same < last.len &&
	     (unsigned char)stack.p[same] < (unsigned char)last.p[same]))
		return false;
	t->total += count.units;
	if (same < stack.len || t->depth == 0) {
		leave(t, stack, same);
		p = &t->open[t->depth];
		save_name(t, p);
		begin = t->depth == 0 ? 0 : p->end + 1;
		/* The name is the start of the one before it. */
		if (begin <= same && same < last.len && stack.p[same] == ';')
			p->unsorted = true;
		t->text.len = same;
		buf_reserve(&t->text, stack.len - same + SCAN_WIDTH);
		buf_str(&t->text, str_skip(stack, same));
		enter_frames(t, begin);
	}
	t->open[t->depth].units += count.units;
	if (t->n > (size_t)t->max + t->max / 2 + 256) {
		find_names(t);
		find_cut(t, false);
		merge_narrow(t);
	}
	return true;
}

/* The tree to draw. */

/* Name merged frames, and count the frames to draw in each. */
static uint32_t
count_drawn(struct sortedtree *t, struct tree *to)
{
	uint32_t *drawn = scratch(t, 0), depth;
	struct buf name = { 0 };
	struct sorted_frame *f;

	for (f = t->frame; f < t->frame + t->n; f++) {
		depth = depth_of(f);
		if (f->depth & MORE) {
			to->pruned += f->frames;
			name.len = 0;
			buf_printf(&name, "(%" PRIu32 " more)", f->frames);
			f->name = intern_id(t->names, buf_slice(&name));
		}
		f->frames = 1 + drawn[depth + 1];
		drawn[depth + 1] = 0;
		drawn[depth] += f->frames;
	}
	buf_free(&name);
	return 1 + drawn[1];
}

/* The children of a frame, in the order of drawing. */
struct sorted_children {
	const struct sortedtree *tree;
	uint32_t *child;
	size_t n, cap;
};

static int
by_name(const void *a, const void *b, void *children)
{
	const struct sortedtree *t =
	    ((const struct sorted_children *)children)->tree;

	return str_cmp(
	    intern_name(t->names, t->frame[*(const uint32_t *)a].name),
	    intern_name(t->names, t->frame[*(const uint32_t *)b].name));
}

/* Find the children among the n frames that end before one. */
static void
find_children(struct sorted_children *c, size_t end, uint32_t n, bool unsorted)
{
	const struct sortedtree *t = c->tree;
	const size_t begin = end - n;
	uint32_t narrow = UINT32_MAX, swap;
	const struct sorted_frame *f;
	size_t i;

	c->n = 0;
	for (; end > begin; end -= f->frames) {
		f = &t->frame[end - 1];
		c->child = mem_grow(c->child, &c->cap, c->n + 2,
				    sizeof(*c->child));
		if (f->depth & MORE || is_narrow(t, f->units))
			narrow = (uint32_t)end - 1;
		else
			c->child[c->n++] = (uint32_t)end - 1;
	}
	for (i = 0; i < c->n / 2; i++) {
		swap = c->child[i];
		c->child[i] = c->child[c->n - 1 - i];
		c->child[c->n - 1 - i] = swap;
	}
	if (unsorted)
		qsort_r(c->child, c->n, sizeof(*c->child), by_name, c);
	if (narrow != UINT32_MAX)
		c->child[c->n++] = narrow;
}

/* Place the children of the frame at a place. */
static void
place_children(struct sortedtree *t, struct tree *to,
	       const struct sorted_children *c, uint32_t parent)
{
	uint32_t place = parent + 1;
	struct sorted_frame *f;
	size_t k;

	for (k = 0; k < c->n; k++) {
		f = &t->frame[c->child[k]];
		to->node[place] = (struct trie_frame){
			f->name, parent, f->frames > 1 ? place + 1 : 0,
			k + 1 < c->n ? place + f->frames : 0
		};
		to->seen[place] = f->seen;
		to->units[0][place] = f->units;
		f->depth = (f->depth & ~DEPTH) | place;
		place += f->frames;
	}
}

static void
place_frames(struct sortedtree *t, struct tree *to)
{
	struct sorted_children c = { .tree = t };
	const struct sorted_frame *f;
	size_t i;

	find_children(&c, t->n, to->n - 1, t->open->unsorted);
	place_children(t, to, &c, 0);
	for (i = t->n; i-- > 0;) {
		f = &t->frame[i];
		if (f->frames == 1)
			continue;
		find_children(&c, i, f->frames - 1, (f->depth & UNSORTED) != 0);
		place_children(t, to, &c, depth_of(f));
	}
	free(c.child);
}

/* Complete all frames, and merge those that are narrow. */
static void
finish_frames(struct sortedtree *t)
{
	leave(t, STR(""), 0);
	find_names(t);
	if (t->seen - 1 <= t->max)
		return;
	find_cut(t, true);
	merge_narrow(t);
	complete_narrow(t, t->open, 0);
	find_names(t);
}

struct count
sortedtree_finish(struct sortedtree *t, struct tree *to)
{
	struct count pruned = { 0 };
	size_t i;

	finish_frames(t);
	for (i = 0; i < t->n; i++) {
		if (t->frame[i].depth & MORE)
			pruned.units += t->frame[i].units;
	}
	to->n = count_drawn(t, to);
	to->node = mem_alloc(to->n * sizeof(*to->node));
	to->seen = mem_alloc(to->n * sizeof(*to->seen));
	to->units[0] = mem_alloc(to->n * sizeof(*to->units[0]));
	to->node[0] = (struct trie_frame){ UINT32_MAX, 0, to->n > 1, 0 };
	to->seen[0] = 0;
	to->units[0][0] = t->total;
	place_frames(t, to);
	return pruned;
}
