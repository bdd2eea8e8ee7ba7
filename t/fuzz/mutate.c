/* mutate - changes to inputs that keep their structure. */
#include "mutate.h"

enum { MAX_RECORDS = 1 << 12 };

/* An input, its records, and where they end. */
struct sequence {
	const struct mutate_format *format;
	uint8_t *data;
	size_t size, max, end;
	size_t start[MAX_RECORDS + 1]; /* the last is where the last one ends */
	size_t n;
};

static void
list_records(struct sequence *s, size_t begin)
{
	size_t at = begin, length;

	for (s->n = 0; s->n < MAX_RECORDS && at < s->end; at += length) {
		length = s->format->length(s->data + at, s->end - at);
		if (length == 0 || length > s->end - at)
			break;
		s->start[s->n++] = at;
	}
	s->start[s->n] = at;
}

static size_t
length_of(const struct sequence *s, size_t i)
{
	return s->start[i + 1] - s->start[i];
}

/* Replace n bytes at a place; returns the new size, or 0 if that is too big. */
static size_t
replace(struct sequence *s, size_t at, size_t n, const uint8_t *with,
	size_t size)
{
	const size_t rest = s->size - at - n;

	if (s->size - n + size > s->max)
		return 0;
	memmove(s->data + at + size, s->data + at + n, rest);
	memcpy(s->data + at, with, size);
	s->size = s->size - n + size;
	if (size != n)
		s->format->moved(s->data, s->size, s->end,
				 (ptrdiff_t)size - (ptrdiff_t)n);
	return s->size;
}

/* Change the bytes behind the head of a record. */
static size_t
change_body(struct sequence *s, size_t i)
{
	const size_t length = length_of(s, i), head = s->format->head,
		     room = length + 64;
	uint8_t *copy = calloc(1, room);
	size_t size = 0, result;

	memcpy(copy, s->data + s->start[i], length);
	if (length > head)
		size = LLVMFuzzerMutate(copy + head, length - head,
					room - head);
	s->format->set_length(copy, head + size);
	result = replace(s, s->start[i], length, copy, head + size);
	free(copy);
	return result;
}

/* Put a copy of a record before another, maybe in its place. */
static size_t
copy_record(struct sequence *s, size_t from, size_t to, int in_place)
{
	const size_t length = length_of(s, from);
	uint8_t *copy = malloc(length);
	size_t result;

	memcpy(copy, s->data + s->start[from], length);
	result = replace(s, s->start[to], in_place ? length_of(s, to) : 0, copy,
			 length);
	free(copy);
	return result;
}

size_t
mutate_records(const struct mutate_format *format, uint8_t *data, size_t size,
	       size_t max, unsigned seed)
{
	struct sequence s = {
		.format = format, .data = data, .size = size, .max = max
	};
	size_t begin, from, to, result = 0;

	if (seed % 2 == 0 || !format->find(data, size, &begin, &s.end) ||
	    s.end > size || begin > s.end)
		return LLVMFuzzerMutate(data, size, max);
	list_records(&s, begin);
	if (s.n == 0)
		return LLVMFuzzerMutate(data, size, max);
	seed /= 2;
	from = seed / 8 % s.n;
	to = seed / 8 / s.n % s.n;
	switch (seed % 8) {
	case 0:
		result = replace(&s, s.start[from], length_of(&s, from), data,
				 0);
		break;
	case 1:
		result = copy_record(&s, from, to, 0);
		break;
	case 2:
		result = copy_record(&s, from, to, 1);
		break;
	case 3: /* the type, or another small number */
		data[s.start[from]] = (uint8_t)(seed / 8 % 96);
		result = size;
		break;
	default:
		result = change_body(&s, from);
		break;
	}
	return result > 0 ? result : LLVMFuzzerMutate(data, size, max);
}
