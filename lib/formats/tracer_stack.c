/* tracer_stack.c - reads stacks as tracers print them: one frame a line. */
#include "formats/tracer_stack.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

/* "17", "0x1f" */
static bool
is_number(struct str s)
{
	uint64_t n;

	return str_starts(s, STR("0x")) ? str_hex(str_skip(s, 2), &n) :
					  str_u64(s, &n);
}

/* A number, perhaps with the size of the function, "0x1f/0x30" */
static bool
is_offset(struct str s)
{
	bool has_size = str_find(s, '/') != NULL;

	return is_number(str_cut(&s, '/')) && (!has_size || is_number(s));
}

struct str
tracer_stack_name(struct str s)
{
	const char *plus = s.len == 0 ? NULL : memrchr(s.p, '+', s.len);

	if (plus == NULL || plus == s.p ||
	    !is_offset(str_range(plus + 1, s.p + s.len)))
		return s;
	return str_range(s.p, plus);
}

void
tracer_stack_frame(struct str s, struct frame *frame)
{
	if (str_starts(s, STR("0x")) && str_hex(str_skip(s, 2), &frame->addr)) {
		frame->has_addr = true;
		return;
	}
	frame->name = tracer_stack_name(s);
}

struct tracer_stack {
	uint32_t *token; /* frames of the stack, leaf first */
	size_t n, cap;
	uint32_t *key; /* of the stack, the root first */
	size_t nkeys, key_cap;
	size_t indent;      /* of frames; 0 before the first frame */
	bool has_frame;     /* the stack has more than names */
	bool unindented;    /* the stack's names stand in column 0 */
	struct buf pending; /* a key or a frame: the next line decides */
	size_t pending_indent;
	bool in_table;
	bool after_blank; /* the previous line was blank */
	bool is_alone;    /* or a number after a blank line: */
	uint64_t alone;
};

static void
push(struct tracer_stack *t, struct sink *out, const struct frame *frame)
{
	t->token = mem_grow(t->token, &t->cap, t->n + 1, sizeof(*t->token));
	t->token[t->n++] = sink_token(out, frame, 0);
}

/* "bash      1234": keys, separated by two blanks or more */
static void
push_keys(struct tracer_stack *t, struct sink *out, struct str line)
{
	struct frame frame = { .whole = true };
	const char *end;

	for (; line.len > 0; line = str_trim(line)) {
		end = str_search(line, STR("  "));
		end = end == NULL ? line.p + line.len : end;
		frame.name = str_range(line.p, end);
		line = str_range(end, line.p + line.len);
		t->key = mem_grow(t->key, &t->key_cap, t->nkeys + 1,
				  sizeof(*t->key));
		t->key[t->nkeys++] = sink_token(out, &frame, 0);
	}
}

/* Push the stack; the first key is the root. */
static void
end_stack(struct tracer_stack *t, struct sink *out, uint64_t count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (sink_begin(out, &sample)) {
		sink_push(out, t->token, t->n);
		while (t->nkeys > 0)
			sink_push(out, &t->key[--t->nkeys], 1);
		sink_end(out, count_of(count));
	}
	t->n = t->nkeys = 0;
	t->has_frame = false;
}

/*
 * Names that turned out to be a heading, "Sampling for 5 seconds", and not the
 * start of a stack.
 */
static void
drop_heading(struct tracer_stack *t)
{
	t->n = t->nkeys = t->pending.len = 0;
}

/* Words in column 0 are a heading.  Demangled names have brackets, too. */
static bool
is_heading(struct str line, size_t indent)
{
	return indent == 0 && str_find(line, ' ') != NULL &&
	       str_find(line, '(') == NULL && str_find(line, '<') == NULL;
}

/*
 * Push a line that is a frame or a key: keys are indented less than frames.
 * Lines that are not indented are other output of the script.
 */
static void
place_name(struct tracer_stack *t, struct sink *out, struct str line,
	   size_t indent, size_t frame_indent, const struct frame *frame)
{
	if (indent >= frame_indent)
		push(t, out, frame);
	else if (indent > 0)
		push_keys(t, out, line);
}

/* Push the pending line: now the indent of frames is known. */
static void
resolve_pending(struct tracer_stack *t, struct sink *out, size_t frame_indent)
{
	struct frame frame = { 0 };
	struct str line = buf_slice(&t->pending);

	if (line.len == 0)
		return;
	tracer_stack_frame(line, &frame);
	t->pending.len = 0;
	place_name(t, out, line, t->pending_indent, frame_indent, &frame);
}

static void
add_name(struct tracer_stack *t, struct sink *out, struct str line,
	 size_t indent, const struct frame *frame)
{
	if (t->n == 0)
		t->unindented = indent == 0;
	if (t->indent == 0 && t->n == 0) {
		buf_str(&t->pending, line);
		t->pending_indent = indent;
	} else {
		place_name(t, out, line, indent, t->indent, frame);
	}
}

/* Keys after the frames have the count in their line, "bash      5". */
static bool
end_with_keys(struct tracer_stack *t, struct sink *out, struct str line,
	      size_t indent)
{
	const char *blank = memrchr(line.p, ' ', line.len);
	uint64_t n;

	if (t->n == 0 || indent >= t->indent || blank == NULL ||
	    !str_u64(str_range(blank + 1, line.p + line.len), &n))
		return false;
	push_keys(t, out, str_rtrim(str_range(line.p, blank)));
	end_stack(t, out, n);
	return true;
}

/* A number between blank lines is the count of a stack without frames. */
static void
end_alone(struct tracer_stack *t, struct sink *out)
{
	if (!t->is_alone)
		return;
	push(t, out, &(struct frame){ 0 });
	end_stack(t, out, t->alone);
	t->is_alone = false;
}

/*
 * The count of a stack.  A number elsewhere may be a key of the script, "@[pid,
 * ustack()]", and does not count.
 */
static void
add_number(struct tracer_stack *t, struct input *in, struct sink *out,
	   uint64_t n)
{
	if (t->n + t->nkeys > 0) {
		end_stack(t, out, n);
	} else if (t->after_blank) {
		t->is_alone = true;
		t->alone = n;
	} else {
		input_bad(in, "a count without a stack");
	}
}

/* A line that is neither blank nor a number. */
static void
add_line(struct tracer_stack *t, struct input *in, struct sink *out,
	 struct str line, size_t indent, enum tracer_stack_kind kind,
	 const struct frame *frame)
{
	if (kind == TRACER_STACK_FRAME) {
		t->has_frame = true;
		push(t, out, frame);
	} else if (kind == TRACER_STACK_TABLE) {
		input_bad(in, "a distribution, which has no count");
		t->n = t->nkeys = 0;
		t->has_frame = false;
		t->in_table = true;
	} else if (kind == TRACER_STACK_TROUBLE) {
		input_bad(in, "%.*s", (int)(line.len < 80 ? line.len : 80),
			  line.p);
	} else if (!end_with_keys(t, out, line, indent) &&
		   kind == TRACER_STACK_NAME) {
		add_name(t, out, line, indent, frame);
	}
}

static void
read_line(struct tracer_stack *t, struct input *in, struct sink *out,
	  struct str whole,
	  enum tracer_stack_kind (*parse)(struct str line, struct frame *frame))
{
	struct frame frame = { 0 };
	struct str line = str_trim(whole);
	const size_t indent = (size_t)(line.p - whole.p);
	enum tracer_stack_kind kind = TRACER_STACK_OTHER;
	uint64_t n;
	bool is_number = str_u64(line, &n);

	if (line.len == 0) {
		end_alone(t, out);
		if (!t->has_frame)
			drop_heading(t);
	}
	if (t->is_alone)
		input_bad(in, "the number above it has no stack");
	t->is_alone = false;
	t->in_table &= line.len > 0;
	if (line.len == 0 || t->in_table)
		return;
	if (!is_number)
		kind = parse(line, &frame);
	if (kind == TRACER_STACK_NAME && is_heading(line, indent))
		kind = TRACER_STACK_OTHER;
	if (t->unindented && indent > 0 && !is_number && !t->has_frame)
		drop_heading(t);
	if (kind == TRACER_STACK_FRAME)
		t->indent = indent;
	resolve_pending(t, out, kind == TRACER_STACK_NAME ? indent : t->indent);
	if (is_number)
		add_number(t, in, out, n);
	else
		add_line(t, in, out, line, indent, kind, &frame);
}

void
tracer_stack_read(struct input *in, struct sink *out,
		  enum tracer_stack_kind (*parse)(struct str line,
						  struct frame *frame))
{
	struct tracer_stack t = { 0 };
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		read_line(&t, in, out, line, parse);
		t.after_blank = str_trim(line).len == 0;
	}
	end_alone(&t, out);
	if (t.n > 0 || t.pending.len > 0)
		input_bad(in, "a stack without a count");
	free(t.token);
	free(t.key);
	buf_free(&t.pending);
}
