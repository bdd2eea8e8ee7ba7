/*
 * exportpprof.c - profile.proto of pprof, compressed.
 *
 * The format: lib/pprof.h.  What others refer to comes behind what refers to
 * it, so that samples are written as they come.
 */
#include "exporttext.h"

#include "deflate.h"
#include "mem.h"
#include "pprof.h"

#include <stdlib.h>

/* Bytes that are compressed at once. */
#define BLOCK ((size_t)1 << 16)

struct pprof_out {
	struct exported *e;
	struct gzip *gzip;
	struct buf out, message, part;
	struct intern *strings;
	struct intern *mappings;  /* by their files */
	struct intern *locations; /* by their frames, the innermost first */
	uint32_t *alone;          /* by frame: the location of it alone, or 0 */
	bool *inlined;            /* by frame */
	uint32_t *group;          /* frames of a location */
	size_t group_cap;
};

static uint64_t
string_of(struct pprof_out *p, struct str s)
{
	return intern_id(p->strings, s);
}

/* End a message, which is a field of the profile. */
static void
end_message(struct pprof_out *p, uint32_t field)
{
	proto_put_bytes(&p->out, field, buf_slice(&p->message));
	p->message.len = 0;
	if (p->out.len < BLOCK)
		return;
	gzip_add(p->gzip, buf_slice(&p->out));
	p->out.len = 0;
}

/* What is counted, and in what, in the words of pprof. */
static struct str
type_unit(const struct exported *e)
{
	struct str unit = export_whole_unit(e);

	if (str_eq(unit, STR("ns")))
		return STR("nanoseconds");
	if (str_eq(unit, STR("us")))
		return STR("microseconds");
	if (str_eq(unit, STR("samples")) || str_eq(unit, STR("objects")))
		return STR("count");
	return unit;
}

static struct str
type_name(const struct exported *e, int k)
{
	struct str event = meta_get(&e->meta, "event");
	struct str unit = export_whole_unit(e);

	if (e->counts == 2)
		return k == 0 ? STR("before") : STR("after");
	return event.len > 0 && !str_eq(unit, STR("objects")) ? event : unit;
}

static void
put_type(struct pprof_out *p, uint32_t field, struct str name, struct str unit)
{
	proto_put_number(&p->message, TYPE_NAME, string_of(p, name));
	proto_put_number(&p->message, TYPE_UNIT, string_of(p, unit));
	end_message(p, field);
}

/*
 * The location at the leaf of a stack: one frame, or several, all but the last
 * inlined.  *stack is then what called it.
 */
static uint32_t
cut_location(struct pprof_out *p, uint32_t *stack)
{
	uint32_t frame;
	size_t n = 0;

	do {
		frame = p->e->frame[*stack].name;
		*stack = p->e->frame[*stack].parent;
		p->group = mem_grow(p->group, &p->group_cap, n + 1,
				    sizeof(*p->group));
		p->group[n++] = frame;
	} while (p->inlined[frame] && *stack != 0);
	if (n == 1 && p->alone[frame] != 0)
		return p->alone[frame];
	frame = intern_id(p->locations, (struct str){ (const char *)p->group,
						      n * sizeof(*p->group) });
	if (n == 1)
		p->alone[*p->group] = frame + 1;
	return frame + 1;
}

static void
put_sample(struct pprof_out *p, const struct export_sample *s)
{
	uint32_t stack = s->stack;
	int k;

	p->part.len = 0;
	while (stack != 0)
		proto_put(&p->part, cut_location(p, &stack));
	proto_put_bytes(&p->message, SAMPLE_LOCATION, buf_slice(&p->part));
	p->part.len = 0;
	for (k = 0; k < p->e->counts; k++)
		proto_put(&p->part, export_whole(p->e, s->count[k], INT64_MAX));
	proto_put_bytes(&p->message, SAMPLE_VALUE, buf_slice(&p->part));
	end_message(p, PPROF_SAMPLE);
}

/* The innermost frame first; the code is where the last one's is. */
static void
put_location(struct pprof_out *p, uint32_t i)
{
	struct str key = intern_name(p->locations, i), object;
	size_t k, n = key.len / sizeof(*p->group);

	memcpy(p->group, key.p, key.len);
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	object = export_object(p->e, p->group[n - 1]);
	if (object.len > 0)
		proto_put_number(&p->message, LOCATION_MAPPING,
				 intern_id(p->mappings, object) + (uint64_t)1);
	for (k = 0; k < n; k++) {
		p->part.len = 0;
		proto_put_number(&p->part, LINE_FUNCTION,
				 p->group[k] + (uint64_t)1);
		proto_put_bytes(&p->message, LOCATION_LINE,
				buf_slice(&p->part));
	}
	end_message(p, PPROF_LOCATION);
}

/* With functions, or pprof would look for the file to find some. */
static void
put_mapping(struct pprof_out *p, uint32_t i)
{
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	proto_put_number(&p->message, MAPPING_FILE,
			 string_of(p, intern_name(p->mappings, i)));
	proto_put_number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
	end_message(p, PPROF_MAPPING);
}

/*
 * The name that the system has for it is that of folded text, where it has a
 * suffix.  If it were the same as the other, pprof would "demangle" it.
 */
static void
put_function(struct pprof_out *p, uint32_t i)
{
	struct str whole = intern_name(p->e->names, i), name;
	char suffix;

	name = export_name(p->e, i, &suffix);
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	proto_put_number(&p->message, FUNCTION_NAME, string_of(p, name));
	if (name.len < whole.len)
		proto_put_number(&p->message, FUNCTION_SYSTEM_NAME,
				 string_of(p, whole));
	end_message(p, PPROF_FUNCTION);
}

/* How far samples are apart, by their counts or by the clock. */
static void
put_period(struct pprof_out *p)
{
	const struct meta *meta = &p->e->meta;
	uint64_t n;

	if (meta_u64(meta, "quantum", &n) && !p->e->decimals) {
		put_type(p, PPROF_PERIOD_TYPE, type_name(p->e, 0),
			 type_unit(p->e));
	} else if (meta_u64(meta, "hz", &n) && n > 0) {
		n = 1000000000 / n;
		put_type(p, PPROF_PERIOD_TYPE, STR("time"), STR("nanoseconds"));
	} else {
		return;
	}
	proto_put_number(&p->out, PPROF_PERIOD, n);
}

static void
put_comments(struct pprof_out *p)
{
	const struct meta_entry *entry = p->e->meta.entry;
	size_t i;

	for (i = 0; i < p->e->meta.n; i++) {
		p->part.len = 0;
		buf_str(&p->part, entry[i].key);
		buf_char(&p->part, '=');
		buf_str(&p->part, entry[i].value);
		proto_put_number(&p->out, PPROF_COMMENT,
				 string_of(p, buf_slice(&p->part)));
	}
}

static void
put_meta(struct pprof_out *p)
{
	const struct meta *meta = &p->e->meta;
	uint64_t ns;

	if (str_eq(meta_get(meta, "clock"), STR("realtime")) &&
	    meta_ns(meta, "time", &ns))
		proto_put_number(&p->out, PPROF_TIME, ns);
	if (meta_ns(meta, "dur", &ns))
		proto_put_number(&p->out, PPROF_DURATION, ns);
	put_period(p);
	put_comments(p);
	if (p->e->counts == 2)
		proto_put_number(&p->out, PPROF_DEFAULT,
				 string_of(p, STR("after")));
}

static void
put_samples(struct pprof_out *p)
{
	struct export_sample s;
	int k;

	for (k = 0; k < p->e->counts; k++)
		put_type(p, PPROF_TYPE, type_name(p->e, k), type_unit(p->e));
	while (export_next(p->e, &s))
		put_sample(p, &s);
}

/* What samples refer to; strings come last, as all refer to them. */
static void
put_tables(struct pprof_out *p)
{
	uint32_t i;

	for (i = 0; i < intern_size(p->locations); i++)
		put_location(p, i);
	for (i = 0; i < intern_size(p->mappings); i++)
		put_mapping(p, i);
	for (i = 0; i < intern_size(p->e->names); i++)
		put_function(p, i);
	put_meta(p);
	for (i = 0; i < intern_size(p->strings); i++) {
		buf_str(&p->message, intern_name(p->strings, i));
		end_message(p, PPROF_STRING);
	}
}

static void
note_inlined(struct pprof_out *p)
{
	uint32_t i, n = intern_size(p->e->names);
	char suffix;

	p->alone = mem_zero(n + (size_t)1, sizeof(*p->alone));
	p->inlined = mem_zero(n + (size_t)1, sizeof(*p->inlined));
	for (i = 0; i < n && p->e->annotates; i++) {
		export_name(p->e, i, &suffix);
		p->inlined[i] = suffix == 'i';
	}
}

static void
write_pprof(struct exported *e)
{
	struct pprof_out p = { .e = e, .gzip = gzip_new(e->out) };

	p.strings = intern_new();
	p.mappings = intern_new();
	p.locations = intern_new();
	string_of(&p, STR(""));          /* number 0 has to be */
	intern_id(p.mappings, e->title); /* the first is the program */
	note_inlined(&p);
	put_samples(&p);
	put_tables(&p);
	gzip_add(p.gzip, buf_slice(&p.out));
	gzip_end(p.gzip);
	intern_free(p.strings);
	intern_free(p.mappings);
	intern_free(p.locations);
	buf_free(&p.out);
	buf_free(&p.message);
	buf_free(&p.part);
	free(p.alone);
	free(p.inlined);
	free(p.group);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.summary = "profile.proto of pprof, for \"go tool pprof\" and others",
	.order = EXPORT_SUMS,
	.annotates = true,
	.write = write_pprof
};
