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
#include "sorter.h"

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
 * Events come in any order, often the outer ones last, so all are sorted: this
 * much of each.
 */
struct event {
	int64_t ts, end; /* ns */
	int64_t order;   /* in the file */
	uint32_t thread, token;
	char phase; /* B, E or X */
};

/* What is read of an event, and its metadata. */
struct fields {
	struct buf name, category, detail, label;
	char phase;
	int64_t pid, tid; /* below -1 if they are words */
	int64_t ts, dur;  /* ns, -1 if there is none */
	bool has_ts;
	struct intern *words;
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
	struct fields fields;  /* of the event that is read */
	struct sorter *ends;   /* B and E, by time */
	struct sorter *events; /* X and what was B and E, outer ones first */
	int64_t n;
	int64_t *last; /* when something ended, of each thread */
	size_t nthreads, last_cap;
	struct event *open; /* B whose E did not come yet */
	size_t nopen, open_cap;
	struct call *call;
	size_t depth, call_cap;
	uint32_t *stack;
	size_t stack_cap;
};

/* Microseconds, perhaps with decimals, as nanoseconds. */
static bool
read_ns(struct json *j, int64_t *ns)
{
	double us;

	if (!json_real(j, &us) || !(fabs(us) < 4e15))
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
take_metadata(struct trace *t)
{
	const struct fields *f = &t->fields;
	uint32_t id;

	if (!str_eq(buf_slice(&f->name), STR("process_name")) || f->pid == -1)
		return;
	id = intern_id(t->comms, pid_bytes(&f->pid));
	t->comm = mem_grow(t->comm, &t->comm_cap, id + 1, sizeof(*t->comm));
	t->comm[id] = arena_str(&t->names, buf_slice(&f->label));
}

static uint32_t
event_token(struct trace *t)
{
	struct frame frame = { .name = buf_slice(&t->fields.name),
			       .whole = true };

	if (with_detail && t->fields.detail.len > 0) {
		buf_char(&t->fields.name, ' ');
		buf_str(&t->fields.name, buf_slice(&t->fields.detail));
		frame.name = buf_slice(&t->fields.name);
	}
	return sink_token(t->out, &frame, 0);
}

/* Categories are a list with commas. */
static bool
is_wanted(struct str list)
{
	if (category == NULL)
		return true;
	while (list.len > 0) {
		if (str_eq(str_cut(&list, ','), str_of(category)))
			return true;
	}
	return false;
}

static void
add_thread(struct trace *t, int64_t last)
{
	t->last = mem_grow(t->last, &t->last_cap, t->nthreads + 1,
			   sizeof(*t->last));
	t->last[t->nthreads++] = last;
}

static void
take_event(struct trace *t)
{
	const struct fields *f = &t->fields;
	int64_t thread[2] = { f->pid, f->tid };
	struct event e = { .phase = f->phase, .ts = f->ts, .order = t->n };

	if (f->phase == 'M')
		take_metadata(t);
	if ((f->phase != 'B' && f->phase != 'E' && f->phase != 'X') ||
	    !is_wanted(buf_slice(&f->category)))
		return; /* counters, instants, what is asynchronous */
	if (!f->has_ts || (f->phase == 'X' && f->dur < 0)) {
		input_bad(t->in, "an event without its time");
		return;
	}
	e.end = f->phase == 'X' ? f->ts + f->dur : f->ts;
	e.thread = intern_id(
	    t->threads, (struct str){ (const char *)thread, sizeof(thread) });
	if (e.phase != 'E')
		e.token = event_token(t);
	sorter_add(e.phase == 'X' ? t->events : t->ends, &e);
	if (e.thread == t->nthreads)
		add_thread(t, e.end);
	else if (e.end > t->last[e.thread])
		t->last[e.thread] = e.end;
	t->n++;
}

/* A number, or a word of a program's own. */
static void
read_id(struct json *j, struct fields *f, int64_t *id)
{
	struct str s;

	if (json_peek(j) != '"')
		json_integer(j, id);
	else if (json_string(j, &s))
		*id = -2 - (int64_t)intern_id(f->words, s);
}

static void
read_args(struct json *j, struct fields *f)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("detail")))
			json_text(j, &f->detail);
		else if (str_eq(key, STR("name")))
			json_text(j, &f->label);
		else
			json_skip(j);
	}
}

static void
read_field(struct json *j, struct fields *f, struct str key)
{
	struct str s;

	if (str_eq(key, STR("name")))
		json_text(j, &f->name);
	else if (str_eq(key, STR("cat")))
		json_text(j, &f->category);
	else if (str_eq(key, STR("ph")))
		f->phase = json_string(j, &s) && s.len == 1 ? *s.p : '\0';
	else if (str_eq(key, STR("ts")))
		f->has_ts = read_ns(j, &f->ts);
	else if (str_eq(key, STR("dur")))
		read_ns(j, &f->dur);
	else if (str_eq(key, STR("pid")))
		read_id(j, f, &f->pid);
	else if (str_eq(key, STR("tid")))
		read_id(j, f, &f->tid);
	else if (str_eq(key, STR("args")))
		read_args(j, f);
	else
		json_skip(j);
}

static void
read_event(struct trace *t, struct json *j)
{
	struct fields *f = &t->fields;
	struct str key;

	t->in->line++;
	if (!json_expect(j, '{'))
		return;
	f->name.len = f->category.len = f->detail.len = f->label.len = 0;
	f->phase = '\0';
	f->pid = f->tid = f->dur = -1;
	f->has_ts = false;
	while (json_key(j, &key))
		read_field(j, f, key);
	if (json_bad(j) == NULL)
		take_event(t);
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
push_open(struct trace *t, const struct event *e)
{
	t->open = mem_grow(t->open, &t->open_cap, t->nopen + 1, sizeof(*e));
	t->open[t->nopen++] = *e;
}

static void
pop_open(struct trace *t, int64_t end)
{
	struct event *e = &t->open[--t->nopen];

	e->end = end;
	sorter_add(t->events, e);
}

/* Those that began and never ended last until the last event of the thread. */
static void
close_all(struct trace *t, uint32_t thread)
{
	while (t->nopen > 0) {
		pop_open(t, t->last[thread]);
		input_bad(t->in, "an event that never ends");
	}
}

/* Give each B the time of its E. */
static void
pair_events(struct trace *t)
{
	const struct event *e;
	uint32_t thread = 0;

	while ((e = sorter_next(t->ends)) != NULL) {
		if (e->thread != thread)
			close_all(t, thread);
		thread = e->thread;
		if (e->phase == 'B')
			push_open(t, e);
		else if (t->nopen > 0)
			pop_open(t, e->ts);
		else
			input_bad(t->in, "the end of nothing that began");
	}
	close_all(t, thread);
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
	while ((e = sorter_next(t->events)) != NULL) {
		while (t->depth > 0 && (e->thread != thread ||
					t->call[t->depth - 1].end <= e->ts))
			pop_call(t, thread);
		thread = e->thread;
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
		while (json_more(j))
			read_event(t, j);
	} else if (json_enter(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("traceEvents")) &&
			    json_enter(j, '['))
				while (json_more(j))
					read_event(t, j);
			else
				json_skip(j);
		}
	} else if (json_peek(j) != 0) {
		input_bad(t->in, "not JSON of trace events");
	}
	/* A program that died did not write the end: that is common. */
	if (json_end(j) != NULL)
		input_bad(t->in, "%s", json_bad(j));
}

static void
fields_free(struct fields *f)
{
	buf_free(&f->name);
	buf_free(&f->category);
	buf_free(&f->detail);
	buf_free(&f->label);
	intern_free(f->words);
}

static void
read_chrome(struct input *in, struct sink *out)
{
	struct trace t = { .in = in, .out = out };
	struct json *j = json_new(in);

	in->tally->bad_unit = "event";
	t.fields.words = intern_new();
	t.threads = intern_new();
	t.comms = intern_new();
	t.ends = sorter_new(sizeof(struct event), by_time);
	t.events = sorter_new(sizeof(struct event), by_nesting);
	read_trace(&t, j);
	fold_events(&t);
	json_free(j);
	intern_free(t.threads);
	intern_free(t.comms);
	arena_free(&t.names);
	free(t.comm);
	sorter_free(t.ends);
	sorter_free(t.events);
	fields_free(&t.fields);
	free(t.last);
	free(t.open);
	free(t.call);
	free(t.stack);
}

int
main(int argc, char *argv[])
{
	static const struct confine may = { .spills = true };
	static const struct reader chrome = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold trace events, the JSON of chrome://tracing.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_chrome
	};

	return collapse_main(argc, argv, &chrome);
}
