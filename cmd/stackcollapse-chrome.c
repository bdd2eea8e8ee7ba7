/*
 * stackcollapse-chrome - fold trace events, the JSON that chrome://tracing
 * reads, as clang -ftime-trace, node and many others write it.
 *
 * The format: "Trace Event Format", Google, 2016.
 */
#include "arena.h"
#include "intern.h"
#include "json.h"
#include "mem.h"
#include "reader.h"

#include <math.h>
#include <stdlib.h>

enum { OPT_DETAIL = CMD_LONG, OPT_CATEGORY };

static const struct cmd_option options[] = {
	{ "detail", OPT_DETAIL, NULL,
	  "the argument detail behind names, as of clang", false },
	{ "category", OPT_CATEGORY, "NAME", "only events of this category",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_detail;
static const char *category;

static bool
set_option(int value, char *arg)
{
	if (value == OPT_DETAIL)
		with_detail = true;
	else if (value == OPT_CATEGORY)
		category = arg;
	return value == OPT_DETAIL || value == OPT_CATEGORY;
}

/*
 * Events come in any order, often the outer ones last, so all are kept:
 * this much of each.
 */
struct event {
	int64_t ts, end; /* ns */
	uint32_t thread, token;
	uint32_t order; /* in the file */
	char phase;     /* B, E or X */
};

/* A call that is open while the events of a thread are gone through. */
struct call {
	int64_t end, self;
	uint32_t token;
};

struct trace {
	struct input *in;
	struct sink *out;
	struct intern *threads; /* pid and tid, two numbers */
	struct intern *comms;   /* names of processes, by pid */
	struct str *comm;       /* of each pid that has one */
	size_t comm_cap;
	struct arena names;
	struct event *event;
	size_t n, cap;
	struct call *call;
	size_t depth, call_cap;
	uint32_t *stack;
	size_t stack_cap;
	struct buf text;
};

/* Microseconds, perhaps with decimals, as nanoseconds. */
static bool
get_ns(const struct json_value *v, const char *key, int64_t *ns)
{
	double us;

	if (!json_double(json_get(v, key), &us) || !(fabs(us) < 4e15))
		return false;
	*ns = llround(us * 1000);
	return true;
}

static struct str
pid_bytes(const int64_t *pid)
{
	return (struct str){ (const char *)pid, sizeof(*pid) };
}

/* {"name":"process_name","ph":"M","args":{"name":"clang"}} */
static void
read_metadata(struct trace *t, const struct json_value *v)
{
	struct str name = json_str(json_get(json_get(v, "args"), "name"));
	int64_t pid;
	uint32_t id;

	if (!str_eq(json_str(json_get(v, "name")), STR("process_name")) ||
	    !json_int(json_get(v, "pid"), &pid))
		return;
	id = intern_id(t->comms, pid_bytes(&pid));
	t->comm = mem_grow(t->comm, &t->comm_cap, id + 1, sizeof(*t->comm));
	t->comm[id] = arena_str(&t->names, name);
}

static uint32_t
event_token(struct trace *t, const struct json_value *v)
{
	struct str detail = json_str(json_get(json_get(v, "args"), "detail"));
	struct frame frame = { .name = json_str(json_get(v, "name")),
			       .whole = true };

	if (with_detail && detail.len > 0) {
		t->text.len = 0;
		buf_str(&t->text, frame.name);
		buf_char(&t->text, ' ');
		buf_str(&t->text, detail);
		frame.name = buf_slice(&t->text);
	}
	return sink_token(t->out, &frame, 0);
}

/* Categories are a list with commas. */
static bool
is_wanted(const struct json_value *v)
{
	struct str list = json_str(json_get(v, "cat"));

	if (category == NULL)
		return true;
	while (list.len > 0) {
		if (str_eq(str_cut(&list, ','), str_of(category)))
			return true;
	}
	return false;
}

static void
read_event(struct trace *t, const struct json_value *v)
{
	struct str phase = json_str(json_get(v, "ph"));
	int64_t thread[2] = { -1, -1 }, dur = 0;
	struct event e = { 0 };

	t->in->line++;
	if (str_eq(phase, STR("M")))
		read_metadata(t, v);
	if (phase.len != 1 || strchr("BEX", *phase.p) == NULL || !is_wanted(v))
		return; /* counters, instants, what is asynchronous */
	if (!get_ns(v, "ts", &e.ts) ||
	    (*phase.p == 'X' && !get_ns(v, "dur", &dur)) || dur < 0) {
		input_bad(t->in, "an event without its time");
		return;
	}
	json_int(json_get(v, "pid"), &thread[0]);
	json_int(json_get(v, "tid"), &thread[1]);
	e.end = e.ts + dur;
	e.phase = *phase.p;
	e.order = (uint32_t)t->n;
	e.thread = intern_id(
	    t->threads, (struct str){ (const char *)thread, sizeof(thread) });
	if (e.phase != 'E')
		e.token = event_token(t, v);
	t->event = mem_grow(t->event, &t->cap, t->n + 1, sizeof(e));
	t->event[t->n++] = e;
}

static void
read_events(struct trace *t, struct json *j)
{
	const struct json_value *v;

	while (json_more(j)) {
		v = json_value(j);
		if (json_bad(j) == NULL)
			read_event(t, v);
	}
}

static int
compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	int order = compare(a->thread, b->thread);

	if (order == 0)
		order = compare(a->ts, b->ts);
	return order != 0 ? order : compare(a->order, b->order);
}

/* So that an event stands behind those that it is in. */
static int
by_nesting(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	int order = compare(a->thread, b->thread);

	if (order == 0)
		order = compare(a->ts, b->ts);
	if (order == 0)
		order = compare(b->end, a->end);
	return order != 0 ? order : compare(a->order, b->order);
}

static void
push_open(struct trace *t, size_t *depth, size_t event)
{
	t->stack = mem_grow(t->stack, &t->stack_cap, *depth + 1,
			    sizeof(*t->stack));
	t->stack[(*depth)++] = (uint32_t)event;
}

/* Those that began and never ended last until the last event of the thread. */
static void
close_all(struct trace *t, size_t *depth, int64_t last)
{
	while (*depth > 0) {
		t->event[t->stack[--*depth]].end = last;
		input_bad(t->in, "an event that never ends");
	}
}

/* Give each B the time of its E. */
static void
pair_events(struct trace *t)
{
	size_t i, depth = 0;
	int64_t last = 0;

	qsort(t->event, t->n, sizeof(*t->event), by_time);
	for (i = 0; i < t->n; i++) {
		if (i > 0 && t->event[i].thread != t->event[i - 1].thread) {
			close_all(t, &depth, last);
			last = t->event[i].end;
		}
		if (t->event[i].end > last || i == 0)
			last = t->event[i].end;
		if (t->event[i].phase == 'B')
			push_open(t, &depth, i);
		else if (t->event[i].phase == 'E' && depth > 0)
			t->event[t->stack[--depth]].end = t->event[i].ts;
		else if (t->event[i].phase == 'E')
			input_bad(t->in, "the end of nothing that began");
	}
	close_all(t, &depth, last);
}

static struct sample
thread_sample(const struct trace *t, uint32_t thread, int64_t ns)
{
	struct sample sample = SAMPLE_UNKNOWN;
	int64_t ids[2];
	uint32_t id;

	memcpy(ids, intern_name(t->threads, thread).p, sizeof(ids));
	sample.pid = ids[0] >= 0 ? ids[0] : -1;
	sample.tid = ids[1] >= 0 ? ids[1] : -1;
	if (intern_find(t->comms, pid_bytes(&ids[0]), &id))
		sample.comm = t->comm[id];
	sample.unit = STR("us");
	sample.ns = (uint64_t)ns;
	return sample;
}

/* The innermost call ends: the time in it and in no other is its own. */
static void
pop_call(struct trace *t, uint32_t thread)
{
	const struct call *call = &t->call[t->depth - 1];
	struct sample sample = thread_sample(t, thread, call->self);
	struct count count = { (uint64_t)call->self / 1000,
			       (uint32_t)((uint64_t)call->self % 1000) * 1000 };
	size_t i;

	t->stack = mem_grow(t->stack, &t->stack_cap, t->depth,
			    sizeof(*t->stack));
	for (i = 0; i < t->depth; i++)
		t->stack[i] = t->call[i].token;
	if (sink_begin(t->out, &sample)) {
		sink_push(t->out, t->stack, t->depth);
		sink_end(t->out, count);
	}
	t->depth--;
}

static void
push_call(struct trace *t, const struct event *e)
{
	struct call *caller = t->depth > 0 ? &t->call[t->depth - 1] : NULL;
	int64_t end = e->end;

	if (caller != NULL && end > caller->end) {
		input_bad(t->in, "an event ends after the one that it is in");
		end = caller->end;
	}
	if (caller != NULL)
		caller->self -= end - e->ts;
	t->call = mem_grow(t->call, &t->call_cap, t->depth + 1,
			   sizeof(*t->call));
	t->call[t->depth++] = (struct call){ end, end - e->ts, e->token };
}

static void
fold_events(struct trace *t)
{
	const struct event *e;
	uint32_t thread = 0;

	pair_events(t);
	qsort(t->event, t->n, sizeof(*t->event), by_nesting);
	for (e = t->event; e < t->event + t->n; e++) {
		while (t->depth > 0 && (e->thread != thread ||
					t->call[t->depth - 1].end <= e->ts))
			pop_call(t, thread);
		thread = e->thread;
		if (e->phase != 'E')
			push_call(t, e);
	}
	while (t->depth > 0)
		pop_call(t, thread);
}

static void
read_trace(struct trace *t, struct json *j)
{
	struct str key;

	if (json_enter(j, '[')) {
		read_events(t, j);
	} else if (json_enter(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("traceEvents")) &&
			    json_enter(j, '['))
				read_events(t, j);
			else
				json_skip(j);
		}
	} else if (json_peek(j) != 0) {
		input_bad(t->in, "not JSON of trace events");
	}
	/* A program that died did not write the end: that is common. */
	if (json_bad(j) != NULL)
		input_bad(t->in, "%s", json_bad(j));
}

static void
read_chrome(struct input *in, struct sink *out)
{
	struct trace t = { .in = in, .out = out };
	struct json *j = json_new(in);

	in->tally->bad_unit = "events";
	t.threads = intern_new();
	t.comms = intern_new();
	read_trace(&t, j);
	if (t.n > 0)
		fold_events(&t);
	json_free(j);
	intern_free(t.threads);
	intern_free(t.comms);
	arena_free(&t.names);
	free(t.comm);
	free(t.event);
	free(t.call);
	free(t.stack);
	buf_free(&t.text);
}

int
main(int argc, char *argv[])
{
	static const struct reader chrome = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold trace events, the JSON of chrome://tracing.",
		.options = options,
		.setopt = set_option,
		.read = read_chrome
	};

	return collapse_main(argc, argv, &chrome);
}
