/*
 * stackcollapse-v8 - fold the profiles of V8: .cpuprofile and .heapprofile, as
 * node --cpu-prof and --heap-prof and the browsers' tools write them, and the
 * log of node --prof.
 *
 * Sources of knowledge: the Profiler and HeapProfiler domains of the DevTools
 * protocol, and tools/tickprocessor.mjs of V8.
 */
#include "map.h"
#include "mem.h"
#include "queue.h"
#include "v8frame.h"
#include "v8heap.h"
#include "v8log.h"
#include "v8times.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPT_TIERS = CMD_LONG, OPT_STATE };

static const struct cmd_option options[] = {
	{ "tiers", OPT_TIERS, NULL,
	  "of a log: V8's marks ~ ^ + * of how code was compiled", false },
	{ "state", OPT_STATE, NULL, "of a log: V8's state as root frame",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static struct v8log_options log_options;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	if (value == OPT_TIERS)
		log_options.tiers = true;
	else if (value == OPT_STATE)
		log_options.state = true;
	return value == OPT_TIERS || value == OPT_STATE;
}

/* .cpuprofile: a tree of calls, and which of its nodes was seen when. */

#define NO_NODE UINT32_MAX
#define RING (UINT32_MAX - 1) /* parent of nodes that lead into one */

struct node {
	int64_t id;
	uint32_t token, parent;
	uint64_t us, n; /* of its samples */
};

struct cpuprofile {
	struct input *in;
	struct sink *out;
	struct node *node;
	size_t n, cap;
	struct map by_id, parent; /* node numbers by id; parents by id */
	struct queue seen;        /* node of each sample */
	struct v8times *times;    /* of these */
	bool has_deltas, has_times;
	bool is_cut;         /* there are samples behind the last time */
	int64_t start, end;  /* us */
	int64_t now, latest; /* of the samples so far, from the start */
	uint32_t *stack;
	size_t stack_cap;
	int64_t *child; /* ids, of the node that is read */
	size_t nchildren, child_cap;
	struct v8frame frame;
	struct v8heap *heap; /* if it is a .heapprofile */
};

static void
read_children(struct cpuprofile *p, struct json *j)
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
add_node(struct cpuprofile *p, struct node node)
{
	uint32_t number = (uint32_t)p->n;
	size_t i;

	map_put(&p->by_id, (uint64_t)node.id, number);
	for (i = 0; i < p->nchildren; i++)
		map_put(&p->parent, (uint64_t)p->child[i], number);
	p->node = mem_grow(p->node, &p->cap, p->n + 1, sizeof(*p->node));
	p->node[p->n++] = node;
}

/* {"id":1,"callFrame":{...},"children":[2,3], ...} */
static void
read_node(struct cpuprofile *p, struct json *j)
{
	struct node node = { .parent = NO_NODE };
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
		input_bad(p->in, "a node without an id or a callFrame");
}

/*
 * Find the nodes above which there is no root.  Of each node it is found out
 * once, as a profile may have many samples and large rings.
 */
static void
find_rings(struct cpuprofile *p)
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

/* Children are named before they come, so that parents are known last. */
static void
link_nodes(struct cpuprofile *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		map_get(&p->parent, (uint64_t)p->node[i].id,
			&p->node[i].parent);
	find_rings(p);
}

/* The nodes up to the root; none if they lead into a ring. */
static size_t
walk_up(struct cpuprofile *p, uint32_t number)
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

/* What was seen of a node. */
static void
push_node(struct cpuprofile *p, uint32_t number, uint64_t us, uint64_t n)
{
	struct sample sample = SAMPLE_UNKNOWN;
	size_t depth = walk_up(p, number);

	if (depth == 0) {
		input_bad(p->in, "a node that calls itself");
		return;
	}
	sample.unit = p->has_deltas ? STR("us") : STR("samples");
	sample.ns = us * 1000;
	sample.n = n;
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, p->stack, depth);
	sink_end(p->out, count_of(p->has_deltas ? us : n));
}

/* Samples of a node are added up, unless each is to be seen. */
static void
add_sample(struct cpuprofile *p, uint32_t number, uint64_t us)
{
	struct node *node;

	p->in->line++;
	if (number == NO_NODE) {
		input_bad(p->in, "a sample of a node that is not there");
		return;
	}
	if (sink_is_stream(p->out)) {
		push_node(p, number, us, 1);
		return;
	}
	node = &p->node[number];
	/* In all no more than from the first time to the last. */
	node->us += us;
	node->n++;
}

static void
read_seen(struct cpuprofile *p, struct json *j)
{
	uint32_t number;
	int64_t id;

	while (json_more(j)) {
		number = NO_NODE;
		if (json_integer(j, &id))
			map_get(&p->by_id, (uint64_t)id, &number);
		queue_put(&p->seen, number);
	}
}

/*
 * A delta is the time from the sample before it, or from the start.  More of
 * them than samples are until the end.
 */
static void
read_deltas(struct cpuprofile *p, struct json *j)
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
		if (queue_take(&p->seen, &number))
			v8times_add(p->times, 0, number, p->now);
	}
	p->is_cut = i < p->seen.n;
	if (i != p->seen.n)
		input_bad(p->in, "%" PRIu64 " times of %" PRIu64 " samples", i,
			  p->seen.n);
}

static void
read_member(struct cpuprofile *p, struct json *j, struct str key)
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
	} else if (str_eq(key, STR("head")) && p->heap == NULL &&
		   json_enter(j, '{')) {
		p->heap = v8heap_new(p->in, p->out);
		v8heap_head(p->heap, j);
	} else if (is_seen && p->heap != NULL) {
		v8heap_samples(p->heap, j);
	} else if (str_eq(key, STR("startTime"))) {
		p->has_times |= json_integer(j, &p->start);
	} else if (str_eq(key, STR("endTime"))) {
		json_integer(j, &p->end);
	} else {
		if (is_seen || is_deltas)
			input_bad(p->in, "%.*s before what they refer to",
				  (int)key.len, key.p);
		json_skip(j);
	}
}

/* The last sample lasts until the end; without times, each is one. */
static void
add_samples(struct cpuprofile *p)
{
	const struct v8span *span;
	int64_t end = p->latest, duration;
	uint32_t number;

	link_nodes(p);
	if (!p->has_deltas) {
		while (queue_take(&p->seen, &number))
			add_sample(p, number, 0);
		return;
	}
	if (p->has_times && !p->is_cut &&
	    !__builtin_sub_overflow(p->end, p->start, &duration) &&
	    duration > end)
		end = duration;
	v8times_end(p->times, 0, end);
	while ((span = v8times_next(p->times)) != NULL)
		add_sample(p, span->node, span->us);
}

static void
push_nodes(struct cpuprofile *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->node[i].n > 0)
			push_node(p, (uint32_t)i, p->node[i].us, p->node[i].n);
	}
}

static void
read_cpuprofile(struct input *in, struct sink *out)
{
	struct cpuprofile p = { .in = in, .out = out, .times = v8times_new() };
	struct json *j = json_new(in);
	struct str key;

	in->tally->bad_unit = "sample";
	if (json_enter(j, '{')) {
		while (json_key(j, &key))
			read_member(&p, j, key);
	}
	if (json_end(j) != NULL)
		input_bad(in, "%s", json_bad(j));
	else if (p.seen.n == 0 && p.heap == NULL)
		input_bad(in, "neither a profile with samples nor a log");
	if (p.heap != NULL)
		v8heap_push(p.heap);
	add_samples(&p);
	push_nodes(&p);
	json_free(j);
	map_free(&p.by_id);
	map_free(&p.parent);
	free(p.node);
	queue_free(&p.seen);
	v8times_free(p.times);
	free(p.stack);
	free(p.child);
	v8frame_free(&p.frame);
	if (p.heap != NULL)
		v8heap_free(p.heap);
}

static void
read_v8(struct input *in, struct sink *out)
{
	struct str begin = input_peek(in, 256);

	if (begin.len == 0)
		return;
	if (str_starts(begin, STR("v8-version,")))
		v8log_read(in, out, &log_options);
	else
		read_cpuprofile(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct confine may = { .spills = true };
	static const struct reader v8 = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of V8, or the log of --prof.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_v8
	};

	return collapse_main(argc, argv, &v8);
}
