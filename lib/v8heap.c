/*
 * v8heap.c - a .heapprofile of V8: what functions allocated that is alive.
 *
 * {"callFrame":{...},"selfSize":8,"id":1,"children":[{...},...]}
 */
#include "v8heap.h"

#include "map.h"
#include "mem.h"
#include "v8frame.h"

#include <stdlib.h>

#define NO_NODE UINT32_MAX

struct node {
	uint32_t token, parent;
	bool has_frame;
	int64_t size; /* bytes */
	uint64_t n;   /* samples that they are of */
};

struct v8heap {
	struct input *in;
	struct sink *out;
	struct node *node;
	size_t n, cap;
	struct map by_id;
	uint32_t *stack;
	size_t stack_cap;
	struct v8frame frame;
};

struct v8heap *
v8heap_new(struct input *in, struct sink *out)
{
	struct v8heap *h = mem_zero(1, sizeof(*h));

	h->in = in;
	h->out = out;
	return h;
}

void
v8heap_free(struct v8heap *h)
{
	map_free(&h->by_id);
	v8frame_free(&h->frame);
	free(h->node);
	free(h->stack);
	free(h);
}

static uint32_t
begin_node(struct v8heap *h, uint32_t parent)
{
	h->in->line++;
	h->node = mem_grow(h->node, &h->cap, h->n + 1, sizeof(*h->node));
	h->node[h->n] = (struct node){ .parent = parent };
	return (uint32_t)h->n++;
}

/* Go on in a node until its children come; false behind it. */
static bool
read_members(struct v8heap *h, struct json *j, uint32_t number)
{
	struct node *node = &h->node[number];
	struct str key;
	int64_t id;

	while (json_key(j, &key)) {
		if (str_eq(key, STR("callFrame")) && json_enter(j, '{')) {
			node->token = v8frame_read(&h->frame, h->out, j);
			node->has_frame = true;
		} else if (str_eq(key, STR("selfSize"))) {
			json_integer(j, &node->size);
		} else if (str_eq(key, STR("id"))) {
			if (json_integer(j, &id))
				map_put(&h->by_id, (uint64_t)id, number);
		} else if (str_eq(key, STR("children")) && json_enter(j, '[')) {
			return true;
		} else {
			json_skip(j);
		}
	}
	return false;
}

/* A tree may be deeper than a stack of ours: its nodes know their parents. */
void
v8heap_head(struct v8heap *h, struct json *j)
{
	uint32_t at = begin_node(h, NO_NODE);
	bool in_children = read_members(h, j, at);

	while (at != NO_NODE && json_bad(j) == NULL) {
		if (!in_children) {
			at = h->node[at].parent;
			in_children = true;
		} else if (!json_more(j)) {
			in_children = read_members(h, j, at);
		} else if (json_expect(j, '{')) {
			at = begin_node(h, at);
			in_children = read_members(h, j, at);
		}
	}
}

void
v8heap_samples(struct v8heap *h, struct json *j)
{
	uint32_t number;
	struct str key;
	int64_t id;

	if (!json_expect(j, '['))
		return;
	while (json_more(j)) {
		if (!json_expect(j, '{'))
			continue;
		while (json_key(j, &key)) {
			if (!str_eq(key, STR("nodeId")))
				json_skip(j);
			else if (json_integer(j, &id) &&
				 map_get(&h->by_id, (uint64_t)id, &number))
				h->node[number].n++;
		}
	}
}

static void
push_node(struct v8heap *h, uint32_t number)
{
	struct sample sample = SAMPLE_UNKNOWN;
	const struct node *node = &h->node[number];
	size_t depth = 0;

	if (!node->has_frame || node->size < 0) {
		input_bad(h->in, "a node without a callFrame or its size");
		return;
	}
	if (node->size == 0) {
		h->in->tally->good++;
		return;
	}
	for (; number != NO_NODE; number = h->node[number].parent) {
		h->stack = mem_grow(h->stack, &h->stack_cap, depth + 1,
				    sizeof(*h->stack));
		h->stack[depth++] = h->node[number].token;
	}
	sample.unit = STR("bytes");
	sample.n = node->n;
	if (!sink_begin(h->out, &sample))
		return;
	sink_push(h->out, h->stack, depth);
	sink_end(h->out, count_of((uint64_t)node->size));
}

void
v8heap_push(struct v8heap *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		push_node(h, (uint32_t)i);
}
