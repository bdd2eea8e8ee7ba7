/* stack.c - split a stack of folded text into frames. */
#include "folded/stack.h"

#include "base/mem.h"
#include "base/scan.h"

#include <stdlib.h>

/* The number of frames of s that are complete in the first n bytes of text. */
static size_t
same_frames(const struct stack *s, struct str text, size_t n)
{
	size_t i = 0;

	while (i < s->n && s->end[i] < n)
		i++;
	if (i < s->n && s->end[i] == n && (n == text.len || text.p[n] == ';'))
		i++;
	return i;
}

/* Set frame n, which is the text from *begin to end. */
static void
add_frame(struct stack *s, size_t n, size_t *begin, size_t end)
{
	s->name[n - s->same] = str_range(s->text.p + *begin, s->text.p + end);
	s->end[n] = end;
	*begin = end + 1;
}

/* Find the frames after those that are the same. */
static void
find_frames(struct stack *s)
{
	size_t n = s->same;
	size_t begin = n == 0 ? 0 : s->end[n - 1] + 1, at = begin, room;
	uint64_t found;

	s->n = n;
	if (n > 0 && s->end[n - 1] == s->text.len)
		return;
	for (;; at += SCAN_WIDTH) {
		room = n + SCAN_WIDTH + 1;
		s->name = mem_grow(s->name, &s->name_cap, room - s->same,
				   sizeof(*s->name));
		s->end = mem_grow(s->end, &s->end_cap, room, sizeof(*s->end));
		found = scan(s->text.p + at, ';');
		if (s->text.len - at < SCAN_WIDTH)
			found &= ((uint64_t)1 << (s->text.len - at)) - 1;
		for (; found != 0; found &= found - 1)
			add_frame(s, n++, &begin,
				  at + (size_t)__builtin_ctzll(found));
		if (s->text.len - at <= SCAN_WIDTH)
			break;
	}
	add_frame(s, n++, &begin, s->text.len);
	s->n = n;
	s->id = mem_grow(s->id, &s->cap, n, sizeof(*s->id));
}

void
stack_split(struct stack *s, struct intern *names, struct str text)
{
	size_t start = str_common(buf_slice(&s->text), text);

	s->same = same_frames(s, text, start);
	s->text.len = s->same == 0 ? 0 : s->end[s->same - 1];
	buf_reserve(&s->text, text.len - s->text.len + SCAN_WIDTH);
	buf_str(&s->text, str_skip(text, s->text.len));
	find_frames(s);
	intern_ids(names, s->name, s->n - s->same, s->id + s->same);
}

void
stack_begin(struct stack *s, const struct stack *previous,
	    const struct intern *names, struct str text)
{
	size_t start = str_common(buf_slice(&previous->text), text);

	s->same = same_frames(previous, text, start);
	s->text.len = 0;
	buf_reserve(&s->text, text.len + SCAN_WIDTH);
	buf_str(&s->text, text);
	s->end = mem_grow(s->end, &s->end_cap, s->same, sizeof(*s->end));
	if (s->same > 0)
		memcpy(s->end, previous->end, s->same * sizeof(*s->end));
	find_frames(s);
	s->id = mem_grow(s->id, &s->cap, s->n, sizeof(*s->id));
	intern_hash(names, s->name, s->n - s->same, s->id + s->same);
}

void
stack_prefetch(const struct stack *s, const struct intern *names)
{
	intern_prefetch(names, s->name, s->id + s->same, s->n - s->same);
}

void
stack_end(struct stack *s, const struct stack *previous, struct intern *names)
{
	if (s->same > 0)
		memcpy(s->id, previous->id, s->same * sizeof(*s->id));
	intern_insert(names, s->name, s->n - s->same, s->id + s->same);
}

void
stack_forget(struct stack *s)
{
	s->n = s->same = 0;
	s->text.len = 0;
}

void
stack_free(struct stack *s)
{
	free(s->id);
	free(s->end);
	free(s->name);
	buf_free(&s->text);
	*s = (struct stack){ 0 };
}
