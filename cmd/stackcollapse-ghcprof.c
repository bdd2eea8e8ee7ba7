/*
 * stackcollapse-ghcprof - fold the cost-centre profiles of GHC: the report
 * that +RTS -p or -P writes, and the JSON of -pj.
 *
 * Source of knowledge: rts/ProfilerReport.c and ProfilerReportJson.c of GHC.
 */
#include "json.h"
#include "map.h"
#include "mem.h"
#include "reader.h"

#include <stdlib.h>

enum { OPT_ALLOC = CMD_LONG, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "alloc", OPT_ALLOC, NULL, "bytes that were allocated, not time",
	  false },
	{ "srcline", OPT_SRCLINE, NULL, "where cost centres are", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool by_alloc, with_lines;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	by_alloc |= value == OPT_ALLOC;
	with_lines |= value == OPT_SRCLINE;
	return value == OPT_ALLOC || value == OPT_SRCLINE;
}

struct ghcprof {
	struct input *in;
	struct sink *out;
	uint64_t ticks, bytes; /* in all */
	uint64_t interval;     /* us a tick, 0 if unknown */
	bool rounded;          /* some counts are from percentages */
	struct map centres;    /* tokens by id, of JSON */
	uint32_t unknown;
	uint32_t *stack;
	size_t depth, stack_cap;
	struct buf name;
	struct buf label, module, source; /* of a cost centre, of JSON */
};

/* "Module.name", as Haskell writes it. */
static uint32_t
centre_token(struct ghcprof *p, struct str name, struct str module,
	     struct str source)
{
	struct frame frame = { .whole = true };

	p->name.len = 0;
	if (!str_eq(name, module)) {
		buf_str(&p->name, module);
		buf_char(&p->name, '.');
	}
	buf_str(&p->name, name);
	frame.name = buf_slice(&p->name);
	if (with_lines && !str_starts(source, STR("<")))
		frame.line = source;
	return sink_token(p->out, &frame, 0);
}

static void
put_frame(struct ghcprof *p, size_t level, uint32_t token)
{
	p->stack = mem_grow(p->stack, &p->stack_cap, level + 1,
			    sizeof(*p->stack));
	p->stack[level] = token;
	p->depth = level + 1;
}

/* What the stack has cost itself. */
static void
push(struct ghcprof *p, struct count count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (count_iszero(count)) {
		p->in->tally->good++;
		return;
	}
	sample.unit = by_alloc ? STR("bytes") : STR("samples");
	if (!by_alloc)
		sample_repeat(&sample, count.units, p->interval * 1000);
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, p->stack, p->depth);
	sink_end(p->out, count);
}

/* "1,234,567" */
static bool
parse_grouped(struct str s, uint64_t *n)
{
	uint64_t part;

	for (*n = 0; s.len > 0; *n = *n * 1000 + part) {
		if (!str_u64(str_cut(&s, ','), &part) ||
		    *n > UINT64_MAX / 1000 - 1)
			return false;
	}
	return true;
}

/* A function may be named "total", or its cost centre "total time". */
static bool
is_total(struct str line)
{
	return str_starts(line, STR("total time  =")) ||
	       str_starts(line, STR("total alloc ="));
}

/*
 * "total time  =   0.78 secs   (776 ticks @ 1000 us, 1 processor)"
 * "total alloc = 924,734,216 bytes  (excludes profiling overheads)"
 */
static void
read_total(struct ghcprof *p, struct str line)
{
	bool is_time = str_starts(line, STR("total time "));
	struct str number, rest;

	str_cut(&line, is_time ? '(' : '=');
	rest = str_trim(line);
	number = str_cut(&rest, ' ');
	if (!is_time) {
		parse_grouped(number, &p->bytes);
		return;
	}
	str_u64(number, &p->ticks);
	str_cut(&rest, '@');
	rest = str_trim(rest);
	if (!str_u64(str_cut(&rest, ' '), &p->interval) ||
	    p->interval > UINT32_MAX)
		p->interval = 0;
}

/* Cut the last word off. */
static struct str
cut_last(struct str *s)
{
	const char *blank;
	struct str word;

	*s = str_rtrim(*s);
	blank = s->len == 0 ? NULL : memrchr(s->p, ' ', s->len);
	word = blank == NULL ? *s : str_range(blank + 1, s->p + s->len);
	s->len -= word.len;
	return word;
}

/* A per cent of the total, which has one decimal: in tenths, then rounded. */
static bool
part_of(struct str percent, uint64_t total, struct count *count)
{
	struct count c;
	unsigned __int128 micro;

	if (count_parse(percent, &c) != COUNT_OK || c.units > 100)
		return false;
	micro = ((unsigned __int128)c.units * 1000000 + c.micro) * total / 100;
	count->units = (uint64_t)(micro / 1000000);
	count->micro = (uint32_t)(micro % 1000000);
	return true;
}

/* The columns of the second table that its heading has. */
struct columns {
	bool source, exact; /* SRC; ticks and bytes */
};

/* no., entries, %time, %alloc, twice, and with -P: ticks and bytes. */
static bool
read_numbers(struct ghcprof *p, struct str *line, const struct columns *columns,
	     struct count *count)
{
	struct str word[8];
	int i, n = columns->exact ? 8 : 6;
	uint64_t exact;

	for (i = n; i-- > 0;)
		word[i] = cut_last(line);
	for (i = 0; i < 2; i++) {
		if (!str_u64(word[i], &exact))
			return false;
	}
	if (columns->exact) {
		if (!str_u64(word[by_alloc ? 7 : 6], &exact))
			return false;
		*count = count_of(exact);
		return true;
	}
	p->rounded = true;
	return part_of(word[by_alloc ? 3 : 2], by_alloc ? p->bytes : p->ticks,
		       count);
}

/* " main   Main   prog.hs:(15,1)-(17,46) 296 1 0.0 ...", deeper by blanks. */
static bool
read_row(struct ghcprof *p, struct str line, const struct columns *columns)
{
	struct str source = { 0 }, module, name;
	struct count count;
	size_t level = 0;

	while (level < line.len && line.p[level] == ' ')
		level++;
	line = str_skip(line, level);
	if (level > p->depth || !read_numbers(p, &line, columns, &count))
		return false;
	line = str_rtrim(line);
	if (columns->source && str_ends(line, STR("<no location info>")))
		line.len -= strlen("<no location info>");
	else if (columns->source)
		source = cut_last(&line);
	module = cut_last(&line);
	name = str_rtrim(line);
	if (name.len == 0)
		return false;
	put_frame(p, level, centre_token(p, name, module, source));
	push(p, count);
	return true;
}

/* The first table has functions, the second stacks: each has a heading. */
static void
read_report(struct ghcprof *p)
{
	struct columns columns = { 0 };
	bool in_stacks = false;
	struct str line;

	while (input_line(p->in, &line)) {
		line = str_rtrim(str_without_cr(line));
		if (is_total(str_trim(line)))
			read_total(p, str_trim(line));
		if (str_starts(line, STR("COST CENTRE"))) {
			in_stacks = str_search(line, STR(" entries ")) != NULL;
			columns.source = str_search(line, STR(" SRC ")) != NULL;
			columns.exact = str_ends(line, STR(" bytes"));
		} else if (in_stacks && line.len > 0 &&
			   !read_row(p, line, &columns)) {
			input_bad(p->in, "not a row of cost centres");
		}
	}
	if (!in_stacks)
		input_bad(p->in, "not a profile of GHC");
	if (p->rounded)
		sink_note(p->out, STR("the counts are from percentages of one "
				      "decimal; record with +RTS -P"));
}

/* {"id": 148, "label": "fib", "module": "Main", "src_loc": "a.hs:6:1-64"} */
static void
read_centre(struct ghcprof *p, struct json *j)
{
	bool has_id = false;
	struct str key;
	int64_t id = 0;

	p->label.len = p->module.len = p->source.len = 0;
	if (json_expect(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("id")))
				has_id = json_integer(j, &id);
			else if (str_eq(key, STR("label")))
				json_text(j, &p->label);
			else if (str_eq(key, STR("module")))
				json_text(j, &p->module);
			else if (str_eq(key, STR("src_loc")))
				json_text(j, &p->source);
			else
				json_skip(j);
		}
	}
	if (json_bad(j) != NULL)
		return;
	if (!has_id) {
		input_bad(p->in, "a cost centre without an id");
		return;
	}
	map_put(&p->centres, (uint64_t)id,
		centre_token(p, buf_slice(&p->label), buf_slice(&p->module),
			     buf_slice(&p->source)));
}

static void
read_node_member(struct ghcprof *p, struct json *j, struct str key,
		 int64_t *count)
{
	uint32_t token = p->unknown;
	int64_t id;

	if (str_eq(key, STR("id"))) {
		if (!json_integer(j, &id) ||
		    !map_get(&p->centres, (uint64_t)id, &token))
			input_bad(p->in, "a cost centre that is not there");
		p->stack[p->depth - 1] = token;
	} else if (str_eq(key, by_alloc ? STR("alloc") : STR("ticks"))) {
		json_integer(j, count);
	} else {
		json_skip(j);
	}
}

/* Step into the next node of a list, if there is one. */
static bool
enter_node(struct ghcprof *p, struct json *j, int64_t **count, size_t *cap)
{
	while (json_more(j)) {
		if (!json_expect(j, '{'))
			continue;
		put_frame(p, p->depth, p->unknown);
		*count = mem_grow(*count, cap, p->depth, sizeof(**count));
		(*count)[p->depth - 1] = 0;
		return true;
	}
	return false;
}

static void
leave_node(struct ghcprof *p, int64_t count)
{
	p->in->line++;
	if (count < 0)
		input_bad(p->in, "a negative cost");
	else
		push(p, count_of((uint64_t)count));
	p->depth--;
}

/* {"id": 148, "ticks": 3, "alloc": 64, "children": [...]}, any depth. */
static void
read_tree(struct ghcprof *p, struct json *j)
{
	int64_t *count = NULL;
	size_t cap = 0;
	struct str key;

	if (!json_expect(j, '{'))
		return;
	put_frame(p, 0, p->unknown);
	count = mem_grow(count, &cap, 1, sizeof(*count));
	*count = 0;
	while (p->depth > 0 && json_bad(j) == NULL) {
		if (!json_key(j, &key)) {
			if (json_bad(j) != NULL)
				break;
			leave_node(p, count[p->depth - 1]);
			if (p->depth > 0)
				enter_node(p, j, &count, &cap);
		} else if (str_eq(key, STR("children")) && json_enter(j, '[')) {
			enter_node(p, j, &count, &cap);
		} else {
			read_node_member(p, j, key, &count[p->depth - 1]);
		}
	}
	free(count);
}

static void
read_json(struct ghcprof *p)
{
	struct json *j = json_new(p->in);
	bool any = false;
	struct str key;
	int64_t us;

	p->unknown = sink_token(p->out, &(struct frame){ 0 }, 0);
	json_enter(j, '{');
	while (json_key(j, &key)) {
		if (str_eq(key, STR("cost_centres")) && json_enter(j, '[')) {
			while (json_more(j))
				read_centre(p, j);
		} else if (str_eq(key, STR("tick_interval"))) {
			if (json_integer(j, &us) && us > 0 && us < UINT32_MAX)
				p->interval = (uint64_t)us;
		} else if (str_eq(key, STR("profile"))) {
			any = true;
			read_tree(p, j);
		} else {
			json_skip(j);
		}
	}
	if (json_end(j) != NULL)
		input_bad(p->in, "%s", json_bad(j));
	else if (!any)
		input_bad(p->in, "not a profile of GHC");
	json_free(j);
}

static void
read_ghcprof(struct input *in, struct sink *out)
{
	struct ghcprof p = { .in = in, .out = out };
	struct str begin = input_peek(in, 1);

	if (str_starts(begin, STR("{"))) {
		in->tally->bad_unit = "cost centre";
		read_json(&p);
	} else if (begin.len > 0) {
		read_report(&p);
	}
	map_free(&p.centres);
	free(p.stack);
	buf_free(&p.name);
	buf_free(&p.label);
	buf_free(&p.module);
	buf_free(&p.source);
}

int
main(int argc, char *argv[])
{
	static const struct reader ghcprof = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a cost-centre profile of GHC.",
		.options = options,
		.setopt = set_option,
		.read = read_ghcprof
	};

	return collapse_main(argc, argv, &ghcprof);
}
