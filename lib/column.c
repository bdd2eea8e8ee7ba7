/* column.c - stacks as tracers print them: a frame a line. */
#include "column.h"

#include "mem.h"

#include <stdlib.h>

/* "17", "0x1f" */
static bool
is_number(struct str s)
{
	uint64_t n;

	return str_starts(s, STR("0x")) ? str_hex(str_skip(s, 2), &n) :
					  str_u64(s, &n);
}

/* The same, or with the size of the function behind it, "0x1f/0x30". */
static bool
is_offset(struct str s)
{
	bool has_size = str_find(s, '/') != NULL;

	return is_number(str_cut(&s, '/')) && (!has_size || is_number(s));
}

struct str
column_name(struct str s)
{
	const char *plus = s.len == 0 ? NULL : memrchr(s.p, '+', s.len);

	if (plus == NULL || plus == s.p ||
	    !is_offset(str_range(plus + 1, s.p + s.len)))
		return s;
	return str_range(s.p, plus);
}

void
column_frame(struct str s, struct frame *frame)
{
	if (str_starts(s, STR("0x")) && str_hex(str_skip(s, 2), &frame->addr)) {
		frame->has_addr = true;
		return;
	}
	frame->name = column_name(s);
}

struct column {
	uint32_t *token; /* of the stack, leaf first */
	size_t n, cap;
	bool after_blank; /* the line before was blank */
	bool is_alone;    /* it was a number, with a blank one before: */
	uint64_t alone;
};

static void
push(struct column *c, struct sink *out, const struct frame *frame)
{
	c->token = mem_grow(c->token, &c->cap, c->n + 1, sizeof(*c->token));
	c->token[c->n++] = sink_token(out, frame, 0);
}

static void
end_stack(struct column *c, struct sink *out, uint64_t count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (sink_begin(out, &sample)) {
		sink_push(out, c->token, c->n);
		sink_end(out, count_of(count));
	}
	c->n = 0;
}

/* A number between blank lines: of a stack that has no frames. */
static void
end_alone(struct column *c, struct sink *out)
{
	if (!c->is_alone)
		return;
	push(c, out, &(struct frame){ 0 });
	end_stack(c, out, c->alone);
	c->is_alone = false;
}

/*
 * Numbers elsewhere than below a stack may be keys of the script, "@[pid,
 * ustack()]", so they are not counted.
 */
static void
add_number(struct column *c, struct input *in, struct sink *out, uint64_t n)
{
	if (c->n > 0) {
		end_stack(c, out, n);
	} else if (c->after_blank) {
		c->is_alone = true;
		c->alone = n;
	} else {
		input_bad(in, "a number without a stack");
	}
}

void
column_read(struct input *in, struct sink *out,
	    bool (*take)(struct str line, struct frame *frame))
{
	struct column c = { 0 };
	struct str line;
	uint64_t n;

	while (input_line(in, &line)) {
		struct frame frame = { 0 };

		line = str_without_cr(line);
		line = str_trim(line);
		if (line.len == 0)
			end_alone(&c, out);
		if (c.is_alone)
			input_bad(in, "the number above it has no stack");
		c.is_alone = false;
		if (line.len > 0 && str_u64(line, &n))
			add_number(&c, in, out, n);
		else if (line.len > 0 && take(line, &frame))
			push(&c, out, &frame);
		c.after_blank = line.len == 0;
	}
	end_alone(&c, out);
	if (c.n > 0)
		input_bad(in, "a stack without a count");
	free(c.token);
}
