/* framecache.c - frame lines of perf script text, recognised when they recur. */
#include "framecache.h"

#include "arena.h"
#include "buf.h"
#include "intern.h"
#include "mem.h"

#include <stdlib.h>

#define TABLE_BITS 17
#define TEXT_LIMIT (16u << 20) /* bytes, then all lines are forgotten */

/* What is needed of a line only once. */
struct meaning {
	uint64_t addr;
	struct symbol *symbol;
};

struct framecache {
	struct buf text;          /* of all lines, one behind the other */
	struct cached_line *line; /* one more than there are, for the end */
	struct meaning *meaning;
	size_t n, line_cap, meaning_cap;
	uint32_t *table; /* line numbers, 0 where there is none */

	struct intern *keys; /* module, NUL, name */
	struct symbol **symbol;
	size_t symbol_cap;
	struct arena symbols;
	struct buf key;
};

static void
clear(struct framecache *c)
{
	memset(c->table, 0, sizeof(*c->table) << TABLE_BITS);
	c->text.len = 0;
	c->n = 1; /* line 0 stands for none */
	c->line = mem_grow(c->line, &c->line_cap, 2, sizeof(*c->line));
	c->line[0] = c->line[1] = (struct cached_line){ 0 };
}

struct framecache *
framecache_new(void)
{
	struct framecache *c = mem_zero(1, sizeof(*c));

	c->table = mem_zero((size_t)1 << TABLE_BITS, sizeof(*c->table));
	c->keys = intern_new();
	clear(c);
	return c;
}

void
framecache_free(struct framecache *c)
{
	buf_free(&c->text);
	free(c->line);
	free(c->meaning);
	free(c->table);
	intern_free(c->keys);
	free(c->symbol);
	arena_free(&c->symbols);
	buf_free(&c->key);
	free(c);
}

void
framecache_limit(struct framecache *c)
{
	if (c->text.len > TEXT_LIMIT)
		clear(c);
}

struct cached_line *
framecache_line(struct framecache *c, uint32_t line)
{
	return &c->line[line];
}

struct symbol *
framecache_symbol(const struct framecache *c, uint32_t line, uint64_t *addr)
{
	*addr = c->meaning[line].addr;
	return c->meaning[line].symbol;
}

static struct symbol *
find_symbol(struct framecache *c, const struct perfline_frame *f)
{
	uint32_t id, n = intern_size(c->keys);
	struct symbol *s;
	struct str name;

	c->key.len = 0;
	buf_str(&c->key, f->module);
	buf_char(&c->key, '\0');
	buf_str(&c->key, f->name);
	id = intern_id(c->keys, buf_slice(&c->key));
	if (id < n)
		return c->symbol[id];
	c->symbol = mem_grow(c->symbol, &c->symbol_cap, (size_t)id + 1,
			     sizeof(struct symbol *));
	s = c->symbol[id] = arena_alloc(&c->symbols, sizeof(*s));
	name = intern_name(c->keys, id);
	*s = (struct symbol){ .name = str_skip(name, f->module.len + 1),
			      .module = { name.p, f->module.len },
			      .kind = f->kind,
			      .token = { NO_TOKEN, NO_TOKEN } };
	return s;
}

/*
 * The slot of a frame line: by the low digits of its address and by what
 * follows, in the columns perf prints.  Elsewhere it is as good as any.
 */
static uint32_t *
slot_of(const struct framecache *c, const char *p)
{
	uint64_t addr, name;

	memcpy(&addr, p + 9, sizeof(addr));
	memcpy(&name, p + 17, sizeof(name));
	return &c->table[(addr ^ name * 0x9e3779b97f4a7c15u) *
				 0xff51afd7ed558ccdu >>
			 (64 - TABLE_BITS)];
}

static void
make_room(struct cached_frames *frames, size_t n)
{
	size_t cap = frames->cap;

	frames->line = mem_grow(frames->line, &cap, frames->n + n,
				sizeof(*frames->line));
	cap = frames->cap;
	frames->token = mem_grow(frames->token, &cap, frames->n + n,
				 sizeof(*frames->token));
	frames->cap = cap;
}

static inline void
push(struct cached_frames *frames, uint32_t line, uint32_t token)
{
	if (frames->n == frames->cap)
		make_room(frames, 1);
	frames->line[frames->n] = line;
	frames->token[frames->n++] = token;
	frames->largest = token > frames->largest ? token : frames->largest;
}

void
framecache_add(struct framecache *c, struct cached_frames *frames,
	       int flavour, struct str text, const struct perfline_frame *f)
{
	uint32_t number = (uint32_t)c->n++;
	struct cached_line *line;

	c->line = mem_grow(c->line, &c->line_cap, c->n + 1, sizeof(*c->line));
	c->meaning = mem_grow(c->meaning, &c->meaning_cap, c->n,
			      sizeof(*c->meaning));
	line = &c->line[number];
	line->next = 0;
	line->token[0] = line->token[1] = NO_TOKEN;
	c->meaning[number] = (struct meaning){ f->addr, find_symbol(c, f) };
	*slot_of(c, text.p) = number;
	buf_str(&c->text, text);
	line[1].text = (uint32_t)c->text.len;
	if (frames->n > 0)
		c->line[frames->line[frames->n - 1]].next = number;
	push(frames, number, line->token[flavour]);
}

typedef uint64_t pair __attribute__((vector_size(16)));

static inline bool
differs(const char *a, const char *b)
{
	pair v, w;

	memcpy(&v, a, sizeof(v));
	memcpy(&w, b, sizeof(w));
	v ^= w;
	return (v[0] | v[1]) != 0;
}

/* How many bytes are equal at a and b, of n; in steps that may be short. */
static inline size_t
common_length(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	uint64_t v, w;

	while (i + 16 <= n && !differs(a + i, b + i))
		i += 16;
	while (i + 8 <= n) {
		memcpy(&v, a + i, sizeof(v));
		memcpy(&w, b + i, sizeof(w));
		if (v != w)
			return i + (size_t)__builtin_ctzll(v ^ w) / 8;
		i += 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/*
 * Take lines that stand at p as they stand in the cache from a line on;
 * returns how many.
 */
static size_t
take_run(struct framecache *c, struct cached_frames *frames, int flavour,
	 uint32_t first, const char **p, const char *end)
{
	const struct cached_line *line = &c->line[first];
	uint32_t begin = line->text, stop;
	size_t rest = c->text.len - begin, room = (size_t)(end - *p), from;

	stop = begin + (uint32_t)common_length(c->text.p + begin, *p,
					       room < rest ? room : rest);
	from = frames->n;
	while (line[1].text <= stop && line[1].text > begin &&
	       (size_t)(line - c->line) < c->n) {
		push(frames, (uint32_t)(line - c->line), line->token[flavour]);
		line++;
	}
	*p += line->text - begin;
	return frames->n - from;
}

const char *
framecache_take(struct framecache *c, struct cached_frames *frames,
		int flavour, const char *p, const char *end)
{
	uint32_t last = frames->n > 0 ? frames->line[frames->n - 1] : 0, next;

	while (p < end && (*p == '\t' || *p == ' ')) {
		next = c->line[last].next;
		if (next == 0 ||
		    take_run(c, frames, flavour, next, &p, end) == 0) {
			next = *slot_of(c, p);
			if (next == 0 || take_run(c, frames, flavour, next, &p,
						  end) == 0)
				break;
			c->line[last].next = next;
		}
		last = frames->line[frames->n - 1];
	}
	return p;
}
