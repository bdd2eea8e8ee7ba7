/* perftext.c - samples out of perf script text. */
#include "perftext.h"

#include "arena.h"
#include "event.h"
#include "hash.h"
#include "mem.h"

#include <stdlib.h>

/*
 * A profile repeats a few ten thousand lines millions of times.  So a line is
 * understood once and kept, with the line that followed it.  Mostly the same
 * follows again: one comparison with its text then says at once where the
 * next line ends and what it means.  Where another follows, a table indexed by
 * the line's first bytes knows it.
 */
#define LINE_BITS 17
#define LINE_BYTES (16u << 20) /* of lines, then the table starts anew */
#define HEAD_BITS 8

/* A head whose time differs from sample to sample, and perhaps its period. */
struct head_slot {
	struct buf text;
	struct perfline_head head;
	size_t time_at, time_len; /* in text */
	size_t period_at, period_len;
};

struct symbol_slot {
	uint32_t hash;
	struct perftext_symbol *symbol;
};

struct rate {
	struct str event;
	uint64_t hz;
};

struct perftext {
	bool with_source;
	struct perftext_frame **line;
	struct head_slot *head;
	struct symbol_slot *symbols;
	size_t nsymbols, symbol_mask;
	struct arena line_text, symbol_text;

	struct str block; /* what is left of it */
	bool has_head;    /* a sample has begun */
	struct perfline_head next;
	struct buf next_text; /* its bytes, where they are not in a slot */
	struct perftext_frame **frame;
	uint32_t *token;
	size_t n, frame_cap, token_cap;
	uint32_t largest; /* of the tokens: whether one is missing */
	int flavour;

	struct rate *rate;
	size_t nrate, rate_cap;
};

struct perftext *
perftext_new(bool with_source)
{
	struct perftext *t = mem_zero(1, sizeof(*t));

	t->with_source = with_source;
	t->line = mem_zero((size_t)1 << LINE_BITS, sizeof(struct perftext_frame *));
	t->head = mem_zero((size_t)1 << HEAD_BITS, sizeof(*t->head));
	t->symbol_mask = 4095;
	t->symbols = mem_zero(t->symbol_mask + 1, sizeof(*t->symbols));
	return t;
}

void
perftext_free(struct perftext *t)
{
	size_t i;

	for (i = 0; i < (size_t)1 << HEAD_BITS; i++)
		buf_free(&t->head[i].text);
	free(t->head);
	free(t->line);
	free(t->symbols);
	arena_free(&t->line_text);
	arena_free(&t->symbol_text);
	buf_free(&t->next_text);
	free(t->frame);
	free(t->token);
	free(t->rate);
	free(t);
}

/* Symbols. */

static void
grow_symbols(struct perftext *t)
{
	struct symbol_slot *old = t->symbols;
	size_t i, j, n = t->symbol_mask + 1;

	t->symbol_mask = 2 * n - 1;
	t->symbols = mem_zero(2 * n, sizeof(*t->symbols));
	for (i = 0; i < n; i++) {
		if (old[i].symbol == NULL)
			continue;
		for (j = old[i].hash & t->symbol_mask;
		     t->symbols[j].symbol != NULL;)
			j = (j + 1) & t->symbol_mask;
		t->symbols[j] = old[i];
	}
	free(old);
}

static struct perftext_symbol *
find_symbol(struct perftext *t, const struct perfline_frame *f)
{
	uint64_t hash64 = hash_bytes(f->name.p, f->name.len) * 31 +
			  hash_bytes(f->module.p, f->module.len);
	uint32_t hash = (uint32_t)(hash64 >> 32);
	struct symbol_slot *slot;
	struct perftext_symbol *s;
	size_t i;

	for (i = hash & t->symbol_mask;; i = (i + 1) & t->symbol_mask) {
		slot = &t->symbols[i];
		if (slot->symbol == NULL)
			break;
		if (slot->hash == hash &&
		    str_eq(slot->symbol->name, f->name) &&
		    str_eq(slot->symbol->module, f->module))
			return slot->symbol;
	}
	s = arena_alloc(&t->symbol_text, sizeof(*s));
	*s = (struct perftext_symbol){
		.name = arena_str(&t->symbol_text, f->name),
		.module = arena_str(&t->symbol_text, f->module),
		.kind = f->kind,
		.token = { PERFTEXT_NO_TOKEN, PERFTEXT_NO_TOKEN }
	};
	*slot = (struct symbol_slot){ hash, s };
	if (2 * ++t->nsymbols > t->symbol_mask)
		grow_symbols(t);
	return s;
}

/* Frame lines. */

/*
 * The slot of a frame line: by the low digits of its address and by what
 * follows, in the columns perf prints.  Elsewhere it is as good as any.
 */
static size_t
line_index(const char *p)
{
	uint64_t addr, name;

	memcpy(&addr, p + 9, sizeof(addr));
	memcpy(&name, p + 17, sizeof(name));
	return (addr ^ name * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu >>
	       (64 - LINE_BITS);
}

typedef uint64_t pair __attribute__((vector_size(16)));

static inline pair
load(const char *p)
{
	pair v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Whether the n bytes at a and b are equal, n from 16 to 128: eight loads
 * that overlap as they must, so that no branch depends on n.
 */
static inline bool
is_equal(const char *a, const char *b, size_t n)
{
	pair differ = { 0, 0 };
	size_t i, at, last = n - 16;

	for (i = 0; i < 8; i++) {
		at = 16 * i < last ? 16 * i : last;
		differ |= load(a + at) ^ load(b + at);
	}
	return (differ[0] | differ[1]) == 0;
}

/* Whether the block, from p to end, begins with the line f. */
static inline bool
is_line(const struct perftext_frame *f, const char *p, const char *end)
{
	if (f == NULL || f->len > (size_t)(end - p))
		return false;
	if (f->len - 16 <= 128 - 16)
		return is_equal(f->text, p, f->len);
	return memcmp(f->text, p, f->len) == 0;
}

static void
make_room(struct perftext *t)
{
	t->frame = mem_grow(t->frame, &t->frame_cap, t->n + 1,
			    sizeof(struct perftext_frame *));
	t->token = mem_grow(t->token, &t->token_cap, t->n + 1,
			    sizeof(*t->token));
}

static inline void
push(struct perftext *t, struct perftext_frame *f)
{
	uint32_t token = f->token[t->flavour];

	if (t->n == t->token_cap || t->n == t->frame_cap)
		make_room(t);
	t->frame[t->n] = f;
	t->token[t->n++] = token;
	t->largest = token > t->largest ? token : t->largest;
}

static struct perftext_frame *
new_frame(struct perftext *t, const struct perfline_frame *f, struct str text)
{
	struct perftext_frame *new;

	new = arena_alloc(&t->line_text, sizeof(*new) + text.len);
	*new = (struct perftext_frame){
		.token = { PERFTEXT_NO_TOKEN, PERFTEXT_NO_TOKEN },
		.len = (uint32_t)text.len,
		.symbol = find_symbol(t, f),
		.addr = f->addr
	};
	if (text.len > 0)
		memcpy(new->text, text.p, text.len);
	return new;
}

/* Forget the lines, between two samples, when they take too much room. */
static void
limit_lines(struct perftext *t)
{
	if (t->line_text.size < LINE_BYTES)
		return;
	arena_free(&t->line_text);
	memset(t->line, 0, sizeof(struct perftext_frame *) << LINE_BITS);
}

/* The block's first line, without LF and CR. */
static struct str
first_line(const struct perftext *t)
{
	struct str line = t->block;

	line.len = (size_t)((const char *)memchr(line.p, '\n', line.len) -
			    line.p);
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

static void
skip_line(struct perftext *t)
{
	str_cut(&t->block, '\n');
}

/* The source line behind a frame, if there is one. */
static void
take_source(struct perftext *t, struct input *in, struct perftext_frame *f)
{
	struct perfline_frame frame;
	struct str line, source;

	if (t->block.len == 0 && !input_block(in, &t->block))
		return;
	line = first_line(t);
	if (perfline_frame(line, true, &frame) ||
	    !perfline_source(line, &source))
		return;
	if (!str_eq(source, STR("??:0")))
		f->source = arena_str(&t->line_text, source);
	in->line++;
	skip_line(t);
}

/* The frame of a line that was not seen before; NULL if it is none. */
static struct perftext_frame *
new_line(struct perftext *t, struct input *in)
{
	struct str line = first_line(t), text = t->block, source;
	struct perfline_frame frame;
	struct perftext_frame *f;

	if (!perfline_frame(line, t->with_source, &frame)) {
		if (!perfline_source(line, &source) || !t->has_head)
			input_bad(in, "no frame: %.*s",
				  (int)(line.len < 80 ? line.len : 80),
				  line.p);
		skip_line(t);
		return NULL;
	}
	if (!t->has_head)
		input_bad(in, "a frame outside of a sample");
	skip_line(t);
	text.len = (size_t)(t->block.p - text.p);
	if (!t->with_source && text.len <= UINT32_MAX)
		return new_frame(t, &frame, text);
	f = new_frame(t, &frame, STR(""));
	take_source(t, in, f);
	return f;
}

/* Take the frame lines at the start of the block. */
static void
take_frames(struct perftext *t, struct input *in)
{
	const char *p = t->block.p, *end = p + t->block.len;
	struct perftext_frame *f, *last = t->n > 0 ? t->frame[t->n - 1] : NULL;
	size_t index;

	while (p < end && (*p == '\t' || *p == ' ')) {
		in->line++;
		f = last == NULL ? NULL : last->next;
		if (!is_line(f, p, end)) {
			index = line_index(p);
			f = t->line[index];
			if (!is_line(f, p, end)) {
				t->block = str_range(p, end);
				f = new_line(t, in);
				p = t->block.p;
				end = p + t->block.len;
				if (f == NULL)
					continue;
				if (f->len > 0)
					t->line[index] = f;
				p -= f->len;
			}
			if (last != NULL && f->len > 0)
				last->next = f;
		}
		push(t, f);
		p += f->len;
		last = f;
	}
	t->block = str_range(p, end);
}

/* Heads. */

/* If the line has the bytes of the slot but for time and period, read these. */
static bool
match_head(const struct head_slot *s, struct str line, struct perfline_head *h)
{
	struct str text = buf_slice(&s->text), time, period;
	size_t time_end = s->time_at + s->time_len,
	       gap = s->period_at - time_end,
	       tail = text.len - s->period_at - s->period_len;
	const char *p = line.p + s->time_at + s->time_len;

	if (line.len < s->period_at + tail || s->time_len == 0 ||
	    memcmp(line.p, text.p, s->time_at) != 0 ||
	    memcmp(p, text.p + time_end, gap) != 0 ||
	    memcmp(line.p + line.len - tail, text.p + text.len - tail, tail) !=
		    0)
		return false;
	time = str_range(line.p + s->time_at, p);
	period = str_range(p + gap, line.p + line.len - tail);
	*h = s->head;
	return perfline_time(time, &h->time) &&
	       (s->period_len == 0 ? period.len == 0 :
				     str_u64(period, &h->period));
}

/* Keep the head in a slot, with slices into the slot's own copy. */
static void
keep_head(struct head_slot *s, struct str line, const struct perfline_head *h)
{
	const char *base;

	s->text.len = 0;
	buf_str(&s->text, line);
	base = s->text.p;
	s->head = *h;
	s->head.comm.p = base + (h->comm.p - line.p);
	s->head.event.p = base + (h->event.p - line.p);
	s->head.rest.p = base + (h->rest.p - line.p);
	s->time_at = (size_t)(h->time_text.p - line.p);
	s->time_len = h->time_text.len;
	s->period_at = (size_t)(h->period_text.p - line.p);
	s->period_len = h->period_text.len;
}

static bool
is_plain_head(const struct perfline_head *h)
{
	return h->has_time && h->rest.len == 0 && h->event.len > 0;
}

/* Read a head, from its slot if its like was there before. */
static bool
read_head(struct perftext *t, struct str line, struct perfline_head *h)
{
	uint64_t key[2];
	struct head_slot *slot;
	struct perfline_head copy;

	memcpy(key, line.p, sizeof(key));
	slot = &t->head[(key[0] ^ key[1] * 0x9e3779b97f4a7c15u) *
				0xff51afd7ed558ccdu >>
			(64 - HEAD_BITS)];
	if (match_head(slot, line, h))
		return true;
	if (!perfline_head(line, h))
		return false;
	if (is_plain_head(h)) {
		keep_head(slot, line, h);
		*h = slot->head;
		return true;
	}
	t->next_text.len = 0;
	buf_str(&t->next_text, line);
	copy = *h;
	h->comm.p = t->next_text.p + (copy.comm.p - line.p);
	h->event.p = t->next_text.p + (copy.event.p - line.p);
	h->rest.p = t->next_text.p + (copy.rest.p - line.p);
	return true;
}

/* A sample of one line, "... event: addr name (module)". */
static void
take_rest(struct perftext *t)
{
	struct perfline_frame frame;

	if (t->next.rest.len > 0 &&
	    perfline_frame(t->next.rest, true, &frame))
		push(t, new_frame(t, &frame, STR("")));
}

/* "# event : name = cycles, ... { sample_period, sample_freq } = 99, ..." */
static void
take_rate(struct perftext *t, struct str line)
{
	struct str field, rest = str_skip(line, strlen("# event : name = "));
	struct str event = str_cut(&rest, ',');
	const char *p = str_search(rest, STR("sample_freq"));
	uint64_t hz;

	if (p == NULL || str_search(rest, STR("freq = 1")) == NULL)
		return;
	field = str_range(p, rest.p + rest.len);
	str_cut(&field, '=');
	if (!str_u64(str_trim(str_cut(&field, ',')), &hz))
		return;
	t->rate = mem_grow(t->rate, &t->rate_cap, t->nrate + 1,
			   sizeof(*t->rate));
	t->rate[t->nrate++] =
		(struct rate){ arena_str(&t->symbol_text, event), hz };
}

uint64_t
perftext_hz(const struct perftext *t, struct str event)
{
	size_t i;

	for (i = 0; i < t->nrate; i++) {
		if (event_same(t->rate[i].event, event))
			return t->rate[i].hz;
	}
	return 0;
}

/* A line that begins a sample, or is none of ours. */
static void
take_head(struct perftext *t, struct input *in, struct str line)
{
	in->line++;
	if (str_starts(line, STR("#"))) {
		if (str_starts(line, STR("# event : name = ")))
			take_rate(t, line);
	} else if (!read_head(t, line, &t->next)) {
		input_bad(in, "no perf script text: %.*s",
			  (int)(line.len < 80 ? line.len : 80), line.p);
	} else if (!str_starts(t->next.rest, STR("PERF_RECORD_")) &&
		   !str_starts(t->next.event, STR("PERF_RECORD_"))) {
		t->has_head = true;
		t->flavour = str_starts(t->next.comm, STR("java"));
		take_rest(t);
	}
	skip_line(t);
}

/*
 * Whether a sample is complete at this line: at a blank line, which is taken,
 * or at the head of the next, which is left.
 */
static bool
ends_sample(struct perftext *t, struct input *in)
{
	bool had_head = t->has_head;
	struct str line = first_line(t);

	if (line.len == 0) {
		in->line++;
		skip_line(t);
		t->has_head = false;
		return had_head;
	}
	if (!had_head || *line.p == '#') {
		take_head(t, in, line);
		return false;
	}
	t->has_head = false;
	return true;
}

static void
begin(struct perftext *t)
{
	limit_lines(t);
	t->n = 0;
	t->largest = 0;
}

static bool
deliver(struct perftext *t, struct perftext_sample *sample)
{
	*sample = (struct perftext_sample){
		.head = t->next,
		.flavour = t->flavour,
		.n = t->n,
		.frame = t->frame,
		.token = t->token,
		.complete = t->largest != PERFTEXT_NO_TOKEN
	};
	return true;
}

bool
perftext_read(struct perftext *t, struct input *in,
	      struct perftext_sample *sample)
{
	bool had_head;

	begin(t);
	for (;;) {
		if (t->block.len == 0 && !input_block(in, &t->block))
			break;
		take_frames(t, in);
		if (t->block.len > 0 && ends_sample(t, in))
			return deliver(t, sample);
		if (!t->has_head)
			t->n = 0;
	}
	had_head = t->has_head;
	t->has_head = false;
	t->block = (struct str){ NULL, 0 };
	return had_head && deliver(t, sample);
}
