/*
 * stackcollapse-pprof - fold a profile in the format of pprof.
 *
 * The format: https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#include "map.h"
#include "mem.h"
#include "proto.h"
#include "reader.h"
#include "utf8.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_TYPE = CMD_LONG, OPT_LIST, OPT_LABELS, OPT_NO_INLINE, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "type", OPT_TYPE, "NAME", "what to count, as --list prints it",
	  false },
	{ "list", OPT_LIST, NULL, "print what can be counted, and its unit",
	  false },
	{ "labels", OPT_LABELS, NULL, "labels of samples as root frames",
	  false },
	{ "no-inline", OPT_NO_INLINE, NULL, "no inlined frames", false },
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static const char *wanted_type;
static bool only_list, with_labels, no_inlines, with_lines;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_TYPE:
		wanted_type = arg;
		break;
	case OPT_LIST:
		only_list = true;
		break;
	case OPT_LABELS:
		with_labels = true;
		break;
	case OPT_NO_INLINE:
		no_inlines = true;
		break;
	case OPT_SRCLINE:
		with_lines = true;
		break;
	default:
		return false;
	}
	return true;
}

/* Numbers of fields, profile.proto. */
enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DEFAULT = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum { ID = 1, MAPPING_FILE = 5 }; /* all have an ID */
enum { LOCATION_MAPPING = 2, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 2, FUNCTION_FILE = 4 };

/* Messages of a kind that others refer to. */
struct messages {
	struct str *bytes;
	uint64_t *id;
	size_t n, cap, id_cap;
	struct map by_id;
};

/* The tokens of a location, made when a sample first has it. */
struct location_tokens {
	size_t first;
	uint32_t n;
	bool made;
};

struct pprof {
	struct input *in;
	struct sink *out;
	struct messages types, strings, mappings, locations, functions;
	struct location_tokens *made;
	uint32_t *tokens;
	size_t ntokens, tokens_cap;
	uint64_t default_type; /* a string, 0 if there is none */
	size_t type;           /* which of the values of a sample */
	struct sample sample;
	uint32_t *stack;
	size_t depth, stack_cap;
	struct buf text;
};

static void
keep(struct messages *m, struct str bytes)
{
	m->bytes = mem_grow(m->bytes, &m->cap, m->n + 1, sizeof(*m->bytes));
	m->bytes[m->n++] = bytes;
}

/* A number in a message; 0, as the format has it, if it is not there. */
static uint64_t
number_of(struct str message, uint32_t number)
{
	struct proto f;
	uint64_t n = 0;

	while (proto_next(&message, &f)) {
		if (f.number == number && !f.is_bytes)
			n = f.value;
	}
	return n;
}

static void
keep_by_id(struct pprof *p, struct messages *m, struct str bytes)
{
	uint64_t id;

	if (m->n == UINT32_MAX) {
		input_bad(p->in, "more than 2^32 ids");
		return;
	}
	id = number_of(bytes, ID);
	map_put(&m->by_id, id, (uint32_t)m->n);
	m->id = mem_grow(m->id, &m->id_cap, m->n + 1, sizeof(*m->id));
	m->id[m->n] = id;
	keep(m, bytes);
}

/* Ids are mostly 1, 2, 3 ..., so that the table is not needed. */
static inline bool
find_id(const struct messages *m, uint64_t id, uint32_t *i)
{
	if (id - 1 < m->n && m->id[id - 1] == id) {
		*i = (uint32_t)(id - 1);
		return true;
	}
	return map_get(&m->by_id, id, i);
}

/* A message by its id; empty if there is none. */
static struct str
by_id(const struct messages *m, uint64_t id)
{
	uint32_t i;

	return find_id(m, id, &i) ? m->bytes[i] : STR("");
}

static struct str
string(const struct pprof *p, uint64_t i)
{
	return i < p->strings.n ? p->strings.bytes[i] : STR("");
}

static void
forget(struct messages *m)
{
	free(m->bytes);
	free(m->id);
	map_free(&m->by_id);
}

/* Find the parts of the profile; what is cut off or odd is said. */
static void
index_parts(struct pprof *p, struct str rest)
{
	struct proto f;

	while (proto_next(&rest, &f)) {
		switch (f.number) {
		case PROFILE_TYPE:
			keep(&p->types, f.bytes);
			break;
		case PROFILE_STRING:
			keep(&p->strings, f.bytes);
			break;
		case PROFILE_MAPPING:
			keep_by_id(p, &p->mappings, f.bytes);
			break;
		case PROFILE_LOCATION:
			keep_by_id(p, &p->locations, f.bytes);
			break;
		case PROFILE_FUNCTION:
			keep_by_id(p, &p->functions, f.bytes);
			break;
		case PROFILE_DEFAULT:
			p->default_type = f.value;
			break;
		}
	}
	if (rest.len > 0)
		input_bad(p->in, "not a field of a profile, or cut short");
}

static struct str
type_name(const struct pprof *p, size_t i)
{
	return string(p, number_of(p->types.bytes[i], TYPE_NAME));
}

static struct str
type_unit(const struct pprof *p, size_t i)
{
	return string(p, number_of(p->types.bytes[i], TYPE_UNIT));
}

static void
list_types(struct pprof *p)
{
	size_t i;

	for (i = 0; i < p->types.n; i++) {
		utf8_escape(&p->text, type_name(p, i));
		buf_char(&p->text, ' ');
		utf8_escape(&p->text, type_unit(p, i));
		buf_char(&p->text, '\n');
	}
	buf_write(&p->text, stdout);
	p->in->tally->good++;
}

/* The last type of this name, or the last of all if it is NULL. */
static bool
find_type(struct pprof *p, const struct str *name)
{
	size_t i;

	for (i = p->types.n; i > 0; i--) {
		if (name == NULL || str_eq(type_name(p, i - 1), *name)) {
			p->type = i - 1;
			return true;
		}
	}
	return false;
}

static struct str
folded_unit(struct str name, struct str unit)
{
	if (str_eq(unit, STR("nanoseconds")))
		return STR("ns");
	if (str_eq(unit, STR("microseconds")))
		return STR("us");
	if (str_eq(unit, STR("count")))
		return str_ends(name, STR("objects")) ? STR("objects") :
							STR("samples");
	return unit;
}

static bool
choose_type(struct pprof *p)
{
	struct str name = string(p, p->default_type);

	if (wanted_type != NULL) {
		name = str_of(wanted_type);
		if (!find_type(p, &name))
			errx(2, "%s: no type %s; --list prints those there are",
			     p->in->name, wanted_type);
	} else if (!(p->default_type > 0 && find_type(p, &name)) &&
		   !find_type(p, NULL)) {
		input_bad(p->in, "no type of samples");
		return false;
	}
	name = type_name(p, p->type);
	p->sample = SAMPLE_UNKNOWN;
	p->sample.event = name;
	p->sample.unit = folded_unit(name, type_unit(p, p->type));
	return true;
}

static void
add_token(struct pprof *p, const struct frame *frame)
{
	p->tokens = mem_grow(p->tokens, &p->tokens_cap, p->ntokens + 1,
			     sizeof(*p->tokens));
	p->tokens[p->ntokens++] = sink_token(p->out, frame, 0);
}

/* The frame of one line of a location; all but the last are inlined. */
static void
add_line(struct pprof *p, struct frame *frame, struct str line, bool inlined)
{
	struct str f = by_id(&p->functions, number_of(line, LINE_FUNCTION));
	struct str file = string(p, number_of(f, FUNCTION_FILE));

	if (inlined && no_inlines)
		return;
	frame->kind = inlined ? FRAME_INLINE : FRAME_USER;
	frame->name = string(p, number_of(f, FUNCTION_NAME));
	p->text.len = 0;
	if (with_lines && file.len > 0) {
		buf_str(&p->text, file);
		buf_char(&p->text, ':');
		buf_u64(&p->text, number_of(line, LINE_LINE));
	}
	frame->line = buf_slice(&p->text);
	add_token(p, frame);
	p->text.len = 0;
}

static void
make_tokens(struct pprof *p, struct location_tokens *t, struct str location)
{
	struct str mapping = by_id(&p->mappings,
				   number_of(location, LOCATION_MAPPING));
	struct frame frame = { .addr = number_of(location, LOCATION_ADDRESS),
			       .has_addr = true };
	struct str line = { 0 };
	bool any = false;
	struct proto f;

	frame.module = string(p, number_of(mapping, MAPPING_FILE));
	t->first = p->ntokens;
	while (proto_next(&location, &f)) {
		if (f.number != LOCATION_LINE || !f.is_bytes)
			continue;
		if (any)
			add_line(p, &frame, line, true);
		line = f.bytes;
		any = true;
	}
	if (any)
		add_line(p, &frame, line, false);
	else
		add_token(p, &frame);
	t->n = (uint32_t)(p->ntokens - t->first);
	t->made = true;
}

/* Append the tokens of a location to the stack; false if it is not there. */
static bool
push_location(struct pprof *p, uint64_t id)
{
	struct location_tokens *t;
	uint32_t i;

	if (!find_id(&p->locations, id, &i))
		return false;
	t = &p->made[i];
	if (!t->made)
		make_tokens(p, t, p->locations.bytes[i]);
	p->stack = mem_grow(p->stack, &p->stack_cap, p->depth + t->n + 1,
			    sizeof(*p->stack));
	for (i = 0; i < t->n; i++)
		p->stack[p->depth++] = p->tokens[t->first + i];
	return true;
}

/* "key=value", a frame of its own. */
static void
push_label(struct pprof *p, struct str label)
{
	struct str text = string(p, number_of(label, LABEL_STRING));

	p->text.len = 0;
	buf_str(&p->text, string(p, number_of(label, LABEL_KEY)));
	buf_char(&p->text, '=');
	if (text.len > 0)
		buf_str(&p->text, text);
	else
		buf_printf(&p->text, "%" PRId64,
			   (int64_t)number_of(label, LABEL_NUMBER));
	sink_frame(p->out, &(struct frame){ .name = buf_slice(&p->text),
					    .whole = true });
}

/* Root frames stand last, as the root of a stack does. */
static void
push_labels(struct pprof *p, struct str message)
{
	struct proto f;

	while (proto_next(&message, &f)) {
		if (f.number == SAMPLE_LABEL && f.is_bytes)
			push_label(p, f.bytes);
	}
}

/* Read a sample's stack and value; says what is wrong, or NULL. */
static const char *
parse_sample(struct pprof *p, struct str message, uint64_t *value)
{
	size_t nvalues = 0;
	struct proto f;
	uint64_t n;
	bool bad = false;

	p->depth = 0;
	while (proto_next(&message, &f)) {
		if (f.number == SAMPLE_VALUE) {
			while (proto_number(&f, &n, &bad)) {
				if (nvalues++ == p->type)
					*value = n;
			}
		} else if (f.number == SAMPLE_LOCATION) {
			while (proto_number(&f, &n, &bad)) {
				if (!push_location(p, n))
					return "a location that is not there";
			}
		}
	}
	if (message.len > 0 || bad)
		return "a malformed sample";
	if (nvalues <= p->type)
		return "a sample without a value";
	if (*value > INT64_MAX)
		return "a negative value, as in a difference of profiles";
	return NULL;
}

static void
read_sample(struct pprof *p, struct str message)
{
	uint64_t value = 0;
	const char *wrong = parse_sample(p, message, &value);

	if (wrong != NULL) {
		input_bad(p->in, "%s", wrong);
		return;
	}
	if (value == 0) {
		p->in->tally->good++; /* of another type */
		return;
	}
	if (!sink_begin(p->out, &p->sample))
		return;
	sink_push(p->out, p->stack, p->depth);
	if (with_labels)
		push_labels(p, message);
	sink_end(p->out, count_of(value));
}

static void
read_samples(struct pprof *p, struct str rest)
{
	struct proto f;

	p->made = mem_zero(p->locations.n + 1, sizeof(*p->made));
	while (proto_next(&rest, &f)) {
		if (f.number != PROFILE_SAMPLE || !f.is_bytes)
			continue;
		p->in->line++;
		read_sample(p, f.bytes);
	}
}

static void
read_pprof(struct input *in, struct sink *out)
{
	struct pprof p = { .in = in, .out = out };
	/* Strings stand behind the samples that use them. */
	struct str all = input_bytes(in, SIZE_MAX);

	in->tally->bad_unit = "samples";
	index_parts(&p, all);
	if (only_list)
		list_types(&p);
	else if (all.len > 0 && choose_type(&p))
		read_samples(&p, all);
	forget(&p.types);
	forget(&p.strings);
	forget(&p.mappings);
	forget(&p.locations);
	forget(&p.functions);
	free(p.made);
	free(p.tokens);
	free(p.stack);
	buf_free(&p.text);
}

int
main(int argc, char *argv[])
{
	static const struct reader pprof = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile in the format of pprof.",
		.options = options,
		.setopt = set_option,
		.read = read_pprof
	};

	return collapse_main(argc, argv, &pprof);
}
