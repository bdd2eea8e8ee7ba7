/* stack.c - a stack of folded text taken apart into frames. */
#include "stack.h"

#include "mem.h"
#include "scan.h"

#include <stdlib.h>

static uint64_t
word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Whether 32 bytes are equal. */
static bool
is_same_block(const char *a, const char *b)
{
	uint64_t differs = word_at(a) ^ word_at(b);

	differs |= word_at(a + 8) ^ word_at(b + 8);
	differs |= word_at(a + 16) ^ word_at(b + 16);
	differs |= word_at(a + 24) ^ word_at(b + 24);
	return differs == 0;
}

/* How many bytes a and b have in common at their start. */
static size_t
common_length(struct str a, struct str b)
{
	size_t i = 0, n = a.len < b.len ? a.len : b.len;

	while (i + 32 <= n && is_same_block(a.p + i, b.p + i))
		i += 32;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* How many frames of s are whole within the first n bytes of text too. */
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

/* Frame n is what ends at a place of the text; *begin is where it begins. */
static void
add_frame(struct stack *s, size_t n, size_t *begin, size_t end)
{
	s->name[n - s->same] = str_range(s->text.p + *begin, s->text.p + end);
	s->end[n] = end;
	*begin = end + 1;
}

/* Find the frames of the text behind those that are the same. */
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
	size_t start = common_length(buf_slice(&s->text), text);

	s->same = same_frames(s, text, start);
	s->text.len = s->same == 0 ? 0 : s->end[s->same - 1];
	buf_reserve(&s->text, text.len - s->text.len + SCAN_WIDTH);
	buf_str(&s->text, str_skip(text, s->text.len));
	find_frames(s);
	intern_ids(names, s->name, s->n - s->same, s->id + s->same);
}

void
stack_begin(struct stack *s, const struct stack *before,
	    const struct intern *names, struct str text)
{
	size_t start = common_length(buf_slice(&before->text), text);

	s->same = same_frames(before, text, start);
	s->text.len = 0;
	buf_reserve(&s->text, text.len + SCAN_WIDTH);
	buf_str(&s->text, text);
	s->end = mem_grow(s->end, &s->end_cap, s->same, sizeof(*s->end));
	if (s->same > 0)
		memcpy(s->end, before->end, s->same * sizeof(*s->end));
	find_frames(s);
	s->id = mem_grow(s->id, &s->cap, s->n, sizeof(*s->id));
	intern_hash(names, s->name, s->n - s->same, s->id + s->same);
}

void
stack_seek(const struct stack *s, const struct intern *names)
{
	intern_seek(names, s->id + s->same, s->n - s->same);
}

void
stack_end(struct stack *s, const struct stack *before, struct intern *names)
{
	if (s->same > 0)
		memcpy(s->id, before->id, s->same * sizeof(*s->id));
	intern_take(names, s->name, s->n - s->same, s->id + s->same);
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
