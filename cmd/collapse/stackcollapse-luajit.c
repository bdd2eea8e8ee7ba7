/*
 * stackcollapse-luajit - fold the output of luajit -jp.
 *
 * -jp=G prints folded text.  Otherwise a line is a percentage and a stack, "84%
 * f < main" with the leaf first or "74%  main > f" with the root first, and the
 * lines below it are its parts.  -jp=r prints samples, "  84  f < main".
 */
#include "formats/foldline.h"
#include "reader/collapse.h"

/* The line whose parts are being read. */
struct parent_line {
	struct buf stack;
	bool leaf_first;
	uint64_t n; /* samples, or percent */
	bool is_percent, has_parts;
};

static void
push_names(struct sink *out, struct str stack, bool leaf_first)
{
	const struct str mark = leaf_first ? STR(" < ") : STR(" > ");
	struct frame frame = { .whole = true };
	const char *p;

	/* the sink gets the root first */
	while (stack.len > 0) {
		if (leaf_first) {
			for (p = stack.p + stack.len; p > stack.p; p--) {
				if (str_starts(
					str_range(p, stack.p + stack.len),
					mark))
					break;
			}
			frame.name = p > stack.p ?
					 str_range(p + mark.len,
						   stack.p + stack.len) :
					 stack;
			stack.len = (size_t)(p - stack.p);
		} else {
			p = str_search(stack, mark);
			frame.name = p == NULL ? stack : str_range(stack.p, p);
			stack = p == NULL ? str_skip(stack, stack.len) :
					    str_range(p + mark.len,
						      stack.p + stack.len);
		}
		sink_frame(out, &frame);
	}
}

/* Ten thousandths of a percent, as a part of a line needs them. */
static struct count
percent(uint64_t n)
{
	return (struct count){ n / 10000, (uint32_t)(n % 10000) * 100 };
}

static void
push_parent(struct sink *out, const struct parent_line *p)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (!p->is_percent)
		sample.n = p->n;
	if (p->stack.len == 0 || p->has_parts || p->n == 0 ||
	    !sink_begin(out, &sample))
		return;
	push_names(out, buf_slice(&p->stack), p->leaf_first);
	sink_end(out, p->is_percent ? percent(p->n * 10000) : count_of(p->n));
}

/*
 * Push a part of the line above: "<-" is followed by callers, "->" by calls,
 * and
 * "--" by another stack in the state of that line.
 */
static void
push_part(struct sink *out, const struct parent_line *p, struct str mark,
	  uint64_t n, struct str stack)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool callers = str_eq(mark, STR("<-"));
	bool leaf_first = str_search(stack, STR(" > ")) == NULL;

	if (!p->is_percent)
		sample.n = n;
	if (n == 0 || p->n == 0 || !sink_begin(out, &sample))
		return;
	if (callers)
		push_names(out, stack, leaf_first);
	push_names(out, buf_slice(&p->stack), p->leaf_first);
	if (!callers)
		push_names(out, stack, leaf_first);
	sink_end(out, p->is_percent ? percent(p->n * n * 100) : count_of(n));
}

/* Cut off the number at the start of a line: percent, or samples. */
static bool
cut_number(struct str *s, uint64_t *n, bool *is_percent)
{
	struct str number = { s->p, 0 };

	while (number.len < s->len && str_isdigit(s->p[number.len]))
		number.len++;
	*s = str_skip(*s, number.len);
	*is_percent = str_starts(*s, STR("%"));
	if (*is_percent)
		*s = str_skip(*s, 1);
	return str_u64(number, n) && (*n <= 100 || !*is_percent) &&
	       str_starts(*s, STR("  "));
}

/* "84%  name < name", perhaps with a mark before the number. */
static bool
parse(struct str line, struct str *mark, uint64_t *n, bool *is_percent,
      struct str *stack)
{
	struct str s = str_trim(line);

	*mark = (struct str){ 0 };
	if (str_starts(s, STR("<-")) || str_starts(s, STR("->")) ||
	    str_starts(s, STR("--"))) {
		*mark = (struct str){ s.p, 2 };
		s = str_trim(str_skip(s, 2));
	}
	if (!cut_number(&s, n, is_percent))
		return false;
	*stack = str_trim(s);
	return stack->len > 0;
}

static void
read_text(struct input *in, struct sink *out)
{
	struct parent_line p = { 0 };
	struct str line, mark, stack;
	bool is_percent;
	uint64_t n;

	while (input_line(in, &line)) {
		line = str_rtrim(str_without_cr(line));
		if (line.len == 0)
			continue;
		if (!parse(line, &mark, &n, &is_percent, &stack)) {
			input_bad(in, "no number at the start of the line");
		} else if (mark.len > 0 &&
			   (p.stack.len == 0 || is_percent != p.is_percent)) {
			input_bad(
			    in, "a line does not belong to the line above it");
		} else if (mark.len > 0) {
			p.has_parts = true;
			push_part(out, &p, mark, n, stack);
		} else {
			push_parent(out, &p);
			p.stack.len = 0;
			buf_str(&p.stack, stack);
			p.leaf_first = str_search(stack, STR(" > ")) == NULL;
			p.n = n;
			p.is_percent = is_percent;
			p.has_parts = false;
		}
	}
	push_parent(out, &p);
	buf_free(&p.stack);
}

static void
read_luajit(struct input *in, struct sink *out)
{
	struct str begin = str_trim(input_peek(in, 32));
	bool is_percent;
	uint64_t n;

	if (str_starts(begin, STR("[No samples collected]")))
		return;
	if (cut_number(&begin, &n, &is_percent))
		read_text(in, out);
	else
		foldline_read(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct reader luajit = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the output of luajit -jp.",
		.read = read_luajit
	};

	return collapse_main(argc, argv, &luajit);
}
