/*
 * stackcollapse-pprof - fold a profile in the format of pprof, codec/pprof.h.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "codec/pprof.h"
#include "folded/folded.h"
#include "folded/script_name.h"
#include "io/spool.h"
#include "reader/collapse.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_TYPE = CMD_LONG, OPT_LIST, OPT_LABELS, OPT_NO_INLINE, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "type", OPT_TYPE, "NAME", "count this sample type; --list shows all",
	  false },
	{ "list", OPT_LIST, NULL, "list the sample types and their units",
	  false },
	{ "labels", OPT_LABELS, NULL, "add root frames: labels of samples",
	  false },
	{ "no-inline", OPT_NO_INLINE, NULL, "omit inlined frames", false },
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

/*
 * Limit of inlined frames in a stack.  A location has any number of them, and a
 * stack repeats a location with a byte.  Other frames take space in the file.
 */
#define MAX_INLINED ((size_t)1 << 20)

/* Pipes of at least this size are copied to a file. */
#define SPOOL_BYTES ((size_t)1 << 20)

/* The tokens of a location, made at its first use. */
struct location_tokens {
	uint32_t n;     /* 0 before the first use */
	uint32_t token; /* the first one; most locations have one */
	size_t first;   /* its index in tokens */
};

struct pprof_file {
	struct input *in;
	struct sink *out;
	struct pprof parts;
	struct location_tokens *made; /* by index of the location */
	uint32_t *tokens;
	size_t ntokens, tokens_cap;
	size_t type;   /* index of the value to count */
	size_t number; /* index of the number of samples, SIZE_MAX if none */
	struct sample sample;
	uint32_t *stack;
	size_t depth, stack_cap;
	size_t inlined; /* frames in the stack, about */
	struct buf text;
};

static struct str
type_name(const struct pprof_file *p, size_t i)
{
	return pprof_string(
	    &p->parts, pprof_number(p->parts.types.bytes[i], PPROF_TYPE_NAME));
}

static struct str
type_unit(const struct pprof_file *p, size_t i)
{
	return pprof_string(
	    &p->parts, pprof_number(p->parts.types.bytes[i], PPROF_TYPE_UNIT));
}

static void
list_types(struct pprof_file *p)
{
	size_t i;

	for (i = 0; i < p->parts.types.n; i++) {
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
find_type(struct pprof_file *p, const struct str *name)
{
	size_t i;

	for (i = p->parts.types.n; i > 0; i--) {
		if (name == NULL || str_eq(type_name(p, i - 1), *name)) {
			p->type = i - 1;
			return true;
		}
	}
	return false;
}

/*
 * Find the number of samples: "samples count" in most CPU profiles, "sample
 * count" in those of node and of Google's profilers.
 */
static void
find_number(struct pprof_file *p)
{
	struct str name;
	size_t i;

	p->number = SIZE_MAX;
	for (i = 0; i < p->parts.types.n; i++) {
		name = type_name(p, i);
		if ((str_eq(name, STR("samples")) ||
		     str_eq(name, STR("sample"))) &&
		    str_eq(type_unit(p, i), STR("count")))
			p->number = i;
	}
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
choose_type(struct pprof_file *p)
{
	struct str name = pprof_string(&p->parts, p->parts.default_type);

	if (wanted_type != NULL) {
		name = str_of(wanted_type);
		if (!find_type(p, &name))
			errx(2, "%s: no sample type %s; --list prints all",
			     p->in->name, wanted_type);
	} else if (!(p->parts.default_type > 0 && find_type(p, &name)) &&
		   !find_type(p, NULL)) {
		input_bad(p->in, "the profile has no sample type");
		return false;
	}
	find_number(p);
	name = type_name(p, p->type);
	p->sample = SAMPLE_UNKNOWN;
	p->sample.event = name;
	p->sample.unit = folded_unit(name, type_unit(p, p->type));
	return true;
}

static void
add_token(struct pprof_file *p, const struct frame *frame)
{
	p->tokens = mem_grow(p->tokens, &p->tokens_cap, p->ntokens + 1,
			     sizeof(*p->tokens));
	p->tokens[p->ntokens++] = sink_token(p->out, frame, 0);
}

/*
 * The name of a function.  If its system name is the name with a mark of
 * folded(5), the profile was made from folded text: use the system name.
 */
static struct str
function_name(const struct pprof_file *p, struct str function, bool inlined)
{
	struct str name = pprof_string(
	    &p->parts, pprof_number(function, PPROF_FUNCTION_NAME));
	struct str system = pprof_string(
	    &p->parts, pprof_number(function, PPROF_FUNCTION_SYSTEM_NAME));
	char suffix;

	if (system.len > name.len &&
	    str_eq(folded_frame_name(system, &suffix), name) &&
	    !(inlined && suffix == 'i'))
		return system;
	return name;
}

/* The frame of one line of a location; all but the last are inlined. */
static void
add_line(struct pprof_file *p, struct frame *frame, struct str line,
	 bool inlined)
{
	struct str f = pprof_message(&p->parts.functions,
				     pprof_number(line, PPROF_LINE_FUNCTION));
	struct str file = pprof_string(&p->parts,
				       pprof_number(f, PPROF_FUNCTION_FILE));

	char number[32];

	if (inlined && no_inlines)
		return;
	snprintf(number, sizeof(number), "%" PRIu64,
		 pprof_number(line, PPROF_LINE_LINE));
	frame->kind = inlined ? FRAME_INLINE : FRAME_USER;
	frame->name = function_name(p, f, inlined);
	frame->line = (struct str){ 0 };
	p->text.len = 0;
	frame->whole = frame->name.len > 0 && script_name_is_python(file);
	if (frame->whole) {
		script_name_print(&p->text, frame->name, file,
				  with_lines ? str_of(number) : STR(""));
		frame->name = buf_slice(&p->text);
	} else if (with_lines && file.len > 0) {
		buf_printf(&p->text, "%.*s:%s", (int)file.len, file.p, number);
		frame->line = buf_slice(&p->text);
	}
	add_token(p, frame);
	p->text.len = 0;
}

static void
make_tokens(struct pprof_file *p, struct location_tokens *t,
	    struct str location)
{
	struct str mapping = pprof_message(
	    &p->parts.mappings, pprof_number(location, PPROF_LOCATION_MAPPING));
	struct frame frame = { .addr = pprof_number(location,
						    PPROF_LOCATION_ADDRESS),
			       .has_addr = true };
	struct str line = { 0 };
	bool any = false;
	struct proto f;

	frame.module = pprof_string(&p->parts,
				    pprof_number(mapping, PPROF_MAPPING_FILE));
	t->first = p->ntokens;
	while (proto_next(&location, &f)) {
		if (f.number != PPROF_LOCATION_LINE || !f.is_bytes)
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
	t->token = p->tokens[t->first];
}

/*
 * Append the tokens of a location, and make room for more tokens after them.
 * False if the stack has too many inlined frames.
 */
static bool
push_location(struct pprof_file *p, uint32_t i, size_t more)
{
	struct location_tokens *t = &p->made[i];

	if (t->n == 0)
		make_tokens(p, t, p->parts.locations.bytes[i]);
	p->inlined += t->n - 1;
	if (p->inlined > MAX_INLINED)
		return false;
	p->stack = mem_grow(p->stack, &p->stack_cap, p->depth + t->n + more,
			    sizeof(*p->stack));
	memcpy(p->stack + p->depth, p->tokens + t->first,
	       t->n * sizeof(*p->stack));
	p->depth += t->n;
	return true;
}

/* Append the locations of a field.  Returns what is wrong, or NULL. */
static const char *
push_locations(struct pprof_file *p, struct proto *f)
{
	const struct location_tokens *t;
	bool bad = false;
	uint64_t id;
	uint32_t i;

	/* each location takes a byte at least */
	p->stack = mem_grow(p->stack, &p->stack_cap,
			    p->depth + f->bytes.len + 1, sizeof(*p->stack));
	while (proto_number(f, &id, &bad)) {
		if (!pprof_find(&p->parts.locations, id, &i))
			return "a sample refers to a missing location";
		t = &p->made[i];
		if (t->n == 1)
			p->stack[p->depth++] = t->token;
		else if (!push_location(p, i, f->bytes.len))
			return "a stack with more than a million inlined "
			       "frames";
	}
	return bad ? "a malformed sample" : NULL;
}

/* Push a label as a frame "key=value". */
static void
push_label(struct pprof_file *p, struct str label)
{
	struct str text = pprof_string(&p->parts,
				       pprof_number(label, PPROF_LABEL_STRING));

	p->text.len = 0;
	buf_str(&p->text,
		pprof_string(&p->parts, pprof_number(label, PPROF_LABEL_KEY)));
	buf_char(&p->text, '=');
	if (text.len > 0)
		buf_str(&p->text, text);
	else
		buf_printf(&p->text, "%" PRId64,
			   (int64_t)pprof_number(label, PPROF_LABEL_NUMBER));
	sink_frame(p->out, &(struct frame){ .name = buf_slice(&p->text),
					    .whole = true });
}

/* Push the labels as root frames, which come last. */
static void
push_labels(struct pprof_file *p, struct str message)
{
	struct proto f;

	while (proto_next(&message, &f)) {
		if (f.number == PPROF_SAMPLE_LABEL && f.is_bytes)
			push_label(p, f.bytes);
	}
}

/* Read the stack and value of a sample.  Returns what is wrong, or NULL. */
static const char *
parse_sample(struct pprof_file *p, struct str message, uint64_t *value)
{
	const char *wrong = NULL;
	size_t nvalues = 0;
	struct proto f;
	uint64_t n;
	bool bad = false;

	p->depth = p->inlined = 0;
	p->sample.n = 1;
	while (wrong == NULL && proto_next(&message, &f)) {
		if (f.number == PPROF_SAMPLE_LOCATION)
			wrong = push_locations(p, &f);
		if (f.number != PPROF_SAMPLE_VALUE)
			continue;
		while (proto_number(&f, &n, &bad)) {
			if (nvalues == p->type)
				*value = n;
			if (nvalues++ == p->number && n <= INT64_MAX)
				p->sample.n = n;
		}
	}
	if (wrong != NULL)
		return wrong;
	if (message.len > 0 || bad)
		return "a malformed sample";
	if (nvalues <= p->type)
		return "a sample without a value";
	if (*value > INT64_MAX)
		return "a negative value, as in a diff of profiles";
	return NULL;
}

static void
read_sample(struct pprof_file *p, struct str message)
{
	uint64_t value = 0;
	const char *wrong = parse_sample(p, message, &value);

	if (wrong != NULL) {
		input_bad(p->in, "%s", wrong);
		return;
	}
	if (value == 0) {
		p->in->tally->good++; /* it has values of other types */
		return;
	}
	if (!sink_begin(p->out, &p->sample))
		return;
	sink_push(p->out, p->stack, p->depth);
	if (p->depth == 0) /* a thread made by C, in a profile of Go */
		sink_frame(p->out, &(struct frame){ 0 });
	if (with_labels)
		push_labels(p, message);
	sink_end(p->out, count_of(value));
}

static void
read_samples(struct pprof_file *p)
{
	struct pprof_fields fields = { .in = p->in };
	struct proto f;

	p->made = mem_zero(p->parts.locations.n + 1, sizeof(*p->made));
	while (pprof_next(&fields, &f)) {
		if (f.number != PPROF_SAMPLE || !f.is_bytes)
			continue;
		p->in->line++;
		read_sample(p, f.bytes);
	}
}

/* Strings follow the samples that use them, so the input is read twice. */
static void
read_pprof(struct input *in, struct sink *out)
{
	struct pprof_file p = { .in = in, .out = out };
	const char *wrong;

	in->tally->bad_unit = "sample";
	if (in->size == 0 && input_peek(in, SPOOL_BYTES).len == SPOOL_BYTES)
		spool(in);
	wrong = pprof_index(&p.parts, in);
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	if (only_list)
		list_types(&p);
	else if (in->bytes > 0 && !p.parts.is_ambiguous && choose_type(&p) &&
		 input_seek(in, 0))
		read_samples(&p);
	pprof_free(&p.parts);
	free(p.made);
	free(p.tokens);
	free(p.stack);
	buf_free(&p.text);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	static const struct reader pprof = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile in the format of pprof.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_pprof
	};

	return collapse_main(argc, argv, &pprof);
}
