/*
 * stackcollapse-typhon - fold flames.txt of Typhon, Monte's virtual machine.
 *
 * Lines are "caller.verb/1;callee.verb/0 (JIT) 42", in no order.  The number
 * is the time in the last call and in all that it called, in units of 10 us:
 * flame graphs want what was spent in it alone.
 */
#include "calltree.h"
#include "intern.h"
#include "mem.h"
#include "reader.h"

#include <stdlib.h>

struct flames {
	struct input *in;
	struct sink *out;
	struct intern *frames;
	struct calltree calls;
	uint32_t *stack;
	size_t stack_cap;
};

/* The node of a stack; frames that the JIT compiled are others. */
static uint32_t
find_node(struct flames *f, struct str stack)
{
	uint32_t node = CALLTREE_ROOT;

	while (stack.len > 0)
		node = calltree_call(
		    &f->calls, node,
		    intern_id(f->frames, str_cut(&stack, ';')));
	return node;
}

static void
read_line(struct flames *f, struct str line)
{
	const char *blank;
	uint64_t n;
	uint32_t node;

	line = str_trim(str_without_cr(line));
	if (line.len == 0)
		return;
	blank = memrchr(line.p, ' ', line.len);
	if (blank == NULL ||
	    !str_u64(str_range(blank + 1, line.p + line.len), &n) ||
	    n > (UINT64_C(1) << 53)) {
		input_bad(f->in, "no number at the end of the line");
		return;
	}
	node = find_node(f, str_range(line.p, blank));
	f->calls.node[node].self += (double)n;
	f->calls.node[node].n++;
	f->in->tally->good++;
}

/*
 * From the leaves on, take what is in a call off its caller.  A caller
 * without a line of its own has no more than its calls.
 */
static double *
time_in_calls(struct flames *f)
{
	struct calltree_node *node = f->calls.node;
	double *inside = mem_zero(f->calls.n, sizeof(*inside));
	size_t i;

	for (i = f->calls.n - 1; i > 0; i--) {
		if (node[i].n == 0)
			node[i].self = inside[i];
		inside[node[i].parent] += node[i].self;
	}
	return inside;
}

static uint32_t
frame_token(struct flames *f, uint32_t frame)
{
	const struct str jit = STR(" (JIT)");
	struct str name = intern_name(f->frames, frame);
	bool is_jit = str_ends(name, jit);

	if (is_jit)
		name.len -= jit.len;
	return sink_token(
	    f->out,
	    &(struct frame){ .name = name,
			     .whole = true,
			     .kind = is_jit ? FRAME_JIT : FRAME_USER },
	    0);
}

static void
push_node(struct flames *f, size_t i, uint64_t n)
{
	const struct calltree_node *node = &f->calls.node[i];
	struct sample sample = SAMPLE_UNKNOWN;
	size_t depth = 0;

	sample.unit = STR("us");
	sample.ns = n * 10000;
	for (; node != f->calls.node; node = &f->calls.node[node->parent]) {
		f->stack = mem_grow(f->stack, &f->stack_cap, depth + 1,
				    sizeof(*f->stack));
		f->stack[depth++] = frame_token(f, node->frame);
	}
	if (!sink_begin(f->out, &sample))
		return;
	sink_push(f->out, f->stack, depth);
	sink_end(f->out, count_of(n * 10));
}

static void
read_typhon(struct input *in, struct sink *out)
{
	struct flames f = { .in = in, .out = out };
	double *inside, self;
	struct str line;
	size_t i;

	f.frames = intern_new();
	calltree_init(&f.calls);
	while (input_line(in, &line))
		read_line(&f, line);
	inside = time_in_calls(&f);
	for (i = 1; i < f.calls.n; i++) {
		self = f.calls.node[i].self - inside[i];
		if (self < 0)
			input_bad(
			    in, "%.0f units less than in its calls: %s", -self,
			    intern_name(f.frames, f.calls.node[i].frame).p);
		if (self > 0)
			push_node(&f, i, (uint64_t)self);
	}
	free(inside);
	free(f.stack);
	intern_free(f.frames);
	calltree_free(&f.calls);
}

int
main(int argc, char *argv[])
{
	static const struct reader typhon = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold flames.txt of Monte's Typhon.",
		.read = read_typhon
	};

	return collapse_main(argc, argv, &typhon);
}
