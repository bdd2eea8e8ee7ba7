/*
 * stackcollapse-typhon - fold flames.txt of Typhon, Monte's virtual machine.
 *
 * Lines are "caller.verb/1;callee.verb/0 (JIT) 42", in no order.  The number is
 * the time in the last call and in all that it called, in units of 10 us.  A
 * flame graph needs the time in the call alone.
 */
#include "base/intern.h"
#include "base/mem.h"
#include "formats/calltree.h"
#include "reader/collapse.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* The time of a stack. */
struct stack_time {
	uint64_t all, inside; /* with its calls; in its calls alone */
	bool has_line;
};

struct flames_file {
	struct input *in;
	struct sink *out;
	struct intern *frames;
	struct calltree calls;
	struct stack_time *time; /* by node */
	size_t ntimes, time_cap;
	uint32_t *stack;
	size_t stack_cap;
};

/* The node of a stack; a frame with " (JIT)" is another frame. */
static uint32_t
find_node(struct flames_file *f, struct str stack)
{
	uint32_t node = CALLTREE_ROOT;

	while (stack.len > 0)
		node = calltree_call(
		    &f->calls, node,
		    intern_id(f->frames, str_cut(&stack, ';')));
	return node;
}

static void
add(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		errx(CMD_ERROR,
		     "the counts of a stack add up to more than 64 bits");
}

/* Make a time for each new node. */
static void
grow_times(struct flames_file *f)
{
	f->time = mem_grow(f->time, &f->time_cap, f->calls.n, sizeof(*f->time));
	for (; f->ntimes < f->calls.n; f->ntimes++)
		f->time[f->ntimes] = (struct stack_time){ 0 };
}

static void
read_line(struct flames_file *f, struct str line)
{
	const char *blank;
	uint64_t n;
	uint32_t node;

	line = str_trim(str_without_cr(line));
	if (line.len == 0)
		return;
	blank = memrchr(line.p, ' ', line.len);
	if (blank == NULL ||
	    !str_u64(str_range(blank + 1, line.p + line.len), &n)) {
		input_bad(f->in, "no number at the end of the line");
		return;
	}
	node = find_node(f, str_range(line.p, blank));
	grow_times(f);
	add(&f->time[node].all, n);
	f->time[node].has_line = true;
	f->in->tally->good++;
}

/*
 * From the leaves to the root, add the time of each call to its caller.  A
 * caller without a line has only the time of its calls.
 */
static void
find_time_in_calls(struct flames_file *f)
{
	struct stack_time *t;
	size_t i;

	for (i = f->calls.n - 1; i > 0; i--) {
		t = &f->time[i];
		if (!t->has_line)
			t->all = t->inside;
		add(&f->time[f->calls.node[i].parent].inside, t->all);
	}
}

static uint32_t
frame_token(struct flames_file *f, uint32_t frame)
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
push_node(struct flames_file *f, size_t i, uint64_t n)
{
	const struct calltree_node *node = &f->calls.node[i];
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t us;
	size_t depth = 0;

	sample.unit = STR("us");
	if (__builtin_mul_overflow(n, 10, &us))
		errx(CMD_ERROR, "the count of a stack exceeds 64 bits");
	if (__builtin_mul_overflow(us, 1000, &sample.ns))
		sample.ns = 0;
	for (; node != f->calls.node; node = &f->calls.node[node->parent]) {
		f->stack = mem_grow(f->stack, &f->stack_cap, depth + 1,
				    sizeof(*f->stack));
		f->stack[depth++] = frame_token(f, node->frame);
	}
	if (!sink_begin(f->out, &sample))
		return;
	sink_push(f->out, f->stack, depth);
	sink_end(f->out, count_of(us));
}

static void
push_all(struct flames_file *f)
{
	const struct stack_time *t;
	size_t i;

	for (i = 1; i < f->calls.n; i++) {
		t = &f->time[i];
		if (t->all < t->inside)
			input_bad(
			    f->in,
			    "%" PRIu64
			    " units less than the sum of its calls: %s",
			    t->inside - t->all,
			    intern_name(f->frames, f->calls.node[i].frame).p);
		if (t->all > t->inside)
			push_node(f, i, t->all - t->inside);
	}
}

static void
read_typhon(struct input *in, struct sink *out)
{
	struct flames_file f = { .in = in, .out = out };
	struct str line;

	f.frames = intern_new();
	calltree_init(&f.calls);
	while (input_line(in, &line))
		read_line(&f, line);
	grow_times(&f);
	find_time_in_calls(&f);
	push_all(&f);
	free(f.time);
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
