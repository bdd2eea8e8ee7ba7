/* v8cpu.c - reads a .cpuprofile of V8: a tree of calls, and samples of it. */
#include "formats/v8cpu.h"

#include "base/mem.h"
#include "base/u64map.h"
#include "formats/v8frame.h"
#include "formats/v8times.h"
#include "io/spill_queue.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_NODE UINT32_MAX
#define RING (UINT32_MAX - 1) /* parent of a node that has no root above */

struct cpu_node {
	int64_t id;
	uint32_t token, parent;
	uint64_t us, n; /* time and number of its samples */
};

struct v8cpu {
	struct input *in;
	struct sink *out;
	struct cpu_node *node;
	size_t n, cap;
	struct u64map by_id, parent; /* numbers of nodes and parents, by id */
	struct spill_queue seen;     /* node of each sample */
	struct v8times *times;       /* of these */
	bool has_deltas, has_times;
	bool is_cut;         /* there are more samples than times */
	int64_t start, end;  /* us */
	int64_t now, latest; /* us from the start, of the samples so far */
	uint32_t *stack;
	size_t stack_cap;
	int64_t *child; /* ids of the children of the current node */
	size_t nchildren, child_cap;
	struct v8frame frame;
};

struct v8cpu *
v8cpu_new(struct input *in, struct sink *out)
{
	struct v8cpu *p = mem_zero(1, sizeof(*p));

	p->in = in;
	p->out = out;
	p->times = v8times_new();
	return p;
}

void
v8cpu_free(struct v8cpu *p)
{
	u64map_free(&p->by_id);
	u64map_free(&p->parent);
	free(p->node);
	spill_queue_free(&p->seen);
	v8times_free(p->times);
	free(p->stack);
	free(p->child);
	v8frame_free(&p->frame);
	free(p);
}

static void
read_children(struct v8cpu *p, struct json *j)
{
	int64_t child;

	p->nchildren = 0;
	while (json_more(j)) {
		if (!json_integer(j, &child))
			continue;
		p->child = mem_grow(p->child, &p->child_cap, p->nchildren + 1,
				    sizeof(*p->child));
		p->child[p->nchildren++] = child;
	}
}

static void
add_node(struct v8cpu *p, struct cpu_node node)
{
	uint32_t number = (uint32_t)p->n;
	size_t i;

	u64map_put(&p->by_id, (uint64_t)node.id, number);
	for (i = 0; i < p->nchildren; i++)
		u64map_put(&p->parent, (uint64_t)p->child[i], number);
	p->node = mem_grow(p->node, &p->cap, p->n + 1, sizeof(*p->node));
	p->node[p->n++] = node;
}

/* {"id":1,"callFrame":{...},"children":[2,3], ...} */
static void
read_node(struct v8cpu *p, struct json *j)
{
	struct cpu_node node = { .parent = NO_NODE };
	bool is_object = json_expect(j, '{');
	bool has_id = false, has_frame = false;
	struct str key;

	p->nchildren = 0;
	while (is_object && json_key(j, &key)) {
		if (str_eq(key, STR("id"))) {
			has_id = json_integer(j, &node.id);
		} else if (str_eq(key, STR("callFrame")) &&
			   json_enter(j, '{')) {
			node.token = v8frame_read(&p->frame, p->out, j);
			has_frame = true;
		} else if (str_eq(key, STR("children")) && json_enter(j, '[')) {
			read_children(p, j);
		} else {
			json_skip(j);
		}
	}
	if (has_id && has_frame && p->n < RING)
		add_node(p, node);
	else if (json_bad(j) == NULL)
		input_bad(p->in, "a node has no id or callFrame");
}

/*
 * Mark the nodes that have no root above them, because of a ring.  Each node is
 * visited once: a profile may have many samples and large rings.
 */
static void
find_rings(struct v8cpu *p)
{
	uint32_t *walk = mem_zero(p->n, sizeof(*walk)), i, k, above;

	for (i = 0; i < p->n; i++) {
		for (k = i; k < p->n && walk[k] == 0; k = p->node[k].parent)
			walk[k] = i + 1;
		if (k >= p->n ||
		    (walk[k] != i + 1 && p->node[k].parent != RING))
			continue;
		for (k = i; k != RING; k = above) {
			above = p->node[k].parent;
			p->node[k].parent = RING;
		}
	}
	free(walk);
}

/* A node lists its children before they appear: link them at the end. */
static void
link_nodes(struct v8cpu *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		u64map_get(&p->parent, (uint64_t)p->node[i].id,
			   &p->node[i].parent);
	find_rings(p);
}

/* Collect the nodes up to the root; returns 0 if they lead into a ring. */
static size_t
walk_up(struct v8cpu *p, uint32_t number)
{
	size_t n = 0;

	for (; number != NO_NODE; number = p->node[number].parent) {
		if (p->node[number].parent == RING)
			return 0;
		p->stack = mem_grow(p->stack, &p->stack_cap, n + 1,
				    sizeof(*p->stack));
		p->stack[n++] = p->node[number].token;
	}
	return n;
}

/* The time of a sample, in us from the start of the profile; false if odd. */
static bool
sample_time(const struct v8cpu *p, int64_t at, uint64_t *ns)
{
	int64_t us;

	return p->has_deltas && p->has_times &&
	       !__builtin_add_overflow(p->start, at, &us) && us >= 0 &&
	       !__builtin_mul_overflow((uint64_t)us, 1000, ns);
}

/* Push n samples of a node, which last us in all; the first begins at us. */
static void
push_node(struct v8cpu *p, uint32_t number, int64_t at, uint64_t us, uint64_t n)
{
	struct sample sample = SAMPLE_UNKNOWN;
	size_t depth = walk_up(p, number);

	if (depth == 0) {
		input_bad(p->in, "a node is its own child");
		return;
	}
	sample.unit = p->has_deltas ? STR("us") : STR("samples");
	sample.ns = us * 1000;
	sample.n = n;
	sample.has_time = sink_is_stream(p->out) &&
			  sample_time(p, at, &sample.time);
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, p->stack, depth);
	sink_end(p->out, count_of(p->has_deltas ? us : n));
}

/* Add a sample to its node; push it at once if the output is a stream. */
static void
add_sample(struct v8cpu *p, uint32_t number, int64_t at, uint64_t us)
{
	struct cpu_node *node;

	p->in->line++;
	if (number == NO_NODE) {
		input_bad(p->in, "a sample refers to a missing node");
		return;
	}
	if (sink_is_stream(p->out)) {
		push_node(p, number, at, us, 1);
		return;
	}
	node = &p->node[number];
	/* The sum fits: it is at most the last time less the first. */
	node->us += us;
	node->n++;
}

static void
read_seen(struct v8cpu *p, struct json *j)
{
	uint32_t number;
	int64_t id;

	while (json_more(j)) {
		number = NO_NODE;
		if (json_integer(j, &id))
			u64map_get(&p->by_id, (uint64_t)id, &number);
		spill_queue_add(&p->seen, number);
	}
}

/*
 * A delta is the time since the previous sample, or since the start.  Deltas
 * after the last sample lead to the end of the profile.
 */
static void
read_deltas(struct v8cpu *p, struct json *j)
{
	uint64_t i = 0;
	uint32_t number;
	int64_t delta, now;

	p->has_deltas = true;
	for (; json_more(j); i++) {
		if (!json_integer(j, &delta))
			delta = 0;
		if (__builtin_add_overflow(p->now, delta, &now))
			input_bad(p->in, "times add up to more than 64 bits");
		else
			p->now = now;
		if (i == 0 || p->now > p->latest)
			p->latest = p->now;
		if (spill_queue_next(&p->seen, &number))
			v8times_add(p->times, 0, number, p->now);
	}
	p->is_cut = i < p->seen.n;
	if (i != p->seen.n)
		input_bad(p->in, "%" PRIu64 " times of %" PRIu64 " samples", i,
			  p->seen.n);
}

bool
v8cpu_member(struct v8cpu *p, struct json *j, struct str key)
{
	bool is_seen = str_eq(key, STR("samples"));
	bool is_deltas = str_eq(key, STR("timeDeltas"));

	if (str_eq(key, STR("nodes")) && !p->has_deltas && json_enter(j, '[')) {
		while (json_more(j))
			read_node(p, j);
	} else if (is_seen && p->n > 0 && !p->has_deltas &&
		   json_enter(j, '[')) {
		read_seen(p, j);
	} else if (is_deltas && p->seen.n > 0 && !p->has_deltas &&
		   json_enter(j, '[')) {
		read_deltas(p, j);
	} else if (str_eq(key, STR("startTime"))) {
		p->has_times |= json_integer(j, &p->start);
	} else if (str_eq(key, STR("endTime"))) {
		json_integer(j, &p->end);
	} else {
		return false;
	}
	return true;
}

bool
v8cpu_any(const struct v8cpu *p)
{
	return p->seen.n > 0;
}

/* The last sample lasts until the end.  Without times, samples count. */
static void
add_samples(struct v8cpu *p)
{
	const struct v8times_span *span;
	int64_t end = p->latest, duration;
	uint32_t number;

	link_nodes(p);
	if (!p->has_deltas) {
		while (spill_queue_next(&p->seen, &number))
			add_sample(p, number, 0, 0);
		return;
	}
	if (p->has_times && !p->is_cut &&
	    !__builtin_sub_overflow(p->end, p->start, &duration) &&
	    duration > end)
		end = duration;
	v8times_end(p->times, 0, end);
	while ((span = v8times_next(p->times)) != NULL)
		add_sample(p, span->node, span->at, span->us);
}

void
v8cpu_push(struct v8cpu *p)
{
	size_t i;

	add_samples(p);
	for (i = 0; i < p->n; i++) {
		if (p->node[i].n > 0)
			push_node(p, (uint32_t)i, 0, p->node[i].us,
				  p->node[i].n);
	}
}
