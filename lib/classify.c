/* classify.c - the frames of stacks with their classes' suffixes. */
#include "classify.h"

#include "buf.h"
#include "folded.h"
#include "mem.h"
#include "palread.h"
#include "utf8.h"

#include <stdlib.h>

#define UNKNOWN UINT32_MAX
#define SUFFIX_LENGTH 4

/* A rule that takes a frame where it stands as the rule asks. */
struct candidate {
	uint32_t rule;
	uint32_t out; /* the frame then, UNKNOWN until asked for */
};

/* A frame, by its number in the table of those read. */
struct known {
	uint32_t rule; /* the first that asks nothing of other frames */
	uint32_t out;  /* the frame then, UNKNOWN until asked for */
	uint32_t candidate, ncandidates; /* before that rule */
	char mark; /* the suffix of that rule's class, 0 for none */
};

/*
 * How to write a frame, in a byte, so that those of all frames fit the first
 * cache: as it was read, if 0; with the suffix that it is; or in another way.
 */
#define OTHERWISE 1
#define HAS_FACTS 0x80 /* and it has facts */

struct classify {
	struct palette *palette;
	const struct palfile *file;
	struct intern *in, *out;
	struct known *known;
	unsigned char *way;
	size_t n, known_cap, way_cap;
	struct candidate *candidate;
	size_t ncandidates, candidate_cap;
	bool asks_around; /* a rule asks about other frames */

	/* Facts, a bit each: of each frame, and of all frames above one. */
	uint64_t *fact, *under;
	size_t words, fact_cap;
	struct buf clean, text;
	uint32_t *around; /* of the stack that is being written */
	size_t around_cap;
};

struct classify *
classify_new(struct palette *p, struct intern *in, struct intern *out)
{
	struct classify *c = mem_zero(1, sizeof(*c));

	c->palette = p;
	c->file = palette_file(p);
	c->in = in;
	c->out = out;
	c->words = (c->file->nfact + 63) / 64;
	c->under = mem_zero(c->words, sizeof(*c->under));
	c->asks_around = c->file->nfact > 0;
	return c;
}

void
classify_free(struct classify *c)
{
	if (c == NULL)
		return;
	free(c->known);
	free(c->way);
	free(c->candidate);
	free(c->fact);
	free(c->under);
	free(c->around);
	buf_free(&c->clean);
	buf_free(&c->text);
	free(c);
}

/* The suffix that a frame gets if a rule takes it, 0 for none. */
static char
suffix_of_rule(const struct classify *c, struct str frame, size_t rule)
{
	const struct palfile *f = c->file;
	char own;

	frame_name(frame, &own);
	if (own != 0 || rule == f->nrule || frame.len == 0)
		return 0;
	return f->class[f->rule[rule].class].suffix;
}

/* The frame as it is written with a suffix, or without for 0. */
static uint32_t
marked(struct classify *c, struct str frame, char suffix)
{
	if (suffix == 0)
		return intern_id(c->out, frame);
	c->text.len = 0;
	buf_str(&c->text, frame);
	buf_printf(&c->text, "_[%c]", suffix);
	return intern_id(c->out, buf_slice(&c->text));
}

/* The frame of a number, clean and renamed, valid until the next call. */
static struct str
written(struct classify *c, uint32_t id)
{
	struct str frame = intern_name(c->in, id);

	if (!utf8_isclean(frame)) {
		c->clean.len = 0;
		utf8_escape(&c->clean, frame);
		frame = buf_slice(&c->clean);
	}
	return palette_rename(c->palette, frame);
}

/* Find the rules before the frame's own that may take it. */
static void
find_candidates(struct classify *c, struct known *k, struct str name,
		char suffix)
{
	const struct palrule *r = c->file->rule;
	uint32_t i;

	k->candidate = (uint32_t)c->ncandidates;
	for (i = 0; i < k->rule; i++) {
		if (r[i].ncontext == 0 || !palette_matches(&r[i], name, suffix))
			continue;
		c->candidate = mem_grow(c->candidate, &c->candidate_cap,
					c->ncandidates + 1,
					sizeof(*c->candidate));
		c->candidate[c->ncandidates++] = (struct candidate){ i,
								     UNKNOWN };
		k->ncandidates++;
	}
}

static bool
is_fact(const struct classify *c, const struct palfact *f,
	const struct known *k, struct str name)
{
	if (f->regex != NULL)
		return regex_find(f->regex, name, 0);
	return k->rule < c->file->nrule &&
	       c->file->rule[k->rule].class == f->class;
}

static bool
find_facts(struct classify *c, uint32_t id, const struct known *k,
	   struct str name)
{
	uint64_t *word;
	bool has = false;
	size_t i;

	c->fact = mem_grow(c->fact, &c->fact_cap, (id + (size_t)1) * c->words,
			   sizeof(*c->fact));
	word = c->fact + id * c->words;
	memset(word, 0, c->words * sizeof(*word));
	for (i = 0; i < c->file->nfact; i++) {
		if (!is_fact(c, &c->file->fact[i], k, name))
			continue;
		word[i / 64] |= (uint64_t)1 << i % 64;
		has = true;
	}
	return has;
}

/* Find out what a frame is by itself. */
static void
learn(struct classify *c, uint32_t id)
{
	struct known k = { 0 };
	struct str frame = written(c, id), name;
	char suffix;
	unsigned char way;

	name = frame_name(frame, &suffix);
	k.rule = (uint32_t)palette_rule(c->palette, name, suffix);
	k.mark = suffix_of_rule(c, frame, k.rule);
	k.out = UNKNOWN;
	way = (unsigned char)k.mark;
	if (!str_eq(frame, intern_name(c->in, id))) {
		k.out = marked(c, frame, k.mark);
		way = OTHERWISE;
	}
	if (c->asks_around) {
		find_candidates(c, &k, name, suffix);
		if (find_facts(c, id, &k, name))
			way |= HAS_FACTS;
	}
	c->known = mem_grow(c->known, &c->known_cap, (size_t)id + 1,
			    sizeof(*c->known));
	c->way = mem_grow(c->way, &c->way_cap, (size_t)id + 1, 1);
	c->known[id] = k;
	c->way[id] = way;
	c->n = (size_t)id + 1;
}

static bool
has_fact(const uint64_t *word, size_t fact)
{
	return word[fact / 64] >> fact % 64 & 1;
}

/* Whether all that a rule asks around frame i of a stack is so. */
static bool
holds(const struct classify *c, const struct palrule *r, const uint32_t *id,
      size_t n, size_t i)
{
	const struct palcontext *x = r->context, *end = x + r->ncontext;
	const uint64_t *word;

	for (; x < end; x++) {
		if (x->where == PAL_UNDER)
			word = c->under;
		else if (x->where == PAL_CALLER && i > 0)
			word = c->fact + id[i - 1] * c->words;
		else if (x->where == PAL_CALLEE && i + 1 < n)
			word = c->fact + id[i + 1] * c->words;
		else
			return false;
		if (!has_fact(word, x->fact))
			return false;
	}
	return true;
}

/* The frame as learn() found it, without the suffix of a class. */
static struct str
unmarked(const struct classify *c, uint32_t id)
{
	const struct known *k = &c->known[id];
	struct str frame;

	if ((c->way[id] & ~HAS_FACTS) != OTHERWISE)
		return intern_name(c->in, id);
	frame = intern_name(c->out, k->out);
	frame.len -= k->mark == 0 ? 0 : SUFFIX_LENGTH;
	return frame;
}

/* The frame as it is by itself. */
static uint32_t
out_alone(struct classify *c, uint32_t id)
{
	struct known *k = &c->known[id];

	if (k->out == UNKNOWN)
		k->out = marked(c, unmarked(c, id), k->mark);
	return k->out;
}

/* The rule that takes frame i of a stack; *out is the frame then. */
static uint32_t
take(struct classify *c, const uint32_t *id, size_t n, size_t i, uint32_t *out)
{
	const struct known *k = &c->known[id[i]];
	struct candidate *x;
	struct str frame;
	uint32_t j;

	for (j = 0; j < k->ncandidates; j++) {
		x = &c->candidate[k->candidate + j];
		if (!holds(c, &c->file->rule[x->rule], id, n, i))
			continue;
		if (x->out == UNKNOWN) {
			frame = unmarked(c, id[i]);
			x->out = marked(c, frame,
					suffix_of_rule(c, frame, x->rule));
		}
		*out = x->out;
		return x->rule;
	}
	*out = out_alone(c, id[i]);
	return k->rule;
}

static void
look_around(struct classify *c, const uint32_t *id, size_t n, uint32_t *out,
	    uint32_t *rule)
{
	uint32_t taker;
	size_t i, w;

	memset(c->under, 0, c->words * sizeof(*c->under));
	for (i = 0; i < n; i++) {
		taker = take(c, id, n, i, &out[i]);
		if (rule != NULL)
			rule[i] = taker;
		for (w = 0; w < c->words; w++)
			c->under[w] |= c->fact[id[i] * c->words + w];
	}
}

/* Know all frames there are. */
static void
learn_all(struct classify *c)
{
	while (c->n < intern_size(c->in))
		learn(c, (uint32_t)c->n);
}

/* Whether a frame has a fact; without, no rule that asks for one can hold. */
static bool
has_facts(const struct classify *c, const uint32_t *id, size_t n)
{
	unsigned char any = 0;
	size_t i;

	for (i = 0; i < n; i++)
		any |= c->way[id[i]];
	return (any & HAS_FACTS) != 0;
}

void
classify_stack(struct classify *c, const uint32_t *id, size_t n, uint32_t *out,
	       uint32_t *rule)
{
	size_t i;

	learn_all(c);
	if (has_facts(c, id, n)) {
		look_around(c, id, n, out, rule);
		return;
	}
	for (i = 0; i < n; i++)
		out[i] = out_alone(c, id[i]);
	for (i = 0; rule != NULL && i < n; i++)
		rule[i] = c->known[id[i]].rule;
}

static void
write_frames(struct classify *c, const struct stack *s, struct buf *text)
{
	size_t i;

	c->around = mem_grow(c->around, &c->around_cap, s->n,
			     sizeof(*c->around));
	look_around(c, s->id, s->n, c->around, NULL);
	for (i = 0; i < s->n; i++) {
		if (i > 0)
			buf_char(text, ';');
		buf_str(text, intern_name(c->out, c->around[i]));
	}
}

void
classify_text(struct classify *c, const struct stack *s, struct buf *text)
{
	const char *stack = s->text.p, *from = stack; /* not yet written */
	size_t i, begin = 0;

	learn_all(c);
	if (has_facts(c, s->id, s->n)) {
		write_frames(c, s, text);
		return;
	}
	for (i = 0; i < s->n; begin = s->end[i++] + 1) {
		unsigned char way = c->way[s->id[i]];

		if (way == 0)
			continue;
		if (way == OTHERWISE) {
			buf_str(text, str_range(from, stack + begin));
			buf_str(text,
				intern_name(c->out, c->known[s->id[i]].out));
		} else {
			buf_str(text, str_range(from, stack + s->end[i]));
			buf_add(text, (char[]){ '_', '[', (char)way, ']' },
				SUFFIX_LENGTH);
		}
		from = stack + s->end[i];
	}
	buf_str(text, str_range(from, stack + s->text.len));
}
