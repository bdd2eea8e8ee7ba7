/* column.c - stacks as tracers print them: a frame a line. */
#include "column.h"

#include "buf.h"
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
	uint32_t *key; /* of the stack */
	size_t nkeys, key_cap;
	size_t indent;   /* of frames; 0 as long as none was seen */
	struct buf held; /* a line, which the next tells whether it is a key */
	size_t held_indent;
	bool in_table;
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

/* "bash      1234": keys, which have more than one blank between them. */
static void
push_keys(struct column *c, struct sink *out, struct str line)
{
	struct frame frame = { .whole = true };
	const char *end;

	for (; line.len > 0; line = str_trim(line)) {
		end = str_search(line, STR("  "));
		end = end == NULL ? line.p + line.len : end;
		frame.name = str_range(line.p, end);
		line = str_range(end, line.p + line.len);
		c->key = mem_grow(c->key, &c->key_cap, c->nkeys + 1,
				  sizeof(*c->key));
		c->key[c->nkeys++] = sink_token(out, &frame, 0);
	}
}

/* The first key is the root. */
static void
end_stack(struct column *c, struct sink *out, uint64_t count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (sink_begin(out, &sample)) {
		sink_push(out, c->token, c->n);
		while (c->nkeys > 0)
			sink_push(out, &c->key[--c->nkeys], 1);
		sink_end(out, count_of(count));
	}
	c->n = c->nkeys = 0;
}

/* Keys are indented less than frames; what is not, a script prints besides. */
static void
place_name(struct column *c, struct sink *out, struct str line, size_t indent,
	   size_t of_frames, const struct frame *frame)
{
	if (indent >= of_frames)
		push(c, out, frame);
	else if (indent > 0)
		push_keys(c, out, line);
}

/* What is below it tells whether the line that is held was a key. */
static void
take_held(struct column *c, struct sink *out, size_t of_frames)
{
	struct frame frame = { 0 };
	struct str line = buf_slice(&c->held);

	if (line.len == 0)
		return;
	column_frame(line, &frame);
	c->held.len = 0;
	place_name(c, out, line, c->held_indent, of_frames, &frame);
}

static void
add_name(struct column *c, struct sink *out, struct str line, size_t indent,
	 const struct frame *frame)
{
	if (c->indent == 0 && c->n == 0) {
		buf_str(&c->held, line);
		c->held_indent = indent;
	} else {
		place_name(c, out, line, indent, c->indent, frame);
	}
}

/* Keys behind the frames have the count in their line, "bash      5". */
static bool
end_with_keys(struct column *c, struct sink *out, struct str line,
	      size_t indent)
{
	const char *blank = memrchr(line.p, ' ', line.len);
	uint64_t n;

	if (c->n == 0 || indent >= c->indent || blank == NULL ||
	    !str_u64(str_range(blank + 1, line.p + line.len), &n))
		return false;
	push_keys(c, out, str_rtrim(str_range(line.p, blank)));
	end_stack(c, out, n);
	return true;
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
	if (c->n + c->nkeys > 0) {
		end_stack(c, out, n);
	} else if (c->after_blank) {
		c->is_alone = true;
		c->alone = n;
	} else {
		input_bad(in, "a number without a stack");
	}
}

/* A line that is neither blank nor a number. */
static void
add_line(struct column *c, struct input *in, struct sink *out, struct str line,
	 size_t indent, enum column_kind kind, const struct frame *frame)
{
	if (kind == COLUMN_FRAME) {
		push(c, out, frame);
	} else if (kind == COLUMN_TABLE) {
		input_bad(in, "a distribution, of which there is no count");
		c->n = c->nkeys = 0;
		c->in_table = true;
	} else if (kind == COLUMN_TROUBLE) {
		input_bad(in, "%.*s", (int)(line.len < 80 ? line.len : 80),
			  line.p);
	} else if (!end_with_keys(c, out, line, indent) &&
		   kind == COLUMN_NAME) {
		add_name(c, out, line, indent, frame);
	}
}

static void
read_line(struct column *c, struct input *in, struct sink *out,
	  struct str whole,
	  enum column_kind (*take)(struct str line, struct frame *frame))
{
	struct frame frame = { 0 };
	struct str line = str_trim(whole);
	const size_t indent = (size_t)(line.p - whole.p);
	enum column_kind kind = COLUMN_OTHER;
	uint64_t n;
	bool is_number = str_u64(line, &n);

	if (line.len == 0)
		end_alone(c, out);
	if (c->is_alone)
		input_bad(in, "the number above it has no stack");
	c->is_alone = false;
	c->in_table &= line.len > 0;
	if (line.len == 0 || c->in_table)
		return;
	if (!is_number)
		kind = take(line, &frame);
	if (kind == COLUMN_FRAME)
		c->indent = indent;
	take_held(c, out, kind == COLUMN_NAME ? indent : c->indent);
	if (is_number)
		add_number(c, in, out, n);
	else
		add_line(c, in, out, line, indent, kind, &frame);
}

void
column_read(struct input *in, struct sink *out,
	    enum column_kind (*take)(struct str line, struct frame *frame))
{
	struct column c = { 0 };
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		read_line(&c, in, out, line, take);
		c.after_blank = str_trim(line).len == 0;
	}
	end_alone(&c, out);
	if (c.n > 0 || c.held.len > 0)
		input_bad(in, "a stack without a count");
	free(c.token);
	free(c.key);
	buf_free(&c.held);
}
