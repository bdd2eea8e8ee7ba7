/* frames.c - stacks as numbers of frames, for many stacks. */
#include "frames.h"

#include "hash.h"
#include "mem.h"

#include <stdlib.h>

/*
 * Names seen of late, each in the place its hash says, in front of the table
 * of all names.
 */
#define NKNOWN (1u << 18)

struct known {
	const char *p; /* NULL if free */
	uint32_t len, hash, id;
};

/* A frame of the stack being split. */
struct piece {
	struct str name;
	uint32_t hash;
};

void
frames_init(struct frames *f, struct intern *names)
{
	*f = (struct frames){ .names = names };
	f->known = mem_zero(NKNOWN, sizeof(*f->known));
}

void
frames_free(struct frames *f)
{
	free(f->id);
	free(f->known);
	free(f->piece);
	free(f->end);
	buf_free(&f->text);
}

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

/* Keep the frames that are whole in what both stacks begin with. */
static void
keep_common(struct frames *f, struct str text)
{
	size_t same = common_length(buf_slice(&f->text), text), i = 0;

	while (i < f->n && f->end[i] < same)
		i++;
	if (i < f->n && f->end[i] == same &&
	    (same == text.len || text.p[same] == ';'))
		i++;
	f->n = i;
}

/* Cut what is new into pieces, and ask for their places in memory. */
static size_t
cut(struct frames *f, struct str text, size_t from)
{
	const char *p = text.p + from, *end = text.p + text.len, *next;
	size_t n = 0;
	struct piece *piece;

	for (;; p = next + 1) {
		next = memchr(p, ';', (size_t)(end - p));
		if (next == NULL)
			next = end;
		f->piece = mem_grow(f->piece, &f->piece_cap, n + 1,
				    sizeof(*f->piece));
		f->end = mem_grow(f->end, &f->end_cap, f->n + n + 1,
				  sizeof(*f->end));
		piece = &f->piece[n];
		piece->name = str_range(p, next);
		piece->hash = (uint32_t)hash_bytes(p, piece->name.len);
		f->end[f->n + n++] = (size_t)(next - text.p);
		__builtin_prefetch(&f->known[piece->hash % NKNOWN]);
		if (next == end)
			return n;
	}
}

static uint32_t
look_up(struct frames *f, const struct piece *piece)
{
	struct known *k = &f->known[piece->hash % NKNOWN];
	struct str name;

	if (k->p != NULL && k->hash == piece->hash &&
	    str_eq((struct str){ k->p, k->len }, piece->name))
		return k->id;
	k->id = intern_id(f->names, piece->name);
	name = intern_name(f->names, k->id);
	k->p = name.p;
	k->len = (uint32_t)name.len;
	k->hash = piece->hash;
	return k->id;
}

void
frames_split(struct frames *f, struct str text)
{
	size_t i, n, from;

	keep_common(f, text);
	from = f->n == 0 ? 0 : f->end[f->n - 1];
	f->text.len = from;
	buf_str(&f->text, str_skip(text, from));
	if (f->n > 0 && from == text.len)
		return;
	n = cut(f, text, f->n == 0 ? 0 : from + 1);
	for (i = 0; i < n; i++)
		__builtin_prefetch(f->known[f->piece[i].hash % NKNOWN].p);
	f->id = mem_grow(f->id, &f->id_cap, f->n + n, sizeof(*f->id));
	for (i = 0; i < n; i++)
		f->id[f->n + i] = look_up(f, &f->piece[i]);
	f->n += n;
}
