/*
 * v8heap.c - reads a .heapprofile of V8: live memory, by allocating stack.
 *
 * {"callFrame":{...},"selfSize":8,"id":1,"children":[{...},...]}
 */
#include "formats/v8heap.h"

#include "base/mem.h"
#include "base/u64map.h"
#include "formats/v8frame.h"

#include <stdlib.h>

#define NO_NODE UINT32_MAX

struct heap_node {
	uint32_t token, parent;
	bool has_frame;
	int64_t size; /* bytes */
	uint64_t n;   /* samples of these bytes */
};

struct v8heap {
	struct input *in;
	struct sink *out;
	struct heap_node *node;
	size_t n, cap;
	struct u64map by_id;
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
	u64map_free(&h->by_id);
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
	h->node[h->n] = (struct heap_node){ .parent = parent };
	return (uint32_t)h->n++;
}

/* Read members up to the children; false at the end of the node. */
static bool
read_members(struct v8heap *h, struct json *j, uint32_t number)
{
	struct heap_node *node = &h->node[number];
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
				u64map_put(&h->by_id, (uint64_t)id, number);
		} else if (str_eq(key, STR("children")) && json_enter(j, '[')) {
			return true;
		} else {
			json_skip(j);
		}
	}
	return false;
}

/* A loop, not a recursion: the tree may be deeper than our own stack. */
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
				 u64map_get(&h->by_id, (uint64_t)id, &number))
				h->node[number].n++;
		}
	}
}

static void
push_node(struct v8heap *h, uint32_t number)
{
	struct sample sample = SAMPLE_UNKNOWN;
	const struct heap_node *node = &h->node[number];
	size_t depth = 0;

	if (!node->has_frame || node->size < 0) {
		input_bad(h->in, "a node has no callFrame or size");
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
