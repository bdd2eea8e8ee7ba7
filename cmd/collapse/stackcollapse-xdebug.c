/*
 * stackcollapse-xdebug - fold a trace of PHP's Xdebug with trace_format=1.
 *
 * Fields are separated by tabs: level, number, 0 for an entry or 1 for an exit,
 * seconds, memory, and for an entry the function.
 */
#include "base/mem.h"
#include "reader/collapse.h"

#include <stdlib.h>

/* A trace that was begun in a function starts at a level above 1. */
struct php_call {
	uint64_t level;
	uint64_t self; /* ns */
	uint32_t token;
};

struct xdebug_trace {
	struct input *in;
	struct sink *out;
	struct php_call *call;
	uint32_t *stack;
	size_t depth, cap, stack_cap;
	uint64_t last; /* ns */
	bool started;
};

/*
 * Add the time since the previous line to the innermost call.  After the clock
 * was set back, time counts again once it has caught up.
 */
static void
spend(struct xdebug_trace *t, uint64_t now)
{
	if (now < t->last) {
		input_bad(t->in, "a time is less than the one before");
		return;
	}
	if (t->depth > 0)
		t->call[t->depth - 1].self += now - t->last;
	t->last = now;
}

static void
enter(struct xdebug_trace *t, uint64_t level, struct str name)
{
	struct frame frame = { .name = name, .whole = true };

	t->call = mem_grow(t->call, &t->cap, t->depth + 1, sizeof(*t->call));
	t->call[t->depth++] =
	    (struct php_call){ level, 0, sink_token(t->out, &frame, 0) };
}

static void
leave(struct xdebug_trace *t)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t self = t->call[t->depth - 1].self;
	size_t i;

	t->stack = mem_grow(t->stack, &t->stack_cap, t->depth,
			    sizeof(*t->stack));
	for (i = 0; i < t->depth; i++)
		t->stack[i] = t->call[i].token;
	sample.unit = STR("ns");
	sample.ns = self;
	if (sink_begin(t->out, &sample)) {
		sink_push(t->out, t->stack, t->depth);
		if (t->call[0].level > 1)
			sink_truncated(t->out);
		sink_end(t->out, count_of(self));
	}
	t->depth--;
}

/* Leave the calls above a level; some have no exit of their own. */
static void
leave_down_to(struct xdebug_trace *t, uint64_t level)
{
	while (t->depth > 0 && t->call[t->depth - 1].level > level)
		leave(t);
}

/* A file may have several traces, complete or not. */
static void
begin_trace(struct xdebug_trace *t)
{
	leave_down_to(t, 0);
	t->last = 0;
	t->started = true;
}

static bool
parse_time(struct str s, uint64_t *ns)
{
	struct count c;

	if (count_parse(s, &c) != COUNT_OK || c.units > UINT32_MAX)
		return false;
	*ns = c.units * 1000000000 + (uint64_t)c.micro * 1000;
	return true;
}

static void
read_record(struct xdebug_trace *t, struct str line)
{
	struct str level_field = str_cut(&line, '\t'), type;
	uint64_t level, now;

	str_cut(&line, '\t');
	type = str_cut(&line, '\t');
	if (!str_eq(type, STR("0")) && !str_eq(type, STR("1")))
		return; /* the value a function returned, or the end */
	if (!str_u64(level_field, &level) || level == 0 ||
	    !parse_time(str_cut(&line, '\t'), &now)) {
		input_bad(t->in, "a record has no level or time");
		return;
	}
	spend(t, now);
	leave_down_to(t, level - 1);
	if (*type.p == '1')
		return;
	if (t->depth > 0 && level > t->call[t->depth - 1].level + 1)
		input_bad(t->in, "a call has no caller");
	str_cut(&line, '\t');
	enter(t, level, str_cut(&line, '\t'));
}

static void
read_xdebug(struct input *in, struct sink *out)
{
	struct xdebug_trace t = { .in = in, .out = out };
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (str_starts(line, STR("TRACE START")))
			begin_trace(&t);
		else if (str_starts(line, STR("TRACE END")))
			leave_down_to(&t, 0);
		else if (t.started && str_find(line, '\t') != NULL)
			read_record(&t, line);
		else if (!str_starts(line, STR("Version:")) &&
			 !str_starts(line, STR("File format:")) && line.len > 0)
			input_bad(
			    in,
			    "another trace format; set xdebug.trace_format=1");
	}
	leave_down_to(&t, 0);
	free(t.call);
	free(t.stack);
}

int
main(int argc, char *argv[])
{
	static const struct reader xdebug = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a trace of PHP's Xdebug.",
		.read = read_xdebug
	};

	return collapse_main(argc, argv, &xdebug);
}
