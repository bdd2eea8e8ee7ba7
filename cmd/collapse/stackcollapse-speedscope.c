/*
 * stackcollapse-speedscope - fold speedscope's own JSON, which py-spy, rbspy,
 * dotnet-trace and others write.
 *
 * Source: src/lib/file-format-spec.ts of speedscope.
 */
#include "base/arena.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "folded/script_name.h"
#include "formats/calltree.h"
#include "io/spill_queue.h"
#include "reader/collapse.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_PROFILE = CMD_LONG, OPT_LIST, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "profile", OPT_PROFILE, "N", "read profile N only; --list shows all",
	  false },
	{ "list", OPT_LIST, NULL, "list the profiles of the file", false },
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static uint64_t wanted_profile; /* 0 for all */
static bool only_list, with_lines;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_PROFILE:
		return str_u64(str_of(arg), &wanted_profile) &&
		       wanted_profile > 0;
	case OPT_LIST:
		only_list = true;
		return true;
	case OPT_SRCLINE:
		with_lines = true;
		return true;
	}
	return false;
}

/* A profile; its nodes precede the root of the next profile in the tree. */
struct speedscope_profile {
	struct str name, unit;
	uint32_t root;
};

struct speedscope_file {
	struct input *in;
	struct sink *out;
	struct calltree calls;
	struct speedscope_profile *profile;
	size_t n, cap;
	uint32_t *token; /* of the shared frames, which may come last */
	size_t ntokens, token_cap;
	struct spill_queue seen;    /* node of each sample of a profile */
	struct spill_queue weights; /* of the samples, each as two halves */
	struct buf name, text;
	struct arena arena; /* names and units of profiles */
	struct str unit;    /* of the last sample */
	bool is_mixed;      /* samples have several units */
};

/* Name a function of Python as folded(5) does, with f->name for all of it. */
static void
name_python(struct speedscope_file *f, int64_t line, bool has_line)
{
	struct buf name = f->name;
	char number[32] = "";

	if (with_lines && has_line)
		snprintf(number, sizeof(number), "%" PRId64, line);
	f->name = (struct buf){ 0 };
	script_name_print(&f->name, buf_slice(&name), buf_slice(&f->text),
			  str_of(number));
	buf_free(&name);
}

/* {"name":"f","file":"a.js","line":7} */
static void
read_frame(struct speedscope_file *f, struct json *j)
{
	struct frame frame = { .whole = true };
	struct str key;
	int64_t line = 0;
	bool has_line = false, is_python;

	f->name.len = f->text.len = 0;
	if (json_expect(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("name")))
				json_text(j, &f->name);
			else if (str_eq(key, STR("file")))
				json_text(j, &f->text);
			else if (str_eq(key, STR("line")))
				has_line = json_integer(j, &line);
			else
				json_skip(j);
		}
	}
	is_python = f->name.len > 0 &&
		    script_name_is_python(buf_slice(&f->text));
	if (is_python)
		name_python(f, line, has_line);
	else if (f->text.len > 0 && has_line)
		buf_printf(&f->text, ":%" PRId64, line);
	frame.name = buf_slice(&f->name);
	if (with_lines && !is_python)
		frame.line = buf_slice(&f->text);
	f->token = mem_grow(f->token, &f->token_cap, f->ntokens + 1,
			    sizeof(*f->token));
	f->token[f->ntokens++] = sink_token(f->out, &frame, 0);
}

static void
read_shared(struct speedscope_file *f, struct json *j)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (!str_eq(key, STR("frames")) || !json_enter(j, '[')) {
			json_skip(j);
			continue;
		}
		while (json_more(j))
			read_frame(f, j);
	}
}

/* The number of a shared frame; push_calls() reports an impossible one. */
static uint32_t
frame_number(int64_t frame)
{
	return frame < 0 || frame > UINT32_MAX ? UINT32_MAX : (uint32_t)frame;
}

static void
spend(struct speedscope_file *f, uint32_t node, double weight)
{
	f->in->line++;
	if (!(weight >= 0)) {
		input_bad(f->in, weight < 0 ? "a negative weight" :
					      "a weight is not a number");
		return;
	}
	calltree_spend(&f->calls, node, weight);
}

/* Read [frame, ...], root first; returns the node of the leaf. */
static uint32_t
read_stack(struct speedscope_file *f, struct json *j, uint32_t node)
{
	int64_t frame;

	if (!json_expect(j, '['))
		return node;
	while (json_more(j)) {
		if (!json_integer(j, &frame))
			frame = -1;
		node = calltree_call(&f->calls, node, frame_number(frame));
	}
	return node;
}

static void
read_samples(struct speedscope_file *f, struct json *j, uint32_t root)
{
	spill_queue_free(&f->seen);
	while (json_more(j))
		spill_queue_add(&f->seen, read_stack(f, j, root));
}

static void
read_weights(struct speedscope_file *f, struct json *j)
{
	uint32_t half[2];
	double weight;

	spill_queue_free(&f->weights);
	while (json_more(j)) {
		if (!json_real(j, &weight))
			weight = NAN;
		memcpy(half, &weight, sizeof(half));
		spill_queue_add(&f->weights, half[0]);
		spill_queue_add(&f->weights, half[1]);
	}
}

/* Spend each weight in the node of its sample; both are read by now. */
static void
spend_weights(struct speedscope_file *f)
{
	const uint64_t nweights = f->weights.n / 2;
	uint32_t node, half[2];
	double weight;

	while (spill_queue_next(&f->seen, &node) &&
	       spill_queue_next(&f->weights, &half[0]) &&
	       spill_queue_next(&f->weights, &half[1])) {
		memcpy(&weight, half, sizeof(half));
		spend(f, node, weight);
	}
	if (nweights != f->seen.n)
		input_bad(f->in, "%" PRIu64 " weights of %" PRIu64 " samples",
			  nweights, f->seen.n);
	spill_queue_free(&f->seen);
	spill_queue_free(&f->weights);
}

/* Leave the innermost call of a frame, and all calls in it. */
static void
leave(struct speedscope_file *f, uint32_t *node, uint32_t frame)
{
	const size_t n = calltree_leave(&f->calls, node, frame);

	if (n == 0)
		input_bad(f->in, "a frame ends that did not begin");
	else if (n > 1)
		input_bad(f->in, "a frame ends before its callees");
}

/* {type: O or C, at: time, frame: number} */
struct frame_event {
	char type;
	bool has_time, has_frame;
	double time;
	int64_t frame;
};

static void
read_event(struct json *j, struct frame_event *e)
{
	struct str key, type;

	*e = (struct frame_event){ 0 };
	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("at")))
			e->has_time = json_real(j, &e->time);
		else if (str_eq(key, STR("frame")))
			e->has_frame = json_integer(j, &e->frame);
		else if (!str_eq(key, STR("type")))
			json_skip(j);
		else if (json_string(j, &type) && type.len == 1)
			e->type = *type.p;
	}
}

/* Frames open and close.  No code runs while none is open. */
static void
read_events(struct speedscope_file *f, struct json *j, uint32_t root)
{
	uint32_t node = root;
	struct frame_event e;
	double last = 0;

	while (json_more(j)) {
		read_event(j, &e);
		if (json_bad(j) != NULL)
			break;
		if (!e.has_time || !e.has_frame ||
		    (e.type != 'O' && e.type != 'C')) {
			input_bad(f->in, "an event has no at, frame or type");
			continue;
		}
		if (node != root && e.time != last)
			spend(f, node, e.time - last);
		last = e.time;
		if (e.type == 'O')
			node = calltree_enter(&f->calls, node,
					      frame_number(e.frame));
		else
			leave(f, &node, frame_number(e.frame));
	}
	calltree_close(&f->calls);
	if (node != root)
		input_bad(f->in, "a frame never ends");
}

static struct str
copy_string(struct speedscope_file *f, struct json *j)
{
	struct str s = { 0 };

	json_string(j, &s);
	return arena_str(&f->arena, s);
}

static void
read_profile(struct speedscope_file *f, struct json *j)
{
	uint32_t root = calltree_call(&f->calls, CALLTREE_ROOT, (uint32_t)f->n);
	struct speedscope_profile p = { .root = root };
	struct str key;

	f->profile = mem_grow(f->profile, &f->cap, f->n + 1, sizeof(p));
	f->profile[f->n++] = p;
	if (!json_enter(j, '{')) {
		input_bad(f->in, "a profile is not an object");
		json_skip(j);
		return;
	}
	while (json_key(j, &key)) {
		if (str_eq(key, STR("name")))
			p.name = copy_string(f, j);
		else if (str_eq(key, STR("unit")))
			p.unit = copy_string(f, j);
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
	spend_weights(f);
}

/* The factor from a unit of speedscope to a unit of folded text. */
static double
scale(struct str unit, struct str *folded)
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

	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (str_eq(unit, str_of(units[i].name))) {
			*folded = str_of(units[i].folded);
			return units[i].scale;
		}
	}
	*folded = STR("samples");
	return 1;
}

/* Times are whole nanoseconds: fractions are rounding errors of the sum. */
static struct count
to_count(double x, struct str unit)
{
	struct count c = count_of((uint64_t)x);

	if (str_eq(unit, STR("ns")))
		return count_of((uint64_t)llround(x));
	c.micro = (uint32_t)llround((x - floor(x)) * 1e6);
	return c.micro == 1000000 ? count_of(c.units + 1) : c;
}

/* Push the frames from a node up to its profile. */
static void
push_calls(struct speedscope_file *f, const struct calltree_node *node)
{
	bool bad = false;

	for (; node->parent != CALLTREE_ROOT;
	     node = &f->calls.node[node->parent]) {
		if (node->frame < f->ntokens)
			sink_push(f->out, &f->token[node->frame], 1);
		else
			bad = true;
	}
	if (bad)
		input_bad(f->in, "a sample refers to a missing frame");
}

/* Push what was spent in one stack of a profile. */
static void
push_node(struct speedscope_file *f, const struct calltree_node *node,
	  const struct speedscope_profile *profile)
{
	struct frame root = { .name = profile->name, .whole = true };
	struct sample sample = SAMPLE_UNKNOWN;
	double weight = node->self * scale(profile->unit, &sample.unit);

	if (!(weight < 9e18)) {
		input_bad(f->in, "a weight beyond 63 bits");
		return;
	}
	f->is_mixed |= f->unit.len > 0 && !str_eq(f->unit, sample.unit);
	f->unit = sample.unit;
	sample.n = node->n;
	if (!sink_begin(f->out, &sample))
		return;
	push_calls(f, node);
	if (f->n > 1 && wanted_profile == 0)
		sink_frame(f->out, &root);
	sink_end(f->out, to_count(weight, sample.unit));
}

static void
list_profiles(struct speedscope_file *f)
{
	const struct speedscope_profile *p;
	size_t i;

	f->text.len = 0;
	for (i = 0; i < f->n; i++) {
		p = &f->profile[i];
		buf_printf(&f->text, "%zu ", i + 1);
		utf8_escape(&f->text, p->name);
		buf_char(&f->text, ' ');
		utf8_escape(&f->text, p->unit);
		buf_char(&f->text, '\n');
	}
	buf_write(&f->text, stdout);
	f->in->tally->good += f->n;
}

static void
push_nodes(struct speedscope_file *f)
{
	size_t i, profile = 0;

	for (i = 1; i < f->calls.n; i++) {
		if (profile + 1 < f->n && i == f->profile[profile + 1].root)
			profile++;
		if (f->calls.node[i].n > 0 &&
		    (wanted_profile == 0 || profile + 1 == wanted_profile))
			push_node(f, &f->calls.node[i], &f->profile[profile]);
	}
	if (f->is_mixed)
		sink_note(f->out, STR("profiles have different units; choose "
				      "one with --profile (see --list)"));
}

static void
finish(struct speedscope_file *f)
{
	if (wanted_profile > f->n && f->n > 0)
		errx(2, "%s: no profile %" PRIu64 "; --list prints all",
		     f->in->name, wanted_profile);
	if (only_list)
		list_profiles(f);
	else
		push_nodes(f);
	arena_free(&f->arena);
	free(f->profile);
	free(f->token);
	calltree_free(&f->calls);
	buf_free(&f->name);
	buf_free(&f->text);
}

static void
read_speedscope(struct input *in, struct sink *out)
{
	struct speedscope_file f = { .in = in, .out = out };
	struct json *j = json_new(in);
	struct str key;
	bool object, any = false;

	in->tally->bad_unit = "sample";
	calltree_init(&f.calls);
	object = json_enter(j, '{');
	if (!object && json_peek(j) != 0)
		input_bad(in, "not a speedscope file");
	while (object && json_key(j, &key)) {
		if (str_eq(key, STR("shared")))
			read_shared(&f, j);
		else if (str_eq(key, STR("profiles")) && json_enter(j, '['))
			for (any = true; json_more(j);)
				read_profile(&f, j);
		else
			json_skip(j);
	}
	if (json_end(j) != NULL)
		input_bad(in, "%s", json_bad(j));
	else if (object && !any)
		input_bad(in, "the file has no profiles");
	finish(&f);
	json_free(j);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	static const struct reader speedscope = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile in the JSON of speedscope.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_speedscope
	};

	return collapse_main(argc, argv, &speedscope);
}
