/*
 * stackcollapse-chrome - fold trace events, the JSON of chrome://tracing, which
 * clang -ftime-trace, node and many others write.  Browsers add the profiles of
 * V8 to the events.
 *
 * Source: "Trace Event Format", Google, 2016.
 */
#include "formats/tracecalls.h"
#include "formats/tracechunks.h"
#include "formats/tracestacks.h"
#include "reader/collapse.h"

#include <math.h>

enum { OPT_DETAIL = CMD_LONG, OPT_CATEGORY, OPT_CPUPROFILE };

static const struct cmd_option options[] = {
	{ "detail", OPT_DETAIL, NULL,
	  "append the argument detail to names, for clang", false },
	{ "category", OPT_CATEGORY, "NAME", "keep only events of this category",
	  false },
	{ "cpuprofile", OPT_CPUPROFILE, NULL,
	  "fold V8's CPU profile, not trace events", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_detail, with_profile;
static const char *category;

static bool
set_option(int value, char *arg)
{
	if (value == OPT_DETAIL)
		with_detail = true;
	else if (value == OPT_CATEGORY)
		category = arg;
	else if (value == OPT_CPUPROFILE)
		with_profile = true;
	return value >= OPT_DETAIL && value <= OPT_CPUPROFILE;
}

/* The members of an event that matter. */
struct event_fields {
	struct buf name, category, detail, label, id;
	char phase;
	int64_t pid, tid;
	int64_t ts, dur; /* ns; dur is -1 if missing */
	bool has_ts, has_mean;
};

struct trace_file {
	struct input *in;
	struct sink *out;
	struct tracethreads threads;
	struct tracecalls *calls;
	struct tracestacks *stacks;
	struct tracechunks *chunks;
	struct event_fields fields; /* of the current event */
	bool is_trace;
	uint64_t n;      /* events with a begin or an end */
	uint64_t others; /* events without */
};

/* Read microseconds, perhaps with decimals, as nanoseconds. */
static bool
read_ns(struct json *j, int64_t *ns)
{
	double us;

	if (!json_real(j, &us) || !(fabs(us) < 4e15))
		return false;
	*ns = llround(us * 1000);
	return true;
}

/* {"name":"process_name","ph":"M","args":{"name":"clang"}} */
static void
handle_metadata(struct trace_file *t)
{
	const struct event_fields *f = &t->fields;

	if (str_eq(buf_slice(&f->name), STR("process_name")) && f->pid != -1)
		tracethreads_name(&t->threads, f->pid, buf_slice(&f->label));
}

static uint32_t
event_token(struct trace_file *t)
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

/* Categories are separated by commas; an end event may have none. */
static bool
is_wanted(const struct event_fields *f)
{
	struct str list = buf_slice(&f->category);

	if (category == NULL || (f->phase == 'E' && list.len == 0))
		return true;
	while (list.len > 0) {
		if (str_eq(str_cut(&list, ','), str_of(category)))
			return true;
	}
	return false;
}

/*
 * clang adds an event "Total NAME" for each kind of event, from time 0, as long
 * as all events of the kind together.  It is a sum and no stack.
 * {"ph":"X","ts":0,"dur":9,"name":"Total Frontend","args":{...,"avg ms":4}}
 */
static bool
is_sum(const struct event_fields *f)
{
	return f->has_mean && f->phase == 'X' &&
	       str_starts(buf_slice(&f->name), STR("Total "));
}

static void
handle_event(struct trace_file *t)
{
	const struct event_fields *f = &t->fields;
	struct tracecalls_event e = { .ts = f->ts, .phase = f->phase };

	if (f->phase == 'M') {
		handle_metadata(t);
		return;
	}
	if (f->phase == 'P' &&
	    tracechunks_add(t->chunks, buf_slice(&f->name), buf_slice(&f->id),
			    f->pid, f->tid))
		return;
	if (f->phase != 'B' && f->phase != 'E' && f->phase != 'X') {
		t->others++; /* counters, instants, asynchronous events */
		return;
	}
	if (is_sum(f))
		return;
	if (!f->has_ts || (f->phase == 'X' && f->dur < 0)) {
		input_bad(t->in, "an event has no time");
		return;
	}
	t->n++;
	e.end = f->phase == 'X' ? f->ts + f->dur : f->ts;
	e.thread = tracethreads_number(&t->threads, f->pid, f->tid);
	e.wanted = is_wanted(f);
	if (e.phase != 'E' && e.wanted)
		e.token = event_token(t);
	tracecalls_add(t->calls, &e);
}

static void
read_args(struct trace_file *t, struct json *j)
{
	struct event_fields *f = &t->fields;
	struct str key;
	double mean;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("detail")))
			json_text(j, &f->detail);
		else if (str_eq(key, STR("name")))
			json_text(j, &f->label);
		else if (str_eq(key, STR("data")))
			tracechunks_data(t->chunks, j);
		else if (str_eq(key, STR("avg ms")))
			f->has_mean = json_real(j, &mean);
		else
			json_skip(j);
	}
}

static void
read_field(struct trace_file *t, struct json *j, struct str key)
{
	struct event_fields *f = &t->fields;
	struct str s;

	if (str_eq(key, STR("name")))
		json_text(j, &f->name);
	else if (str_eq(key, STR("cat")))
		json_text(j, &f->category);
	else if (str_eq(key, STR("id")))
		json_text(j, &f->id);
	else if (str_eq(key, STR("ph")))
		f->phase = json_string(j, &s) && s.len == 1 ? *s.p : '\0';
	else if (str_eq(key, STR("ts")))
		f->has_ts = read_ns(j, &f->ts);
	else if (str_eq(key, STR("dur")))
		read_ns(j, &f->dur);
	else if (str_eq(key, STR("pid")))
		tracethreads_id(&t->threads, j, &f->pid);
	else if (str_eq(key, STR("tid")))
		tracethreads_id(&t->threads, j, &f->tid);
	else if (str_eq(key, STR("args")))
		read_args(t, j);
	else
		json_skip(j);
}

static void
read_event(struct trace_file *t, struct json *j)
{
	struct event_fields *f = &t->fields;
	struct str key;

	t->in->line++;
	if (!json_expect(j, '{')) {
		if (json_bad(j) == NULL)
			input_bad(t->in, "an event is not an object");
		return;
	}
	f->name.len = f->category.len = f->detail.len = f->label.len = 0;
	f->id.len = 0;
	tracechunks_no_data(t->chunks);
	f->phase = '\0';
	f->pid = f->tid = f->dur = -1;
	f->has_ts = f->has_mean = false;
	while (json_key(j, &key))
		read_field(t, j, key);
	if (json_bad(j) == NULL)
		handle_event(t);
}

static void
read_events(struct trace_file *t, struct json *j)
{
	t->is_trace = true;
	while (json_more(j))
		read_event(t, j);
}

static void
read_trace(struct trace_file *t, struct json *j)
{
	struct str key;

	if (json_enter(j, '[')) {
		read_events(t, j);
	} else if (json_enter(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("traceEvents")) &&
			    json_enter(j, '['))
				read_events(t, j);
			else if (str_eq(key, STR("samples")))
				tracestacks_samples(t->stacks, j);
			else if (str_eq(key, STR("stackFrames")))
				tracestacks_frames(t->stacks, j);
			else
				json_skip(j);
		}
	} else if (json_peek(j) != 0) {
		input_bad(t->in, "not trace events in JSON");
		return;
	}
	/* The end is often missing, because the program died. */
	if (json_end(j) != NULL)
		input_bad(t->in, "%s", json_bad(j));
	else if (!t->is_trace)
		input_bad(t->in, "the file has no trace events");
}

/* Push events with times, or samples, or profiles: their units differ. */
static void
fold_trace(struct trace_file *t)
{
	const bool any = tracestacks_any(t->stacks);
	const bool profiled = tracechunks_any(t->chunks);

	if (with_profile || (profiled && t->n == 0 && !any)) {
		if (!profiled && t->is_trace)
			input_bad(t->in, "the file has no V8 profile");
		tracechunks_push(t->chunks);
		return;
	}
	if (profiled)
		sink_note(t->out, STR("skipping V8's samples of JavaScript "
				      "functions; --cpuprofile folds them"));
	tracecalls_fold(t->calls);
	if (any && t->n > 0)
		sink_note(t->out, STR("skipping samples, because the file has "
				      "events with times"));
	else if (any && t->is_trace)
		tracestacks_push(t->stacks);
	else if (t->n == 0 && t->others > 0)
		input_bad(t->in, "no event has both begin and end");
}

static void
free_fields(struct event_fields *f)
{
	buf_free(&f->name);
	buf_free(&f->category);
	buf_free(&f->detail);
	buf_free(&f->label);
	buf_free(&f->id);
}

static void
read_chrome(struct input *in, struct sink *out)
{
	struct trace_file t = { .in = in, .out = out };
	struct json *j = json_new(in);

	in->tally->bad_unit = "event";
	tracethreads_init(&t.threads);
	t.calls = tracecalls_new(in, out, &t.threads);
	t.stacks = tracestacks_new(in, out, &t.threads, STR("samples"));
	t.chunks = tracechunks_new(in, out, &t.threads);
	read_trace(&t, j);
	fold_trace(&t);
	json_free(j);
	tracecalls_free(t.calls);
	tracestacks_free(t.stacks);
	tracechunks_free(t.chunks);
	tracethreads_free(&t.threads);
	free_fields(&t.fields);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
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
