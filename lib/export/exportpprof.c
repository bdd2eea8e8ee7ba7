/*
 * exportpprof.c - compressed profile.proto of pprof.
 *
 * codec/pprof.h describes the format.  Samples come first, so that they are
 * written as they are read.  The tables they refer to follow.
 */
#include "export/exportpprof.h"

#include "base/mem.h"
#include "codec/deflate.h"
#include "codec/pprof.h"
#include "export/exportread.h"
#include "export/exporttext.h"

#include <stdlib.h>

/* Bytes to compress at once. */
#define BLOCK ((size_t)1 << 16)

struct pprof_out {
	struct export_profile *e;
	struct gzip *gzip;
	struct buf out, message, part;
	struct intern *strings;
	struct intern *mappings;  /* their file names */
	struct intern *locations; /* their frames, innermost first */
	uint32_t *alone;          /* by frame: its own location, or 0 */
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
	deflate_gzip_add(p->gzip, buf_slice(&p->out));
	p->out.len = 0;
}

/* The unit of counts in the words of pprof. */
static struct str
type_unit(const struct export_profile *e)
{
	struct str unit = exporttext_whole_unit(e);

	if (str_eq(unit, STR("ns")))
		return STR("nanoseconds");
	if (str_eq(unit, STR("us")))
		return STR("microseconds");
	if (str_eq(unit, STR("samples")) || str_eq(unit, STR("objects")))
		return STR("count");
	return unit;
}

/* What counts are, in the words of pprof. */
static struct str
type_name(const struct export_profile *e, int k)
{
	struct str event = meta_get(&e->meta, "event");
	struct str unit = exporttext_whole_unit(e);

	if (e->counts == 2)
		return k == 0 ? STR("before") : STR("after");
	return event.len > 0 && !str_eq(unit, STR("objects")) ? event : unit;
}

static void
put_type(struct pprof_out *p, uint32_t field, struct str name, struct str unit)
{
	proto_put_number(&p->message, PPROF_TYPE_NAME, string_of(p, name));
	proto_put_number(&p->message, PPROF_TYPE_UNIT, string_of(p, unit));
	end_message(p, field);
}

/*
 * Cut the location at the leaf off a stack: inlined frames and the frame they
 * are inlined into.  *stack becomes its caller.
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
put_sample(struct pprof_out *p, const struct export_sample *sample)
{
	uint32_t stack = sample->stack;
	int k;

	p->part.len = 0;
	while (stack != 0)
		proto_put(&p->part, cut_location(p, &stack));
	proto_put_bytes(&p->message, PPROF_SAMPLE_LOCATION,
			buf_slice(&p->part));
	p->part.len = 0;
	for (k = 0; k < p->e->counts; k++)
		proto_put(&p->part,
			  exporttext_whole(p->e, sample->count[k], INT64_MAX));
	proto_put_bytes(&p->message, PPROF_SAMPLE_VALUE, buf_slice(&p->part));
	end_message(p, PPROF_SAMPLE);
}

/* Put a location, innermost frame first.  Its mapping is the last frame's. */
static void
put_location(struct pprof_out *p, uint32_t i)
{
	struct str key = intern_name(p->locations, i), object;
	size_t k, n = key.len / sizeof(*p->group);

	memcpy(p->group, key.p, key.len);
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	object = exporttext_object(p->e, p->group[n - 1]);
	if (object.len > 0)
		proto_put_number(&p->message, PPROF_LOCATION_MAPPING,
				 intern_id(p->mappings, object) + (uint64_t)1);
	for (k = 0; k < n; k++) {
		p->part.len = 0;
		proto_put_number(&p->part, PPROF_LINE_FUNCTION,
				 p->group[k] + (uint64_t)1);
		proto_put_bytes(&p->message, PPROF_LOCATION_LINE,
				buf_slice(&p->part));
	}
	end_message(p, PPROF_LOCATION);
}

/* Put a mapping.  Without has_functions, pprof would look for the file. */
static void
put_mapping(struct pprof_out *p, uint32_t i)
{
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	proto_put_number(&p->message, PPROF_MAPPING_FILE,
			 string_of(p, intern_name(p->mappings, i)));
	proto_put_number(&p->message, PPROF_MAPPING_HAS_FUNCTIONS, 1);
	end_message(p, PPROF_MAPPING);
}

/*
 * Put a function.  Its system name is the name with its suffix.  pprof would
 * demangle a system name that is equal to the name, so then there is none.
 */
static void
put_function(struct pprof_out *p, uint32_t i)
{
	struct str whole = intern_name(p->e->names, i), name;
	char suffix;

	name = exporttext_name(p->e, i, &suffix);
	proto_put_number(&p->message, PPROF_ID, i + (uint64_t)1);
	proto_put_number(&p->message, PPROF_FUNCTION_NAME, string_of(p, name));
	if (name.len < whole.len)
		proto_put_number(&p->message, PPROF_FUNCTION_SYSTEM_NAME,
				 string_of(p, whole));
	end_message(p, PPROF_FUNCTION);
}

/* Put the sampling period, in counts or in time. */
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
	struct export_sample sample;
	int k;

	for (k = 0; k < p->e->counts; k++)
		put_type(p, PPROF_TYPE, type_name(p->e, k), type_unit(p->e));
	while (exportread_next(p->e, &sample))
		put_sample(p, &sample);
}

/* Put what samples refer to.  All refer to strings, so these are last. */
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
find_inlined(struct pprof_out *p)
{
	uint32_t i, n = intern_size(p->e->names);
	char suffix;

	p->alone = mem_zero(n + (size_t)1, sizeof(*p->alone));
	p->inlined = mem_zero(n + (size_t)1, sizeof(*p->inlined));
	for (i = 0; i < n && p->e->strip_suffixes; i++) {
		exporttext_name(p->e, i, &suffix);
		p->inlined[i] = suffix == 'i';
	}
}

static void
write_pprof(struct export_profile *e)
{
	struct pprof_out p = { .e = e, .gzip = deflate_gzip_new(e->out) };

	p.strings = intern_new();
	p.mappings = intern_new();
	p.locations = intern_new();
	string_of(&p, STR(""));          /* required as number 0 */
	intern_id(p.mappings, e->title); /* the program must be first */
	find_inlined(&p);
	put_samples(&p);
	put_tables(&p);
	deflate_gzip_add(p.gzip, buf_slice(&p.out));
	deflate_gzip_end(p.gzip);
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

const struct export_format exportpprof = {
	.name = "pprof",
	.summary = "profile.proto of pprof, for \"go tool pprof\" and others",
	.order = EXPORT_SUMS,
	.has_annotations = true,
	.write = write_pprof
};
