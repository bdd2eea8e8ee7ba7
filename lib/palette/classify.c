/* classify.c - rename frames and append the suffixes of their classes. */
#include "palette/classify.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "folded/folded.h"
#include "palette/palfile.h"

#include <stdlib.h>

#define UNKNOWN UINT32_MAX
#define SUFFIX_LENGTH 4

/* A rule that matches a frame if the frames around it meet its conditions. */
struct candidate_rule {
	uint32_t rule;
	uint32_t out; /* the frame to write then, or UNKNOWN */
};

/* A frame, by its number in the table of frames read. */
struct classified_frame {
	uint32_t rule; /* the first matching rule without conditions */
	uint32_t out;  /* the frame to write then, or UNKNOWN */
	uint32_t candidate, ncandidates; /* rules before that one */
	char mark; /* the suffix of that rule's class, 0 for none */
};

/*
 * How to write a frame, as a byte, so that the bytes of all frames fit the
 * first cache: 0 as read, CHANGED as in classified_frame.out, else as read with
 * this suffix.
 */
#define CHANGED 1
#define HAS_FACTS 0x80 /* flag: a rule has conditions that it meets */

struct classify {
	struct palette *palette;
	const struct palfile *file;
	struct intern *in, *out;
	struct classified_frame *frame;
	unsigned char *form;
	size_t n, frame_cap, form_cap;
	struct candidate_rule *candidate;
	size_t ncandidates, candidate_cap;
	bool has_conditions; /* a rule has conditions on other frames */

	/* A bit for each fact: of each frame, and of all frames above one. */
	uint64_t *fact, *under;
	size_t words, fact_cap;
	struct buf escaped, text;
	uint32_t *stack; /* the stack to write */
	size_t stack_cap;
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
	c->has_conditions = c->file->nfact > 0;
	return c;
}

void
classify_free(struct classify *c)
{
	if (c == NULL)
		return;
	free(c->frame);
	free(c->form);
	free(c->candidate);
	free(c->fact);
	free(c->under);
	free(c->stack);
	buf_free(&c->escaped);
	buf_free(&c->text);
	free(c);
}

/* The suffix to append to a frame if a rule matches it, 0 for none. */
static char
rule_suffix(const struct classify *c, struct str frame, size_t rule)
{
	const struct palfile *f = c->file;
	char own;

	folded_frame_name(frame, &own);
	if (own != 0 || rule == f->nrule || frame.len == 0)
		return 0;
	return f->class[f->rule[rule].class].suffix;
}

/* Add a frame to the table of frames to write, with a suffix unless it is 0. */
static uint32_t
add_out(struct classify *c, struct str frame, char suffix)
{
	if (suffix == 0)
		return intern_id(c->out, frame);
	c->text.len = 0;
	buf_str(&c->text, frame);
	buf_printf(&c->text, "_[%c]", suffix);
	return intern_id(c->out, buf_slice(&c->text));
}

/* A frame, escaped and renamed; valid until the next call. */
static struct str
renamed(struct classify *c, uint32_t id)
{
	struct str frame = intern_name(c->in, id);

	if (!utf8_isclean(frame)) {
		c->escaped.len = 0;
		utf8_escape(&c->escaped, frame);
		frame = buf_slice(&c->escaped);
	}
	return palette_rename(c->palette, frame);
}

/* Find the rules before k->rule that match but for their conditions. */
static void
find_candidates(struct classify *c, struct classified_frame *k, struct str name,
		char suffix)
{
	const struct palfile_rule *r = c->file->rule;
	uint32_t i;

	k->candidate = (uint32_t)c->ncandidates;
	for (i = 0; i < k->rule; i++) {
		if (r[i].ncontext == 0 || !palette_matches(&r[i], name, suffix))
			continue;
		c->candidate = mem_grow(c->candidate, &c->candidate_cap,
					c->ncandidates + 1,
					sizeof(*c->candidate));
		c->candidate[c->ncandidates++] =
		    (struct candidate_rule){ i, UNKNOWN };
		k->ncandidates++;
	}
}

/* Whether a frame meets a condition. */
static bool
has_fact(const struct classify *c, const struct palfile_fact *f,
	 const struct classified_frame *k, struct str name)
{
	if (f->regex != NULL)
		return regex_find(f->regex, name, 0);
	return k->rule < c->file->nrule &&
	       c->file->rule[k->rule].class == f->class;
}

static bool
find_facts(struct classify *c, uint32_t id, const struct classified_frame *k,
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
		if (!has_fact(c, &c->file->fact[i], k, name))
			continue;
		word[i / 64] |= (uint64_t)1 << i % 64;
		has = true;
	}
	return has;
}

/* Compute what depends only on a frame itself. */
static void
classify_frame(struct classify *c, uint32_t id)
{
	struct classified_frame k = { 0 };
	struct str frame = renamed(c, id), name;
	char suffix;
	unsigned char form;

	name = folded_frame_name(frame, &suffix);
	k.rule = (uint32_t)palette_rule(c->palette, name, suffix);
	k.mark = rule_suffix(c, frame, k.rule);
	k.out = UNKNOWN;
	form = (unsigned char)k.mark;
	if (!str_eq(frame, intern_name(c->in, id))) {
		k.out = add_out(c, frame, k.mark);
		form = CHANGED;
	}
	if (c->has_conditions) {
		find_candidates(c, &k, name, suffix);
		if (find_facts(c, id, &k, name))
			form |= HAS_FACTS;
	}
	c->frame = mem_grow(c->frame, &c->frame_cap, (size_t)id + 1,
			    sizeof(*c->frame));
	c->form = mem_grow(c->form, &c->form_cap, (size_t)id + 1, 1);
	c->frame[id] = k;
	c->form[id] = form;
	c->n = (size_t)id + 1;
}

static bool
fact_is_set(const uint64_t *word, size_t fact)
{
	return word[fact / 64] >> fact % 64 & 1;
}

/* Whether the frames around frame i meet all conditions of a rule. */
static bool
meets_conditions(const struct classify *c, const struct palfile_rule *r,
		 const uint32_t *id, size_t n, size_t i)
{
	const struct palfile_context *x = r->context, *end = x + r->ncontext;
	const uint64_t *word;

	for (; x < end; x++) {
		if (x->where == PALFILE_UNDER)
			word = c->under;
		else if (x->where == PALFILE_CALLER && i > 0)
			word = c->fact + id[i - 1] * c->words;
		else if (x->where == PALFILE_CALLEE && i + 1 < n)
			word = c->fact + id[i + 1] * c->words;
		else
			return false;
		if (!fact_is_set(word, x->fact))
			return false;
	}
	return true;
}

/* The frame to write without the suffix of a class. */
static struct str
without_mark(const struct classify *c, uint32_t id)
{
	const struct classified_frame *k = &c->frame[id];
	struct str frame;

	if ((c->form[id] & ~HAS_FACTS) != CHANGED)
		return intern_name(c->in, id);
	frame = intern_name(c->out, k->out);
	frame.len -= k->mark == 0 ? 0 : SUFFIX_LENGTH;
	return frame;
}

/* The frame to write if no rule with conditions matches. */
static uint32_t
out_by_itself(struct classify *c, uint32_t id)
{
	struct classified_frame *k = &c->frame[id];

	if (k->out == UNKNOWN)
		k->out = add_out(c, without_mark(c, id), k->mark);
	return k->out;
}

/* The rule that matches frame i of a stack; *out is the frame to write. */
static uint32_t
match_frame(struct classify *c, const uint32_t *id, size_t n, size_t i,
	    uint32_t *out)
{
	const struct classified_frame *k = &c->frame[id[i]];
	struct candidate_rule *x;
	struct str frame;
	uint32_t j;

	for (j = 0; j < k->ncandidates; j++) {
		x = &c->candidate[k->candidate + j];
		if (!meets_conditions(c, &c->file->rule[x->rule], id, n, i))
			continue;
		if (x->out == UNKNOWN) {
			frame = without_mark(c, id[i]);
			x->out = add_out(c, frame,
					 rule_suffix(c, frame, x->rule));
		}
		*out = x->out;
		return x->rule;
	}
	*out = out_by_itself(c, id[i]);
	return k->rule;
}

static void
match_stack(struct classify *c, const uint32_t *id, size_t n, uint32_t *out,
	    uint32_t *rule)
{
	uint32_t matched;
	size_t i, w;

	memset(c->under, 0, c->words * sizeof(*c->under));
	for (i = 0; i < n; i++) {
		matched = match_frame(c, id, n, i, &out[i]);
		if (rule != NULL)
			rule[i] = matched;
		for (w = 0; w < c->words; w++)
			c->under[w] |= c->fact[id[i] * c->words + w];
	}
}

/* Classify the frames that are new in the table. */
static void
classify_new_frames(struct classify *c)
{
	while (c->n < intern_size(c->in))
		classify_frame(c, (uint32_t)c->n);
}

/* Whether a frame has a fact.  If none has, no rule with conditions matches. */
static bool
has_facts(const struct classify *c, const uint32_t *id, size_t n)
{
	unsigned char any = 0;
	size_t i;

	for (i = 0; i < n; i++)
		any |= c->form[id[i]];
	return (any & HAS_FACTS) != 0;
}

void
classify_stack(struct classify *c, const uint32_t *id, size_t n, uint32_t *out,
	       uint32_t *rule)
{
	size_t i;

	classify_new_frames(c);
	if (has_facts(c, id, n)) {
		match_stack(c, id, n, out, rule);
		return;
	}
	for (i = 0; i < n; i++)
		out[i] = out_by_itself(c, id[i]);
	for (i = 0; rule != NULL && i < n; i++)
		rule[i] = c->frame[id[i]].rule;
}

static void
write_frames(struct classify *c, const struct stack *s, struct buf *text)
{
	size_t i;

	c->stack = mem_grow(c->stack, &c->stack_cap, s->n, sizeof(*c->stack));
	match_stack(c, s->id, s->n, c->stack, NULL);
	for (i = 0; i < s->n; i++) {
		if (i > 0)
			buf_char(text, ';');
		buf_str(text, intern_name(c->out, c->stack[i]));
	}
}

void
classify_text(struct classify *c, const struct stack *s, struct buf *text)
{
	const char *stack = s->text.p, *from = stack; /* not yet written */
	size_t i, begin = 0;

	classify_new_frames(c);
	if (has_facts(c, s->id, s->n)) {
		write_frames(c, s, text);
		return;
	}
	for (i = 0; i < s->n; begin = s->end[i++] + 1) {
		unsigned char form = c->form[s->id[i]];

		if (form == 0)
			continue;
		if (form == CHANGED) {
			buf_str(text, str_range(from, stack + begin));
			buf_str(text,
				intern_name(c->out, c->frame[s->id[i]].out));
		} else {
			buf_str(text, str_range(from, stack + s->end[i]));
			buf_add(text, (char[]){ '_', '[', (char)form, ']' },
				SUFFIX_LENGTH);
		}
		from = stack + s->end[i];
	}
	buf_str(text, str_range(from, stack + s->text.len));
}
