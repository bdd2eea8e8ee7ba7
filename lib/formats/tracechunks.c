/* tracechunks.c - profiles of V8 in a file of trace events, in chunks. */
#include "formats/tracechunks.h"

#include "base/mem.h"
#include "formats/tracestacks.h"
#include "formats/v8frame.h"
#include "formats/v8times.h"

#include <inttypes.h>
#include <stdlib.h>

/* A node of a chunk.  Ids are unique in a profile; 0 for none. */
struct chunk_node {
	int64_t id, parent;
	uint32_t token;
};

struct chunk_numbers {
	int64_t *number;
	size_t n, cap;
};

struct chunk_profile {
	uint32_t thread;     /* the sampled one */
	int64_t start, end;  /* us; 0 if unknown */
	int64_t now, latest; /* us from the start, of the samples so far */
};

struct tracechunks {
	struct input *in;
	struct sink *out;
	struct tracethreads *threads;
	struct tracestacks *stacks;
	struct v8times *times;
	struct intern *ids; /* of profiles, with the pid */
	struct chunk_profile *profile;
	size_t n, cap;
	bool any;
	struct v8frame frame;
	struct buf text;

	/* The data of the current event. */
	struct chunk_node *node;
	size_t nnodes, node_cap;
	struct chunk_numbers samples, deltas;
	int64_t start, end;
};

struct tracechunks *
tracechunks_new(struct input *in, struct sink *out,
		struct tracethreads *threads)
{
	struct tracechunks *t = mem_zero(1, sizeof(*t));

	t->in = in;
	t->out = out;
	t->threads = threads;
	t->stacks = tracestacks_new(in, out, threads, STR("us"));
	t->times = v8times_new();
	t->ids = intern_new();
	return t;
}

void
tracechunks_free(struct tracechunks *t)
{
	tracestacks_free(t->stacks);
	v8times_free(t->times);
	intern_free(t->ids);
	v8frame_free(&t->frame);
	buf_free(&t->text);
	free(t->profile);
	free(t->node);
	free(t->samples.number);
	free(t->deltas.number);
	free(t);
}

bool
tracechunks_any(const struct tracechunks *t)
{
	return t->any;
}

void
tracechunks_no_data(struct tracechunks *t)
{
	t->nnodes = t->samples.n = t->deltas.n = 0;
	t->start = t->end = 0;
}

static void
read_numbers(struct chunk_numbers *a, struct json *j)
{
	int64_t n;

	if (!json_expect(j, '['))
		return;
	while (json_more(j)) {
		if (!json_integer(j, &n))
			n = 0;
		a->number = mem_grow(a->number, &a->cap, a->n + 1, sizeof(n));
		a->number[a->n++] = n;
	}
}

/* {"id":7,"parent":3,"callFrame":{"functionName":"f", ...}} */
static void
read_node(struct tracechunks *t, struct json *j)
{
	struct chunk_node node = { 0 };
	bool has_frame = false;
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("id"))) {
			json_integer(j, &node.id);
		} else if (str_eq(key, STR("parent"))) {
			json_integer(j, &node.parent);
		} else if (str_eq(key, STR("callFrame")) &&
			   json_enter(j, '{')) {
			node.token = v8frame_read(&t->frame, t->out, j);
			has_frame = true;
		} else {
			json_skip(j);
		}
	}
	if (!has_frame || node.id == 0)
		return; /* tracestacks.c reports its samples */
	t->node = mem_grow(t->node, &t->node_cap, t->nnodes + 1, sizeof(node));
	t->node[t->nnodes++] = node;
}

/* The times may be in either object, as for DevTools. */
static void
read_members(struct tracechunks *t, struct json *j, bool is_inner)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("timeDeltas"))) {
			read_numbers(&t->deltas, j);
		} else if (is_inner && str_eq(key, STR("samples"))) {
			read_numbers(&t->samples, j);
		} else if (is_inner && str_eq(key, STR("nodes")) &&
			   json_enter(j, '[')) {
			while (json_more(j))
				read_node(t, j);
		} else if (!is_inner && str_eq(key, STR("cpuProfile"))) {
			read_members(t, j, true);
		} else if (!is_inner && str_eq(key, STR("startTime"))) {
			json_integer(j, &t->start);
		} else if (!is_inner && str_eq(key, STR("endTime"))) {
			json_integer(j, &t->end);
		} else {
			json_skip(j);
		}
	}
}

void
tracechunks_data(struct tracechunks *t, struct json *j)
{
	tracechunks_no_data(t);
	read_members(t, j, false);
}

/* The number of a profile.  Its thread is unknown until "Profile" comes. */
static uint32_t
profile_number(struct tracechunks *t, struct str id, int64_t pid)
{
	uint32_t number;

	t->text.len = 0;
	buf_printf(&t->text, "%" PRId64 ":", pid);
	buf_str(&t->text, id);
	number = intern_id(t->ids, buf_slice(&t->text));
	t->profile = mem_grow(t->profile, &t->cap, (size_t)number + 1,
			      sizeof(*t->profile));
	if (number == t->n)
		t->profile[t->n++] = (struct chunk_profile){
			.thread = tracethreads_number(t->threads, pid, -1)
		};
	return number;
}

/* The number of a node among the nodes of all profiles. */
static uint32_t
node_number(struct tracechunks *t, uint32_t profile, int64_t id)
{
	t->text.len = 0;
	buf_printf(&t->text, "%" PRIu32 ":%" PRId64, profile, id);
	return tracestacks_number(t->stacks, buf_slice(&t->text));
}

static void
add_nodes(struct tracechunks *t, uint32_t profile)
{
	const struct chunk_node *node;
	uint32_t number, parent;
	size_t i;

	for (i = 0; i < t->nnodes; i++) {
		node = &t->node[i];
		number = node_number(t, profile, node->id);
		parent = node->parent == 0 ?
			     TRACESTACKS_ROOT :
			     node_number(t, profile, node->parent);
		tracestacks_frame(t->stacks, number, node->token, parent);
	}
}

/* A delta is the time since the previous sample, in this or another chunk. */
static void
add_samples(struct tracechunks *t, uint32_t profile)
{
	struct chunk_profile *p = &t->profile[profile];
	int64_t now;
	size_t i;

	if (t->samples.n != t->deltas.n)
		input_bad(t->in, "%zu times of %zu samples", t->deltas.n,
			  t->samples.n);
	for (i = 0; i < t->samples.n && i < t->deltas.n; i++) {
		t->any = true;
		if (__builtin_add_overflow(p->now, t->deltas.number[i], &now))
			input_bad(t->in, "times add up to more than 64 bits");
		else
			p->now = now;
		if (p->now > p->latest)
			p->latest = p->now;
		v8times_add(t->times, profile,
			    node_number(t, profile, t->samples.number[i]),
			    p->now);
	}
}

bool
tracechunks_add(struct tracechunks *t, struct str name, struct str id,
		int64_t pid, int64_t tid)
{
	struct chunk_profile *p;
	uint32_t number;

	if (!str_eq(name, STR("Profile")) && !str_eq(name, STR("ProfileChunk")))
		return false;
	number = profile_number(t, id, pid);
	p = &t->profile[number];
	if (str_eq(name, STR("Profile"))) {
		p->thread = tracethreads_number(t->threads, pid, tid);
		p->start = t->start;
	}
	if (t->end != 0)
		p->end = t->end;
	add_nodes(t, number);
	add_samples(t, number);
	return true;
}

/* Add a sample, or push it with its time if the output is a stream. */
static void
add_span(struct tracechunks *t, const struct v8times_span *span)
{
	const struct chunk_profile *p = &t->profile[span->profile];
	int64_t us;
	uint64_t ns;

	if (!sink_is_stream(t->out))
		tracestacks_add(t->stacks, p->thread, span->node, span->us);
	else if (__builtin_add_overflow(p->start, span->at, &us) || us < 0 ||
		 __builtin_mul_overflow((uint64_t)us, 1000, &ns))
		input_bad(t->in, "a time beyond 64 bits");
	else
		tracestacks_push_sample(t->stacks, p->thread, span->node,
					span->us, ns);
}

void
tracechunks_push(struct tracechunks *t)
{
	const struct v8times_span *span;
	const struct chunk_profile *p;
	int64_t end, duration;
	size_t i;

	for (i = 0; i < t->n; i++) {
		p = &t->profile[i];
		end = p->latest;
		if (p->start != 0 && p->end != 0 &&
		    !__builtin_sub_overflow(p->end, p->start, &duration) &&
		    duration > end)
			end = duration;
		v8times_end(t->times, (uint32_t)i, end);
	}
	while ((span = v8times_next(t->times)) != NULL)
		add_span(t, span);
	tracestacks_push(t->stacks);
}
