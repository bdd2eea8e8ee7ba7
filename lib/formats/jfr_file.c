/*
 * jfr_file.c - recordings of JDK Flight Recorder, in its binary format.
 *
 * Events of a chunk are added up by stack, thread and class first: a chunk has
 * a hundred times as many events as stacks.  For a stream they are sorted by
 * time, because each thread writes to a buffer of its own.
 */
#include "formats/jfr_file.h"

#include "base/duration.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/jfr_settings.h"
#include "formats/jfr_stacks.h"
#include "io/spool.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Pipes of at least this size are copied to a file. */
#define SPOOL_BYTES ((size_t)1 << 20)

/* Fields of an event, which need not have them. */
enum {
	FIELD_START,
	FIELD_STACK,
	FIELD_THREAD,
	FIELD_FAILED,
	FIELD_BIASED,
	FIELD_SUBJECT,
	FIELD_DURATION,
	FIELD_WEIGHT,
	FIELDS
};

/* An event type of the chunk that has stacks. */
struct jfr_counted {
	const struct jfr_type *type;
	const struct jfr_kind_of_event *kind;
	uint64_t n;         /* events */
	size_t first, end;  /* where they are in the list of all places */
	bool is_read;       /* they are listed */
	enum jfr_unit unit; /* of the weight, if it has one */
	bool has_weight;
	int weight;      /* its place among the values */
	uint64_t period; /* ns between samples, 0 if unknown */
};

/* Samples with the same key are added up. */
struct jfr_sample_key {
	uint64_t type; /* index of the counted type */
	uint64_t stack, thread, subject;
	uint64_t failed; /* the profiler could not walk the stack */
};

struct jfr_sample {
	struct jfr_sample_key key;
	uint64_t time; /* ns */
	uint64_t n;    /* equal events */
	uint64_t weight;
};

struct jfr_file {
	struct input *in;
	struct sink *out;
	const struct jfr_options *opt;
	struct jfr_chunk chunk;
	struct jfr_stacks stacks;
	struct jfr_counted *type;
	size_t ntypes, types_cap;
	struct u64map by_id; /* indices of these types */
	size_t *place;       /* of their events in the chunk, type by type */
	size_t places_cap;
	struct jfr_plan plan;          /* of the type that is read */
	const struct jfr_counted *now; /* that type */
	struct intern *keys; /* of the samples, where they are added up */
	struct jfr_sample *sample;
	size_t n, cap;
	uint64_t total, missing, biased, lost;
	bool was_open;
	struct buf text, thread;
};

static struct str
unit_of(const struct jfr_counted *t)
{
	if (!t->has_weight || t->unit == JFR_PLAIN)
		return STR("samples");
	return t->unit == JFR_BYTES ? STR("bytes") : STR("ns");
}

/* The weight of an event; false if it is out of range. */
static bool
weigh(const struct jfr_file *f, uint64_t n, uint64_t *weight)
{
	const struct jfr_counted *t = f->now;

	*weight = t->has_weight ? n : 1;
	if (t->has_weight && t->unit == JFR_TICKS && n <= INT64_MAX)
		*weight = jfr_chunk_ns(&f->chunk, n);
	if (t->has_weight && t->unit == JFR_MILLISECONDS &&
	    __builtin_mul_overflow(n, UINT64_C(1000000), weight))
		return false;
	return *weight <= INT64_MAX;
}

/* Push the stack of a sample, or what is known in its place. */
static void
push_stack(struct jfr_file *f, const struct jfr_sample_key *key)
{
	struct frame frame = { .name = STR("[no stack]"), .whole = true };
	struct jfr_stack stack = { 0 };

	if (key->failed) {
		frame.name = STR("[failed]");
	} else if (key->stack != 0 &&
		   !jfr_stacks_get(&f->stacks, key->stack, &stack)) {
		frame.name = STR("[stack not in file]");
		f->missing++;
	} else if (stack.n > 0) {
		sink_push(f->out, stack.token, stack.n);
		if (stack.is_truncated)
			sink_truncated(f->out);
		return;
	}
	sink_frame(f->out, &frame);
}

static void
push_sample(struct jfr_file *f, const struct jfr_sample *s)
{
	const struct jfr_counted *type = &f->type[s->key.type];
	struct sample sample = SAMPLE_UNKNOWN;
	struct frame frame = { .whole = true };

	f->thread.len = f->text.len = 0;
	if (s->key.thread != 0)
		jfr_stacks_thread(&f->stacks, s->key.thread, &f->thread,
				  &sample.tid);
	sample.time = s->time;
	sample.has_time = sink_is_stream(f->out);
	sample.event = type->type->name;
	sample.unit = unit_of(type);
	sample.lost = f->lost;
	f->lost = 0;
	sample_repeat(&sample, s->n, type->period);
	if (str_eq(sample.unit, STR("ns")))
		sample.ns = s->weight;
	if (!sink_begin(f->out, &sample))
		return;
	if (f->opt->subjects && s->key.subject != 0) {
		jfr_stacks_class(&f->stacks, s->key.subject, &f->text);
		frame.name = buf_slice(&f->text);
		sink_frame(f->out, &frame);
	}
	push_stack(f, &s->key);
	if (f->opt->threads && f->thread.len > 0) {
		frame.name = buf_slice(&f->thread);
		sink_frame(f->out, &frame);
	}
	sink_end(f->out, count_of(s->weight));
}

/* Add an event to its sum; one that would exceed 64 bits is pushed before. */
static void
add(struct jfr_file *f, const struct jfr_sample *s)
{
	struct str key = { (const char *)&s->key, sizeof(s->key) };
	const bool is_stream = sink_is_stream(f->out);
	const size_t i = is_stream ? f->n : intern_id(f->keys, key);
	uint64_t sum;

	if (i == f->n) {
		f->sample = mem_grow(f->sample, &f->cap, f->n + 1,
				     sizeof(*f->sample));
		f->sample[f->n++] = *s;
		return;
	}
	if (__builtin_add_overflow(f->sample[i].weight, s->weight, &sum)) {
		push_sample(f, &f->sample[i]);
		f->sample[i] = *s;
		return;
	}
	f->sample[i].weight = sum;
	f->sample[i].n += s->n;
}

static void
read_event(struct jfr_file *f, struct cursor fields)
{
	struct jfr_value value[FIELDS] = { { 0 } };
	struct jfr_sample s = { .n = 1 };
	const struct str name = f->now->type->name;
	uint64_t end;

	if (!jfr_value_read(&f->plan, &f->chunk.types, &fields, value)) {
		input_bad(f->in, "an event of type %.*s is malformed",
			  (int)name.len, name.p);
		return;
	}
	if (!weigh(f, value[f->now->weight].n, &s.weight)) {
		input_bad(f->in,
			  "an event of type %.*s has a count that is negative "
			  "or too large",
			  (int)name.len, name.p);
		return;
	}
	s.key.type = (uint64_t)(f->now - f->type);
	s.key.stack = value[FIELD_STACK].n;
	s.key.thread = value[FIELD_THREAD].n;
	s.key.subject = f->opt->subjects ? value[FIELD_SUBJECT].n : 0;
	s.key.failed = value[FIELD_FAILED].n != 0;
	/* in the order of their ends, waits are nearly in order of time */
	if (sink_is_stream(f->out) &&
	    !__builtin_add_overflow(value[FIELD_START].n,
				    value[FIELD_DURATION].n, &end))
		s.time = jfr_chunk_time(&f->chunk, end);
	f->biased += value[FIELD_BIASED].n != 0;
	f->total++;
	add(f, &s);
}

/* Prepare to read events of a type. */
static void
plan_events(struct jfr_file *f, struct jfr_counted *t)
{
	const char *names[FIELDS + 1] = { "startTime", "stackTrace" };
	const struct jfr_types *types = &f->chunk.types;
	const struct jfr_field *weight = NULL;

	names[FIELD_THREAD] = t->kind->thread;
	names[FIELD_FAILED] = "failed";
	names[FIELD_BIASED] = "biased";
	names[FIELD_SUBJECT] = t->kind->subject != NULL ? t->kind->subject : "";
	names[FIELD_DURATION] = "duration";
	names[FIELD_WEIGHT] = f->opt->weight != NULL ? f->opt->weight :
						       t->kind->weight;
	if (names[FIELD_WEIGHT] != NULL)
		weight = jfr_types_field(types, t->type,
					 str_of(names[FIELD_WEIGHT]));
	t->has_weight = weight != NULL && jfr_value_is_number(types, weight);
	t->unit = t->has_weight ? weight->unit : JFR_PLAIN;
	/* a field has one place only */
	t->weight = FIELD_WEIGHT;
	if (t->has_weight && str_eq(weight->name, STR("duration")))
		t->weight = FIELD_DURATION;
	if (!t->has_weight || t->weight == FIELD_DURATION)
		names[FIELD_WEIGHT] = "";
	jfr_value_plan(&f->plan, types, t->type, names);
	f->now = t;
}

/* Read all events of a type. */
static void
collect(struct jfr_file *f, struct jfr_counted *t)
{
	struct jfr_event event;
	size_t i, at;

	plan_events(f, t);
	for (i = t->first; i < t->end; i++) {
		at = f->place[i];
		if (jfr_chunk_event(&f->chunk, &at, &event))
			read_event(f, event.fields);
	}
}

static int
by_time(const void *a, const void *b)
{
	const struct jfr_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

static void
push_all(struct jfr_file *f)
{
	size_t i;

	if (sink_is_stream(f->out) && f->n > 0)
		qsort(f->sample, f->n, sizeof(*f->sample), by_time);
	for (i = 0; i < f->n; i++)
		push_sample(f, &f->sample[i]);
	f->n = 0;
}

/* Tell the sink of events that do not count, so that it can name them. */
static void
skip(struct jfr_file *f, const struct jfr_counted *t)
{
	struct sample sample = SAMPLE_UNKNOWN;

	sample.event = t->type->name;
	sample.n = t->n;
	sink_begin(f->out, &sample);
}

static int
by_preference(const void *a, const void *b)
{
	const struct jfr_counted *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return str_cmp(x->type->name, y->type->name);
}

/* Whether events of a type have stacks; those of settings have none in fact. */
static bool
has_stacks(const struct jfr_types *types, const struct jfr_type *type)
{
	return jfr_types_field(types, type, STR("stackTrace")) != NULL &&
	       !str_starts(type->name, STR("jdk.Active"));
}

/* Find the event types of the chunk that have stacks, the first choice first.
 */
static void
find_types(struct jfr_file *f)
{
	const struct jfr_types *types = &f->chunk.types;
	const struct jfr_type *type;
	size_t i;

	f->ntypes = 0;
	f->type = mem_grow(f->type, &f->types_cap, types->n + 1,
			   sizeof(*f->type));
	for (i = 0; i < types->n; i++) {
		type = &types->type[i];
		if (jfr_chunk_count(&f->chunk, type->id) == 0 ||
		    jfr_types_by_id(types, type->id) != type ||
		    !has_stacks(types, type))
			continue;
		f->type[f->ntypes++] = (struct jfr_counted){
			.type = type,
			.kind = jfr_kinds_find(type->name),
			.n = jfr_chunk_count(&f->chunk, type->id),
		};
	}
	if (f->ntypes > 0)
		qsort(f->type, f->ntypes, sizeof(*f->type), by_preference);
}

static struct jfr_counted *
type_of(struct jfr_file *f, uint64_t id)
{
	uint32_t i;

	return u64map_get(&f->by_id, id, &i) ? &f->type[i] : NULL;
}

static void
set_period(void *arg, uint64_t id, struct str period)
{
	struct jfr_counted *t = type_of(arg, id);

	if (t != NULL)
		duration_parse(period, &t->period);
}

/*
 * List the events of all types that may count.  One pass serves all types:
 * there may be as many types as events.
 */
static void
list_events(struct jfr_file *f)
{
	struct jfr_counted *t;
	struct jfr_event event;
	size_t i, n = 0, at = 0, before = 0;

	u64map_free(&f->by_id);
	for (i = 0; i < f->ntypes; i++) {
		t = &f->type[i];
		u64map_put(&f->by_id, t->type->id, (uint32_t)i);
		t->is_read = sink_may_count(f->out, t->type->name);
		t->first = t->end = n;
		n += t->is_read ? (size_t)t->n : 0;
	}
	f->place = mem_grow(f->place, &f->places_cap, n + 1, sizeof(*f->place));
	for (; jfr_chunk_event(&f->chunk, &at, &event); before = at) {
		t = type_of(f, event.type);
		if (t != NULL && t->is_read)
			f->place[t->end++] = before;
	}
	jfr_settings_periods(&f->chunk, set_period, f);
}

/* Fold the events of a chunk. */
static void
fold_chunk(struct jfr_file *f)
{
	struct jfr_counted *t;

	find_types(f);
	f->lost += jfr_settings_lost(&f->chunk);
	jfr_stacks_begin(&f->stacks, &f->chunk);
	for (t = f->type; t < f->type + f->ntypes; t++)
		sink_announce_event(f->out, t->type->name);
	list_events(f);
	f->keys = intern_new();
	for (t = f->type; t < f->type + f->ntypes; t++) {
		if (!t->is_read || !sink_may_count(f->out, t->type->name)) {
			skip(f, t);
			continue;
		}
		collect(f, t);
		if (!sink_is_stream(f->out)) {
			push_all(f);
			intern_free(f->keys);
			f->keys = intern_new();
		}
	}
	push_all(f);
	intern_free(f->keys);
}

/* Print the events that can be counted: name, number, field of the weight. */
static void
list_chunk(struct jfr_file *f)
{
	const struct jfr_counted *t;

	find_types(f);
	for (t = f->type; t < f->type + f->ntypes; t++) {
		f->text.len = 0;
		utf8_escape(&f->text, t->type->name);
		buf_printf(&f->text, " %" PRIu64 " %s\n", t->n,
			   t->kind->weight == NULL ? "-" : t->kind->weight);
		buf_write(&f->text, stdout);
		f->in->tally->good++;
	}
}

/* Report missing stacks and samples that are biased. */
static void
report(struct jfr_file *f)
{
	struct buf *text = &f->text;

	text->len = 0;
	if (f->missing > 0)
		buf_printf(
		    text, "%s: %" PRIu64 " %s not in the file%s", f->in->name,
		    f->missing,
		    str_plural(f->missing, "event refers to a stack that is",
			       "events refer to stacks that are"),
		    f->was_open ? ", because its JVM had not finished it" : "");
	if (text->len > 0)
		sink_note(f->out, buf_slice(text));
	text->len = 0;
	if (f->biased > 0)
		buf_printf(
		    text,
		    "%s: %" PRIu64 " of %" PRIu64
		    " samples come from a safepoint after the sampled time",
		    f->in->name, f->biased, f->total);
	if (text->len > 0)
		sink_note(f->out, buf_slice(text));
}

void
jfr_file_read(struct input *in, struct sink *out, const struct jfr_options *opt)
{
	struct jfr_file f = { .in = in, .out = out, .opt = opt };

	f.stacks.out = out;
	f.stacks.with_lines = opt->lines;
	in->tally->bad_unit = "event";
	if (in->size == 0 && input_peek(in, SPOOL_BYTES).len == SPOOL_BYTES)
		spool(in);
	input_map(in);
	while (jfr_chunk_next(&f.chunk, in)) {
		if (opt->list)
			list_chunk(&f);
		else
			fold_chunk(&f);
		f.was_open |= f.chunk.is_open;
	}
	report(&f);
	jfr_chunk_free(&f.chunk);
	jfr_stacks_free(&f.stacks);
	jfr_value_plan_free(&f.plan);
	free(f.type);
	free(f.place);
	u64map_free(&f.by_id);
	free(f.sample);
	buf_free(&f.text);
	buf_free(&f.thread);
}
