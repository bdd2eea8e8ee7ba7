/*
 * stackcollapse-speedscope - fold speedscope's own JSON, as py-spy, rbspy,
 * dotnet-trace and others write it.
 *
 * The format: src/lib/file-format-spec.ts of speedscope.
 */
#include "calltree.h"
#include "json.h"
#include "mem.h"
#include "reader.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_PROFILE = CMD_LONG, OPT_LIST, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "profile", OPT_PROFILE, "N", "only this one, as --list counts them",
	  false },
	{ "list", OPT_LIST, NULL, "print the profiles of the file", false },
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static uint64_t wanted; /* 0 for all */
static bool only_list, with_lines;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_PROFILE:
		return str_u64(str_of(arg), &wanted) && wanted > 0;
	case OPT_LIST:
		only_list = true;
		return true;
	case OPT_SRCLINE:
		with_lines = true;
		return true;
	}
	return false;
}

/* A profile; its stacks are those below its node in the tree. */
struct profile {
	char *name, *unit;
};

struct file {
	struct input *in;
	struct sink *out;
	struct calltree calls;
	struct profile *profile;
	size_t n, cap;
	uint32_t *token; /* of the shared frames, which come last */
	size_t ntokens, token_cap;
	uint32_t *seen; /* node of each sample of a profile */
	size_t nseen, nweights, seen_cap;
	struct buf text;
};

static void
add_frame(struct file *f, const struct json_value *v)
{
	struct str file = json_str(json_get(v, "file"));
	struct frame frame = { .name = json_str(json_get(v, "name")),
			       .whole = true };
	int64_t line;

	f->text.len = 0;
	if (with_lines && file.len > 0) {
		buf_str(&f->text, file);
		if (json_int(json_get(v, "line"), &line))
			buf_printf(&f->text, ":%" PRId64, line);
	}
	frame.line = buf_slice(&f->text);
	f->token = mem_grow(f->token, &f->token_cap, f->ntokens + 1,
			    sizeof(*f->token));
	f->token[f->ntokens++] = sink_token(f->out, &frame, 0);
}

static void
read_shared(struct file *f, struct json *j)
{
	const struct json_value *v;
	struct str key;

	if (!json_enter(j, '{')) {
		json_skip(j);
		return;
	}
	while (json_key(j, &key)) {
		if (!str_eq(key, STR("frames")) || !json_enter(j, '[')) {
			json_skip(j);
			continue;
		}
		while (json_more(j)) {
			v = json_value(j);
			if (json_bad(j) == NULL)
				add_frame(f, v);
		}
	}
}

/* A call to a shared frame; one that cannot be is said when it is named. */
static uint32_t
call(struct file *f, uint32_t node, int64_t frame)
{
	return calltree_call(&f->calls, node,
			     frame < 0 || frame > UINT32_MAX ? UINT32_MAX :
							       (uint32_t)frame);
}

static void
spend(struct file *f, uint32_t node, double weight)
{
	f->in->line++;
	if (weight < 0) {
		input_bad(f->in, "a negative weight");
		return;
	}
	f->calls.node[node].self += weight;
	f->calls.node[node].n++;
}

/* [[frame, ...], ...], each from the root. */
static void
read_samples(struct file *f, struct json *j, uint32_t root)
{
	uint32_t node;
	int64_t frame;

	f->nseen = 0;
	while (json_more(j)) {
		node = root;
		if (!json_enter(j, '['))
			json_skip(j);
		else
			while (json_more(j)) {
				if (!json_integer(j, &frame))
					frame = -1;
				node = call(f, node, frame);
			}
		f->seen = mem_grow(f->seen, &f->seen_cap, f->nseen + 1,
				   sizeof(*f->seen));
		f->seen[f->nseen++] = node;
	}
}

static void
read_weights(struct file *f, struct json *j)
{
	double weight;

	for (f->nweights = 0; json_more(j); f->nweights++) {
		if (!json_real(j, &weight))
			input_bad(f->in, "a weight that is no number");
		else if (f->nweights < f->nseen)
			spend(f, f->seen[f->nweights], weight);
	}
	if (f->nweights != f->nseen)
		input_bad(f->in, "%zu weights of %zu samples", f->nweights,
			  f->nseen);
}

/* Leave the innermost call of a frame, and those in it that never ended. */
static void
leave(struct file *f, uint32_t root, uint32_t *at, int64_t frame)
{
	uint32_t node = *at;

	while (node != root && f->calls.node[node].frame != frame)
		node = f->calls.node[node].parent;
	if (node == root) {
		input_bad(f->in, "the end of a frame that was not open");
		return;
	}
	if (node != *at)
		input_bad(f->in, "a frame ends before those in it");
	*at = f->calls.node[node].parent;
}

/* {type: O or C, at: time, frame: number}: open and close. */
static void
read_events(struct file *f, struct json *j, uint32_t root)
{
	const struct json_value *v;
	uint32_t node = root;
	double last = 0, time;
	int64_t frame;
	struct str type;

	while (json_more(j)) {
		v = json_value(j);
		if (json_bad(j) != NULL)
			break;
		type = json_str(json_get(v, "type"));
		if (!json_double(json_get(v, "at"), &time) ||
		    !json_int(json_get(v, "frame"), &frame)) {
			input_bad(f->in, "an event without at or frame");
			continue;
		}
		/* between root frames no code ran */
		if (node != root && time != last)
			spend(f, node, time - last);
		last = time;
		if (str_eq(type, STR("O")))
			node = call(f, node, frame);
		else
			leave(f, root, &node, frame);
	}
	if (node != root)
		input_bad(f->in, "a frame that never ends");
}

static char *
copy_string(struct json *j, char *old)
{
	struct str s = json_str(json_value(j));
	char *copy = mem_zero(1, s.len + 1);

	if (s.len > 0)
		memcpy(copy, s.p, s.len);
	free(old);
	return copy;
}

static void
read_profile(struct file *f, struct json *j)
{
	uint32_t root = calltree_call(&f->calls, CALLTREE_ROOT, (uint32_t)f->n);
	struct profile p = { 0 };
	struct str key;

	f->nseen = f->nweights = 0;
	f->profile = mem_grow(f->profile, &f->cap, f->n + 1, sizeof(p));
	f->profile[f->n++] = p;
	if (!json_enter(j, '{')) {
		input_bad(f->in, "a profile that is no object");
		json_skip(j);
		return;
	}
	while (json_key(j, &key)) {
		if (str_eq(key, STR("name")))
			p.name = copy_string(j, p.name);
		else if (str_eq(key, STR("unit")))
			p.unit = copy_string(j, p.unit);
		else if (str_eq(key, STR("samples")) && json_enter(j, '['))
			read_samples(f, j, root);
		else if (str_eq(key, STR("weights")) && json_enter(j, '['))
			read_weights(f, j);
		else if (str_eq(key, STR("events")) && json_enter(j, '['))
			read_events(f, j, root);
		else
			json_skip(j);
	}
	f->profile[f->n - 1] = p;
}

/* What a weight is, in units of folded text. */
static double
scale(const char *unit, struct str *folded)
{
	static const struct {
		const char *name, *folded;
		double scale;
	} units[] = { { "nanoseconds", "ns", 1 },
		      { "microseconds", "ns", 1e3 },
		      { "milliseconds", "ns", 1e6 },
		      { "seconds", "ns", 1e9 },
		      { "bytes", "bytes", 1 } };
	size_t i;

	for (i = 0; unit != NULL && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(unit, units[i].name) == 0) {
			*folded = str_of(units[i].folded);
			return units[i].scale;
		}
	}
	*folded = STR("samples");
	return 1;
}

static struct count
to_count(double x)
{
	struct count c = { (uint64_t)x, 0 };

	c.micro = (uint32_t)llround((x - floor(x)) * 1e6);
	if (c.micro == 1000000)
		c = count_of(c.units + 1);
	return c;
}

/* The frames from a node up to its profile, which is returned. */
static size_t
push_calls(struct file *f, uint32_t number)
{
	const struct calltree_node *node = &f->calls.node[number];
	bool bad = false;

	for (; node->parent != CALLTREE_ROOT;
	     node = &f->calls.node[node->parent]) {
		if (node->frame < f->ntokens)
			sink_push(f->out, &f->token[node->frame], 1);
		else
			bad = true;
	}
	if (bad)
		input_bad(f->in, "a frame that is not there");
	return node->frame;
}

static size_t
profile_of(const struct file *f, const struct calltree_node *node)
{
	while (node->parent != CALLTREE_ROOT)
		node = &f->calls.node[node->parent];
	return node->frame;
}

/*
 * What was spent in one stack, whose samples are added up already; the rest of
 * them is pushed with nothing, so that they can be counted.
 */
static void
push_node(struct file *f, uint32_t number)
{
	const struct calltree_node *node = &f->calls.node[number];
	size_t profile = profile_of(f, node);
	struct frame root = { .whole = true };
	struct sample sample = SAMPLE_UNKNOWN;
	double weight = node->self *
			scale(f->profile[profile].unit, &sample.unit);
	uint64_t i;

	if (wanted > 0 && profile + 1 != wanted)
		return;
	if (!(weight < 18e18)) {
		input_bad(f->in, "a weight beyond 64 bits");
		return;
	}
	if (f->profile[profile].name != NULL)
		root.name = str_of(f->profile[profile].name);
	for (i = 0; i < node->n; i++) {
		if (!sink_begin(f->out, &sample))
			continue;
		push_calls(f, number);
		if (f->n > 1 && wanted == 0)
			sink_frame(f->out, &root);
		sink_end(f->out, i == 0 ? to_count(weight) : count_of(0));
	}
}

static void
list_profiles(struct file *f)
{
	const struct profile *p;
	size_t i;

	f->text.len = 0;
	for (i = 0; i < f->n; i++) {
		p = &f->profile[i];
		buf_printf(&f->text, "%zu ", i + 1);
		utf8_escape(&f->text, str_of(p->name == NULL ? "" : p->name));
		buf_char(&f->text, ' ');
		utf8_escape(&f->text, str_of(p->unit == NULL ? "" : p->unit));
		buf_char(&f->text, '\n');
	}
	buf_write(&f->text, stdout);
	f->in->tally->good += f->n;
}

static void
finish(struct file *f)
{
	size_t i;

	if (only_list)
		list_profiles(f);
	for (i = 1; i < f->calls.n && !only_list; i++)
		push_node(f, (uint32_t)i);
	for (i = 0; i < f->n; i++) {
		free(f->profile[i].name);
		free(f->profile[i].unit);
	}
	free(f->profile);
	free(f->token);
	free(f->seen);
	calltree_free(&f->calls);
	buf_free(&f->text);
}

static void
read_speedscope(struct input *in, struct sink *out)
{
	struct file f = { .in = in, .out = out };
	struct json *j = json_new(in);
	struct str key;
	bool object;

	in->tally->bad_unit = "samples";
	calltree_init(&f.calls);
	object = json_enter(j, '{');
	if (!object && json_peek(j) != 0)
		input_bad(in, "not JSON of speedscope");
	while (object && json_key(j, &key)) {
		if (str_eq(key, STR("shared")))
			read_shared(&f, j);
		else if (str_eq(key, STR("profiles")) && json_enter(j, '['))
			while (json_more(j))
				read_profile(&f, j);
		else
			json_skip(j);
	}
	if (json_bad(j) != NULL)
		input_bad(in, "%s", json_bad(j));
	finish(&f);
	json_free(j);
}

int
main(int argc, char *argv[])
{
	static const struct reader speedscope = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile in the JSON of speedscope.",
		.options = options,
		.setopt = set_option,
		.read = read_speedscope
	};

	return collapse_main(argc, argv, &speedscope);
}
