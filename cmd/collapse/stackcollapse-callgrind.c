/*
 * stackcollapse-callgrind - fold a profile of valgrind's callgrind.
 *
 * The profile has no stacks, only the cost of each function and of its calls to
 * each other function.  With --separate-callers the names of functions are
 * followed by the names of their callers.
 *
 * Source: "Callgrind Format Specification" in valgrind's manual.
 */
#include "formats/calltree.h"
#include "reader/collapse.h"

#include <err.h>

enum { OPT_SELF = CMD_LONG, OPT_CALLS, OPT_EVENT_NAME };

static const struct cmd_option options[] = {
	{ "self", OPT_SELF, NULL, "count the self cost of functions (default)",
	  false },
	{ "calls", OPT_CALLS, NULL,
	  "count the total cost of calls, caller;callee", false },
	{ "cost", OPT_EVENT_NAME, "EVENT", "count this event, not the first",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static int view;
static const char *wanted_event;

static bool
set_option(int value, char *arg)
{
	if (value == OPT_EVENT_NAME)
		wanted_event = arg;
	else
		view = value;
	return value >= OPT_SELF && value <= OPT_EVENT_NAME;
}

/* Limit of callers in a name: each line of costs gives a stack so deep. */
enum { MAX_PARTS = 1000 };

struct cost_file {
	struct input *in;
	struct sink *out;
	struct u64map ids;     /* nodes by id of the function */
	struct calltree calls; /* functions below the callers in their names */
	struct buf event;
	uint32_t caller, callee;    /* nodes, the root if unknown */
	bool is_valgrind, is_other; /* the creator, if given */
	bool is_call, has_stacks;
	int positions; /* words before the costs */
	int column;    /* of the wanted event, among the costs */
};

static bool
is_number(struct str s)
{
	uint64_t n;

	return str_u64(s, &n);
}

/* The node of a call.  Other creators: "Foo->bar" is a whole name of PHP. */
static uint32_t
add_call(struct cost_file *c, uint32_t caller, struct str name)
{
	struct frame frame = { .name = name, .whole = c->is_other };

	return calltree_call(&c->calls, caller, sink_token(c->out, &frame, 0));
}

/*
 * Whether a quote belongs to a name: to a lifetime of Rust, "<&'a T>", or a
 * character of D, "f!('a')".
 */
static bool
is_part_of_name(struct str before, struct str after)
{
	const char last = before.p[before.len - 1];

	if (after.len == 0 || strchr(")>, ", *after.p) != NULL)
		return true;
	return strchr("<&(, ", last) != NULL &&
	       (after.len == 1 || strchr("' >,)+", after.p[1]) != NULL);
}

/* Cut off the last part of a name, after "'"; false if there is none. */
static bool
cut_part(struct str *name, struct str *part)
{
	const char *end = name->p + name->len, *p;

	for (p = end - 1; p > name->p; p--) {
		*part = str_range(p + 1, end);
		if (*p == '\'' &&
		    !is_part_of_name(str_range(name->p, p), *part)) {
			*name = str_range(name->p, p);
			return true;
		}
	}
	return false;
}

/*
 * "fib'2" is fib called by itself, which callgrind counts apart.
 * "fib'2'main'b" was called by main, which b called.
 */
static uint32_t
find_node(struct cost_file *c, struct str name)
{
	uint32_t node = CALLTREE_ROOT;
	struct str rest = name, part;
	int parts;

	for (parts = 0; parts < MAX_PARTS && cut_part(&rest, &part); parts++) {
		if (!is_number(part)) {
			if (!c->is_valgrind)
				break;
			node = add_call(c, node, part);
			c->has_stacks = true;
		}
		name = rest;
	}
	return add_call(c, node, name);
}

/* "(12) name" the first time, then "(12)"; or just a name. */
static bool
read_function(struct cost_file *c, struct str s, uint32_t *node)
{
	struct str number;
	uint64_t id;
	bool numbered = false;

	*node = CALLTREE_ROOT;
	if (str_starts(s, STR("(")) && str_find(s, ')') != NULL) {
		number = str_skip(s, 1);
		number = str_cut(&number, ')');
		numbered = str_u64(number, &id);
	}
	if (numbered)
		s = str_trim(str_skip(s, number.len + 2));
	if (s.len == 0)
		return numbered && u64map_get(&c->ids, id, node);
	*node = find_node(c, s);
	if (numbered)
		u64map_put(&c->ids, id, *node);
	return true;
}

/* Cut the next word off, and the blanks around it. */
static struct str
cut_word(struct str *line)
{
	*line = str_trim(*line);
	return str_cut(line, ' ');
}

/* "events: Ir Dr": find the column of the wanted event. */
static void
read_events(struct cost_file *c, struct str names)
{
	struct str name;
	int i;

	for (i = 0; names.len > 0; i++) {
		name = cut_word(&names);
		if (wanted_event != NULL && !str_eq(name, str_of(wanted_event)))
			continue;
		c->column = i;
		c->event.len = 0;
		buf_str(&c->event, name);
		return;
	}
	errx(2, "%s: no event %s", c->in->name,
	     wanted_event ? wanted_event : "at all");
}

static void
push(struct cost_file *c, uint64_t cost)
{
	const struct calltree_node *node;
	struct sample sample = SAMPLE_UNKNOWN;

	sample.event = buf_slice(&c->event);
	sample.unit = sample.event;
	if (cost == 0 || c->is_call != (view == OPT_CALLS)) {
		c->in->tally->good++;
		return;
	}
	if (!sink_begin(c->out, &sample))
		return;
	node = &c->calls.node[c->caller];
	if (c->is_call) {
		sink_push(c->out, &c->calls.node[c->callee].frame, 1);
		sink_push(c->out, &node->frame, 1);
	} else {
		for (; node != c->calls.node;
		     node = &c->calls.node[node->parent])
			sink_push(c->out, &node->frame, 1);
	}
	sink_end(c->out, count_of(cost));
}

/* Decimal, or hexadecimal with 0x. */
static bool
parse_number(struct str s, uint64_t *n)
{
	return str_starts(s, STR("0x")) ? str_hex(str_skip(s, 2), n) :
					  str_u64(s, n);
}

/* "+3 17": positions, then costs.  Trailing costs of 0 are left out. */
static bool
read_costs(struct cost_file *c, struct str line)
{
	uint64_t cost = 0;
	int i;

	for (i = 0; i < c->positions; i++)
		cut_word(&line);
	for (i = 0; i <= c->column; i++) {
		cost = 0;
		if (line.len > 0 && !parse_number(cut_word(&line), &cost))
			return false;
	}
	if (c->caller == CALLTREE_ROOT ||
	    (c->is_call && c->callee == CALLTREE_ROOT))
		return false;
	push(c, cost);
	c->is_call = false;
	return true;
}

/* "positions: instr bb line": the number of words before the costs. */
static void
read_positions(struct cost_file *c, struct str names)
{
	for (c->positions = 0; names.len > 0; c->positions++)
		cut_word(&names);
}

/* A line "key: value". */
static void
read_head(struct cost_file *c, struct str line)
{
	struct str key = str_cut(&line, ':');

	line = str_trim(line);
	if (str_eq(key, STR("positions"))) {
		read_positions(c, line);
	} else if (str_eq(key, STR("events"))) {
		read_events(c, line);
	} else if (str_eq(key, STR("creator"))) {
		c->is_valgrind = str_starts(line, STR("callgrind"));
		c->is_other = !c->is_valgrind;
	}
}

static bool
read_line(struct cost_file *c, struct str line)
{
	struct str key = line;
	const char *mark, *colon;

	if (str_isdigit(*line.p) || strchr("+-*", *line.p) != NULL)
		return read_costs(c, line);
	mark = str_find(line, '=');
	colon = str_find(line, ':');
	if (colon != NULL && (mark == NULL || colon < mark)) {
		read_head(c, line);
		return true;
	}
	if (mark == NULL)
		return false;
	key = str_cut(&line, '=');
	if (str_eq(key, STR("fn"))) {
		c->is_call = false;
		return read_function(c, line, &c->caller);
	}
	if (str_eq(key, STR("cfn")))
		return read_function(c, line, &c->callee);
	c->is_call |= str_eq(key, STR("calls"));
	return true;
}

static void
read_callgrind(struct input *in, struct sink *out)
{
	struct cost_file c = { .in = in, .out = out, .positions = 1 };
	struct str line;

	calltree_init(&c.calls);
	while (input_line(in, &line)) {
		line = str_trim(line);
		line = str_without_cr(line);
		if (line.len > 0 && *line.p != '#' && !read_line(&c, line))
			input_bad(in, "not a line of a callgrind file");
	}
	if (view == 0 && !c.has_stacks)
		sink_note(out, STR("the file has no stacks; counting the self "
				   "cost of functions"));
	u64map_free(&c.ids);
	calltree_free(&c.calls);
	buf_free(&c.event);
}

int
main(int argc, char *argv[])
{
	static const struct reader callgrind = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of valgrind's callgrind.",
		.options = options,
		.setopt = set_option,
		.read = read_callgrind
	};

	return collapse_main(argc, argv, &callgrind);
}
