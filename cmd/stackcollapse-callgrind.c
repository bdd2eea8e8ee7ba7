/*
 * stackcollapse-callgrind - fold a profile of valgrind's callgrind.
 *
 * There are no stacks in it: only what each function cost, and what each of
 * its calls to another did; but with --separate-callers, names of functions
 * have those of their callers behind them.
 *
 * The format: "Callgrind Format Specification" in valgrind's manual.
 */
#include "calltree.h"
#include "reader.h"

#include <err.h>

enum { OPT_SELF = CMD_LONG, OPT_CALLS, OPT_EVENT_NAME };

static const struct cmd_option options[] = {
	{ "self", OPT_SELF, NULL, "what functions cost themselves (default)",
	  false },
	{ "calls", OPT_CALLS, NULL,
	  "what calls cost, caller;callee, with all that they call", false },
	{ "cost", OPT_EVENT_NAME, "EVENT", "this event, not the first", false },
	{ NULL, 0, NULL, NULL, false }
};

static int view;
static const char *wanted;

static bool
set_option(int value, char *arg)
{
	if (value == OPT_EVENT_NAME)
		wanted = arg;
	else
		view = value;
	return value >= OPT_SELF && value <= OPT_EVENT_NAME;
}

/* In a name: each of its costs is a stack as deep. */
enum { MOST_PARTS = 1000 };

struct callgrind {
	struct input *in;
	struct sink *out;
	struct map ids;        /* of functions: nodes */
	struct calltree calls; /* functions with the callers in their names */
	struct buf event;
	uint32_t caller, callee;    /* nodes, the root if unknown */
	bool is_valgrind, is_other; /* who says to have written it */
	bool is_call, has_stacks;
	int positions, column; /* which of the costs */
};

static bool
is_number(struct str s)
{
	uint64_t n;

	return str_u64(s, &n);
}

/* Names of other languages have no arguments: "Foo->bar" is one of PHP. */
static uint32_t
call(struct callgrind *c, uint32_t caller, struct str name)
{
	struct frame frame = { .name = name, .whole = c->is_other };

	return calltree_call(&c->calls, caller, sink_token(c->out, &frame, 0));
}

/*
 * Whether a quote belongs to a name: of a lifetime of Rust, "<&'a T>", or a
 * letter in D, "f!('a')".
 */
static bool
is_of_name(struct str before, struct str behind)
{
	const char last = before.p[before.len - 1];

	if (behind.len == 0 || strchr(")>, ", *behind.p) != NULL)
		return true;
	return strchr("<&(, ", last) != NULL &&
	       (behind.len == 1 || strchr("' >,)+", behind.p[1]) != NULL);
}

/* Cut the last part off a name, behind "'"; false if there is none. */
static bool
cut_part(struct str *name, struct str *part)
{
	const char *end = name->p + name->len, *p;

	for (p = end - 1; p > name->p; p--) {
		*part = str_range(p + 1, end);
		if (*p == '\'' && !is_of_name(str_range(name->p, p), *part)) {
			*name = str_range(name->p, p);
			return true;
		}
	}
	return false;
}

/*
 * "fib'2" is fib called by itself, which callgrind tells apart; "fib'2'main'b",
 * called by main, which b called.
 */
static uint32_t
find_node(struct callgrind *c, struct str name)
{
	uint32_t node = CALLTREE_ROOT;
	struct str rest = name, part;
	int parts;

	for (parts = 0; parts < MOST_PARTS && cut_part(&rest, &part); parts++) {
		if (!is_number(part)) {
			if (!c->is_valgrind)
				break;
			node = call(c, node, part);
			c->has_stacks = true;
		}
		name = rest;
	}
	return call(c, node, name);
}

/* "(12) name" the first time, then "(12)"; or just a name. */
static bool
read_function(struct callgrind *c, struct str s, uint32_t *node)
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
		return numbered && map_get(&c->ids, id, node);
	*node = find_node(c, s);
	if (numbered)
		map_put(&c->ids, id, *node);
	return true;
}

/* Cut the next word off, and the blanks around it. */
static struct str
cut_word(struct str *line)
{
	*line = str_trim(*line);
	return str_cut(line, ' ');
}

/* "events: Ir Dr": where the one that is wanted stands. */
static void
read_events(struct callgrind *c, struct str names)
{
	struct str name;
	int i;

	for (i = 0; names.len > 0; i++) {
		name = cut_word(&names);
		if (wanted != NULL && !str_eq(name, str_of(wanted)))
			continue;
		c->column = i;
		c->event.len = 0;
		buf_str(&c->event, name);
		return;
	}
	errx(2, "%s: no event %s", c->in->name, wanted ? wanted : "at all");
}

static void
push(struct callgrind *c, uint64_t cost)
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

/* "+3 17": positions, and then costs; those at the end that are 0 miss. */
static bool
read_costs(struct callgrind *c, struct str line)
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

/* "positions: instr bb line": how many words stand before the costs. */
static void
read_positions(struct callgrind *c, struct str names)
{
	for (c->positions = 0; names.len > 0; c->positions++)
		cut_word(&names);
}

/* A line "key: value". */
static void
read_head(struct callgrind *c, struct str line)
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
read_line(struct callgrind *c, struct str line)
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
	struct callgrind c = { .in = in, .out = out, .positions = 1 };
	struct str line;

	calltree_init(&c.calls);
	while (input_line(in, &line)) {
		line = str_trim(line);
		line = str_without_cr(line);
		if (line.len > 0 && *line.p != '#' && !read_line(&c, line))
			input_bad(in, "not a line of callgrind");
	}
	if (view == 0 && !c.has_stacks)
		sink_note(out, STR("there are no stacks in such a file: this "
				   "is what functions cost themselves"));
	map_free(&c.ids);
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
