/*
 * stackcollapse-callgrind - fold a profile of valgrind's callgrind.
 *
 * There are no stacks in it: only what each function cost, and what each of
 * its calls to another did.
 *
 * The format: "Callgrind Format Specification" in valgrind's manual.
 */
#include "map.h"
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

struct callgrind {
	struct input *in;
	struct sink *out;
	struct map ids; /* of functions: tokens */
	struct buf event;
	uint32_t caller, callee; /* tokens */
	bool has_caller, is_call;
	int positions, column; /* which of the costs */
};

/* "fib'2" is fib called by itself: callgrind tells such calls apart. */
static struct str
without_level(struct str name)
{
	const char *p = name.p + name.len;

	while (p > name.p && str_isdigit(p[-1]))
		p--;
	if (p == name.p + name.len || p == name.p || p[-1] != '\'')
		return name;
	return str_range(name.p, p - 1);
}

/* "(12) name" the first time, then "(12)"; or just a name. */
static bool
read_function(struct callgrind *c, struct str s, uint32_t *token)
{
	struct str number;
	uint64_t id;
	bool numbered = false;

	if (str_starts(s, STR("(")) && str_find(s, ')') != NULL) {
		number = str_skip(s, 1);
		number = str_cut(&number, ')');
		numbered = str_u64(number, &id);
	}
	if (numbered)
		s = str_trim(str_skip(s, number.len + 2));
	if (s.len == 0)
		return numbered && map_get(&c->ids, id, token);
	*token = sink_token(c->out, &(struct frame){ .name = without_level(s) },
			    0);
	if (numbered)
		map_put(&c->ids, id, *token);
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
	struct sample sample = SAMPLE_UNKNOWN;

	sample.event = buf_slice(&c->event);
	sample.unit = sample.event;
	if (cost == 0 || c->is_call != (view == OPT_CALLS)) {
		c->in->tally->good++;
		return;
	}
	if (!sink_begin(c->out, &sample))
		return;
	sink_push(c->out, &c->caller, 1);
	if (c->is_call)
		sink_push(c->out, &c->callee, 1);
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
	if (!c->has_caller)
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

static bool
read_line(struct callgrind *c, struct str line)
{
	struct str key = line;
	const char *mark;

	if (str_isdigit(*line.p) || strchr("+-*", *line.p) != NULL)
		return read_costs(c, line);
	if (str_starts(line, STR("positions:"))) {
		read_positions(c, str_trim(str_skip(line, 10)));
		return true;
	}
	if (str_starts(line, STR("events:"))) {
		read_events(c, str_trim(str_skip(line, 7)));
		return true;
	}
	mark = str_find(line, '=');
	if (mark == NULL)
		return str_find(line, ':') != NULL; /* the head */
	key = str_cut(&line, '=');
	if (str_eq(key, STR("fn"))) {
		c->is_call = false;
		c->has_caller = read_function(c, line, &c->caller);
		return c->has_caller;
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

	if (view == 0) {
		sink_note(out, STR("there are no stacks in such a file: this "
				   "is what functions cost themselves"));
		view = OPT_SELF;
	}
	while (input_line(in, &line)) {
		line = str_trim(line);
		line = str_without_cr(line);
		if (line.len > 0 && *line.p != '#' && !read_line(&c, line))
			input_bad(in, "not a line of callgrind");
	}
	map_free(&c.ids);
	buf_free(&c.event);
}

int
main(int argc, char *argv[])
{
	static const struct reader callgrind = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of valgrind's callgrind.",
		.options = options,
		.setopt = set_option,
		.read = read_callgrind
	};

	return collapse_main(argc, argv, &callgrind);
}
