/*
 * tracestacks.c - samples with stacks in a file of trace events.
 *
 * Frames may precede the samples or follow them, and parents may follow their
 * children: so a frame gets its number when its id appears first.  Equal
 * samples are added up.
 */
#include "formats/tracestacks.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE TRACESTACKS_ROOT

struct stack_frame {
	uint32_t token, parent;
	bool defined;
};

/* Samples with these in common are added up. */
struct sample_kind {
	uint32_t thread, event, node;
};

struct sample_sum {
	uint64_t weight, n;
};

struct tracestacks {
	struct input *in;
	struct sink *out;
	struct tracethreads *threads;
	struct str unit;
	struct intern *ids, *events, *kinds;
	struct stack_frame *frame; /* by number of the id */
	size_t n, cap;
	struct sample_sum *sum; /* by number of the kind */
	size_t nsums, sum_cap;
	uint32_t unknown; /* token of a frame without a name */
	uint32_t *stack;
	size_t stack_cap;
	struct buf text;
	bool any;
};

struct tracestacks *
tracestacks_new(struct input *in, struct sink *out,
		struct tracethreads *threads, struct str unit)
{
	struct tracestacks *t = mem_zero(1, sizeof(*t));

	t->in = in;
	t->out = out;
	t->threads = threads;
	t->unit = unit;
	t->ids = intern_new();
	t->events = intern_new();
	t->kinds = intern_new();
	t->unknown = sink_token(out, &(struct frame){ 0 }, 0);
	return t;
}

void
tracestacks_free(struct tracestacks *t)
{
	intern_free(t->ids);
	intern_free(t->events);
	intern_free(t->kinds);
	free(t->frame);
	free(t->sum);
	free(t->stack);
	buf_free(&t->text);
	free(t);
}

bool
tracestacks_any(const struct tracestacks *t)
{
	return t->any;
}

uint32_t
tracestacks_number(struct tracestacks *t, struct str id)
{
	uint32_t number = intern_id(t->ids, id);

	t->frame = mem_grow(t->frame, &t->cap, (size_t)number + 1,
			    sizeof(*t->frame));
	if (number == t->n)
		t->frame[t->n++] = (struct stack_frame){ .parent = NO_NODE };
	return number;
}

void
tracestacks_frame(struct tracestacks *t, uint32_t number, uint32_t token,
		  uint32_t parent)
{
	t->frame[number] = (struct stack_frame){ token, parent, true };
}

/* An id is a word or a number; as a key of an object it is a word. */
static uint32_t
read_id(struct tracestacks *t, struct json *j)
{
	struct str id;
	int64_t n;

	if (json_peek(j) == '"')
		return json_string(j, &id) ? tracestacks_number(t, id) :
					     NO_NODE;
	if (!json_integer(j, &n))
		return NO_NODE;
	t->text.len = 0;
	buf_printf(&t->text, "%" PRId64, n);
	return tracestacks_number(t, buf_slice(&t->text));
}

/* {"name":"f(a.js:1:2)","category":"JavaScript","parent":"7"} */
static void
read_frame(struct tracestacks *t, struct json *j, uint32_t number)
{
	struct stack_frame node = { t->unknown, NO_NODE, true };
	struct frame frame = { .whole = true };
	struct str key, name;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("parent"))) {
			node.parent = read_id(t, j);
		} else if (!str_eq(key, STR("name"))) {
			json_skip(j);
		} else if (json_string(j, &name)) {
			frame.name = name;
			node.token = sink_token(t->out, &frame, 0);
		}
	}
	t->frame[number] = node;
}

void
tracestacks_frames(struct tracestacks *t, struct json *j)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key))
		read_frame(t, j, tracestacks_number(t, key));
}

/* A weight is a number, perhaps in quotes. */
static bool
read_weight(struct json *j, uint64_t *weight)
{
	struct str s;
	int64_t n;

	if (json_peek(j) == '"')
		return json_string(j, &s) && str_u64(s, weight);
	if (!json_integer(j, &n) || n < 0)
		return false;
	*weight = (uint64_t)n;
	return true;
}

static void
add_sample(struct tracestacks *t, const struct sample_kind *kind,
	   uint64_t weight)
{
	uint32_t i = intern_id(
	    t->kinds, (struct str){ (const char *)kind, sizeof(*kind) });

	t->sum = mem_grow(t->sum, &t->sum_cap, (size_t)i + 1, sizeof(*t->sum));
	if (i == t->nsums)
		t->sum[t->nsums++] = (struct sample_sum){ 0 };
	if (__builtin_add_overflow(t->sum[i].weight, weight,
				   &t->sum[i].weight)) {
		t->sum[i].weight = UINT64_MAX;
		input_bad(t->in, "weights add up to more than 64 bits");
	}
	t->sum[i].n++;
}

void
tracestacks_add(struct tracestacks *t, uint32_t thread, uint32_t number,
		uint64_t weight)
{
	struct sample_kind kind = { .thread = thread, .node = number };

	kind.event = intern_id(t->events, STR(""));
	add_sample(t, &kind, weight);
}

static void
read_sample(struct tracestacks *t, struct json *j)
{
	struct sample_kind kind = { .node = NO_NODE };
	int64_t pid = -1, tid = -1;
	struct str key, name = { 0 };
	uint64_t weight = 1;
	bool is_object = json_expect(j, '{'), weighed = true;

	t->in->line++;
	t->any = true;
	kind.event = intern_id(t->events, name);
	while (is_object && json_key(j, &key)) {
		if (str_eq(key, STR("pid")))
			tracethreads_id(t->threads, j, &pid);
		else if (str_eq(key, STR("tid")))
			tracethreads_id(t->threads, j, &tid);
		else if (str_eq(key, STR("sf")))
			kind.node = read_id(t, j);
		else if (str_eq(key, STR("weight")))
			weighed = read_weight(j, &weight);
		else if (!str_eq(key, STR("name")))
			json_skip(j);
		else if (json_string(j, &name))
			kind.event = intern_id(t->events, name);
	}
	if (json_bad(j) != NULL)
		return;
	kind.thread = tracethreads_number(t->threads, pid, tid);
	if (weighed && kind.node != NO_NODE)
		add_sample(t, &kind, weight);
	else
		input_bad(t->in, "a sample has no stack or weight");
}

void
tracestacks_samples(struct tracestacks *t, struct json *j)
{
	if (!json_expect(j, '['))
		return;
	while (json_more(j))
		read_sample(t, j);
}

/*
 * Collect the frames from the leaf up to the root.  Returns 0 if they lead into
 * a ring or to an undefined frame: the frames on the way then stay marked, so
 * that other samples fail at once.
 */
static size_t
walk_up(struct tracestacks *t, uint32_t number)
{
	uint32_t k = number;
	size_t n = 0;

	for (; k != NO_NODE && t->frame[k].defined; k = t->frame[k].parent) {
		t->frame[k].defined = false;
		t->stack = mem_grow(t->stack, &t->stack_cap, n + 1,
				    sizeof(*t->stack));
		t->stack[n++] = t->frame[k].token;
	}
	if (k != NO_NODE)
		return 0;
	for (k = number; k != NO_NODE; k = t->frame[k].parent)
		t->frame[k].defined = true;
	return n;
}

static void
push_stack(struct tracestacks *t, uint32_t number, struct sample *sample,
	   uint64_t weight)
{
	size_t depth = walk_up(t, number);

	if (depth == 0) {
		input_bad(t->in, "a stack has no root");
		return;
	}
	sample->unit = t->unit;
	if (str_eq(t->unit, STR("us")))
		sample->ns = weight * 1000;
	if (!sink_begin(t->out, sample))
		return;
	while (depth > 0)
		sink_push(t->out, &t->stack[--depth], 1);
	sink_end(t->out, count_of(weight));
}

static void
push_sum(struct tracestacks *t, uint32_t i)
{
	struct sample sample;
	struct sample_kind kind;

	memcpy(&kind, intern_name(t->kinds, i).p, sizeof(kind));
	sample = tracethreads_sample(t->threads, kind.thread);
	sample.event = intern_name(t->events, kind.event);
	sample.n = t->sum[i].n;
	push_stack(t, kind.node, &sample, t->sum[i].weight);
}

void
tracestacks_push_sample(struct tracestacks *t, uint32_t thread, uint32_t number,
			uint64_t weight, uint64_t ns)
{
	struct sample sample = tracethreads_sample(t->threads, thread);

	sample.has_time = true;
	sample.time = ns;
	push_stack(t, number, &sample, weight);
}

void
tracestacks_push(struct tracestacks *t)
{
	size_t i;

	for (i = 0; i < t->nsums; i++)
		push_sum(t, (uint32_t)i);
}
