/* tokens.c - turns frames of a trace into names of folded text. */
#include "reader/tokens.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "folded/folded.h"
#include "folded/name.h"
#include "folded/script_name.h"

#include <err.h>
#include <stdlib.h>

/* The bits of a token. */
#define SEQUENCE 0x80000000u /* the number is of a sequence, not of a name */
#define NAMELESS 0x40000000u /* the frame has no name of its own */
#define NUMBER 0x3fffffffu

struct token_sequence {
	size_t start, n; /* in parts, root first */
};

struct tokens {
	struct token_options opt;
	struct intern *names;
	struct ids parts; /* names of all sequences */
	struct token_sequence *sequence;
	size_t n, cap;
	struct buf text; /* scratch */
};

void
tokens_push(struct ids *ids, uint32_t id)
{
	if (ids->n == ids->cap)
		ids->id = mem_grow(ids->id, &ids->cap, ids->n + 1, sizeof(id));
	ids->id[ids->n++] = id;
}

struct tokens *
tokens_new(struct intern *names, const struct token_options *options)
{
	struct tokens *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->opt = *options;
	return t;
}

void
tokens_free(struct tokens *t)
{
	free(t->parts.id);
	free(t->sequence);
	buf_free(&t->text);
	free(t);
}

/* The mark of a frame by the options, or 0. */
static char
suffix(const struct token_options *opt, enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
		return 0;
	case FRAME_KERNEL:
		return opt->kernel ? 'k' : 0;
	case FRAME_JIT:
		return opt->jit ? 'j' : 0;
	case FRAME_INTERP:
		return opt->jit ? '0' : 0;
	case FRAME_LOWJIT:
		return opt->jit ? '1' : 0;
	case FRAME_INLINE:
		return 'i';
	case FRAME_WAKER:
		return 'w';
	}
	return 0;
}

/* Code that only leads to the interpreter is not compiled. */
static enum frame_kind
kind_of(const struct frame *frame)
{
	struct str name, file;

	return frame->kind == FRAME_JIT &&
		       script_name_split(frame->name, &name, &file) ?
		   FRAME_INTERP :
		   frame->kind;
}

static bool
is_missing(struct str name)
{
	return name.len == 0 || str_eq(name, STR("[unknown]"));
}

/* Write the frame's text into t->text, without a mark.  False if nameless. */
static bool
print_name(struct tokens *t, const struct frame *frame, struct str name,
	   int flavour)
{
	int flags = (t->opt.args || frame->whole ? NAME_ARGS : 0) |
		    (flavour == 1 ? NAME_JAVA : 0);
	struct str module = frame->module;

	t->text.len = 0;
	if (!is_missing(name))
		name_clean(&t->text, name, flags);
	if (t->text.len > 0)
		return true;
	module = is_missing(module) ? STR("") : name_module(module);
	name_missing(&t->text, module,
		     t->opt.addrs && frame->has_addr ? &frame->addr : NULL);
	return false;
}

/* The token of one name of a frame, with a mark if it is not 0. */
static uint32_t
make_one(struct tokens *t, const struct frame *frame, struct str name,
	 int flavour, char mark)
{
	bool named = print_name(t, frame, name, flavour);
	char old;

	/* A mark that the name has already moves to the end again. */
	t->text.len = folded_frame_name(buf_slice(&t->text), &old).len;
	if (frame->version > 1)
		buf_printf(&t->text, "#%u", frame->version);
	if (frame->line.len > 0) {
		buf_char(&t->text, ':');
		utf8_escape(&t->text, frame->line);
	}
	if (old != 0 || mark != 0)
		buf_printf(&t->text, "_[%c]", old != 0 ? old : mark);
	return (named ? 0 : NAMELESS) |
	       intern_id(t->names, buf_slice(&t->text));
}

/*
 * Cut *rest at the arrow that follows an inlining caller.  An arrow between
 * blanks belongs to a return type, and "operator->" is a name.
 */
static struct str
cut_arrow(struct str *rest)
{
	struct str s = *rest, head;
	const char *p, *from = s.p;

	for (;;) {
		p = str_search(str_range(from, s.p + s.len), STR("->"));
		if (p == NULL)
			break;
		head = str_range(s.p, p);
		if (head.len > 0 && p + 2 < s.p + s.len && p[-1] != ' ' &&
		    p[2] != ' ' && !str_ends(head, STR("operator"))) {
			*rest = str_range(p + 2, s.p + s.len);
			return head;
		}
		from = p + 2;
	}
	*rest = str_skip(s, s.len);
	return s;
}

/* Append the functions that are inlined into a frame to the parts. */
static void
add_inlined(struct tokens *t, const struct frame *frame, int flavour)
{
	struct frame f = { .kind = FRAME_INLINE };
	size_t i;

	for (i = 0; i < frame->inlines; i++) {
		f.line = frame->inlined[i].line;
		tokens_push(&t->parts, make_one(t, &f, frame->inlined[i].name,
						flavour, 'i') &
					   NUMBER);
	}
}

/* The token of a frame that stands for several, given that of the first. */
static uint32_t
make_sequence(struct tokens *t, const struct frame *frame, int flavour,
	      uint32_t first, struct str rest)
{
	struct token_sequence q = { t->parts.n, 0 };
	struct str name;

	tokens_push(&t->parts, first & NUMBER);
	while (rest.len > 0) {
		name = cut_arrow(&rest);
		tokens_push(&t->parts,
			    make_one(t, frame, name, flavour, 'i') & NUMBER);
	}
	add_inlined(t, frame, flavour);
	q.n = t->parts.n - q.start;
	if (t->n > NUMBER)
		errx(2, "more than %u inlined frames", NUMBER);
	t->sequence = mem_grow(t->sequence, &t->cap, t->n + 1, sizeof(q));
	t->sequence[t->n] = q;
	return SEQUENCE | (uint32_t)t->n++;
}

uint32_t
tokens_make(struct tokens *t, const struct frame *frame, int flavour)
{
	struct str rest = frame->name, name = rest;
	uint32_t token;

	if (frame->whole || rest.len == 0)
		rest.len = 0;
	else
		name = cut_arrow(&rest);
	token = make_one(t, frame, name, flavour,
			 suffix(&t->opt, kind_of(frame)));
	if (intern_size(t->names) > NUMBER)
		errx(2, "more than %u names", NUMBER);
	return rest.len == 0 && frame->inlines == 0 ?
		   token :
		   make_sequence(t, frame, flavour, token, rest);
}

static void
push_sequence(const struct tokens *t, struct ids *out, uint32_t number,
	      bool root_first)
{
	const struct token_sequence *q = &t->sequence[number];
	size_t i;

	for (i = 0; i < q->n; i++)
		tokens_push(
		    out,
		    t->parts.id[q->start + (root_first ? i : q->n - 1 - i)]);
}

bool
tokens_names(const struct tokens *t, struct ids *out, const uint32_t *token,
	     size_t n, bool root_first)
{
	uint32_t all = NAMELESS, any = 0, *to;
	size_t i;

	if (n == 0)
		return true;
	out->id = mem_grow(out->id, &out->cap, out->n + n, sizeof(*to));
	to = out->id + out->n;
	for (i = 0; i < n; i++) {
		all &= token[i];
		any |= token[i];
		to[i] = token[i] & NUMBER;
	}
	if ((any & SEQUENCE) == 0) {
		out->n += n;
		return all == NAMELESS;
	}
	for (i = 0; i < n; i++) {
		if ((token[i] & SEQUENCE) != 0)
			push_sequence(t, out, token[i] & NUMBER, root_first);
		else
			tokens_push(out, token[i] & NUMBER);
	}
	return all == NAMELESS;
}
