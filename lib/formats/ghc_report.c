/* ghc_report.c - reads the report that GHC writes with +RTS -p or -P. */
#include "formats/ghc_report.h"

struct ghc_report {
	struct ghc_costs *costs;
	uint64_t ticks, bytes; /* totals */
	bool rounded;          /* some counts are from percentages */
};

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
read_total(struct ghc_report *p, struct str line)
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
	if (!str_u64(str_cut(&rest, ' '), &p->costs->interval) ||
	    p->costs->interval > UINT32_MAX)
		p->costs->interval = 0;
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

/* A percentage of the total, which has one decimal. */
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

/* The optional columns of the second table. */
struct columns {
	bool source; /* SRC */
	bool exact;  /* ticks and bytes */
};

/* no., entries, %time and %alloc twice; with -P ticks and bytes, too. */
static bool
read_numbers(struct ghc_report *p, struct str *line,
	     const struct columns *columns, struct count *count)
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
		if (!str_u64(word[p->costs->alloc ? 7 : 6], &exact))
			return false;
		*count = count_of(exact);
		return true;
	}
	p->rounded = true;
	return part_of(word[p->costs->alloc ? 3 : 2],
		       p->costs->alloc ? p->bytes : p->ticks, count);
}

/* " main   Main   prog.hs:(15,1)-(17,46) 296 1 0.0 ...", indented by depth */
static bool
read_row(struct ghc_report *p, struct str line, const struct columns *columns)
{
	struct str source = { 0 }, module, name;
	struct count count;
	size_t level = 0;

	while (level < line.len && line.p[level] == ' ')
		level++;
	line = str_skip(line, level);
	if (level > p->costs->depth || !read_numbers(p, &line, columns, &count))
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
	ghc_costs_put(p->costs, level,
		      ghc_costs_token(p->costs, name, module, source));
	ghc_costs_push(p->costs, count);
	return true;
}

/* The first table has functions, the second has stacks. */
void
ghc_report_read(struct ghc_costs *costs)
{
	struct ghc_report report = { .costs = costs };
	struct ghc_report *p = &report;
	struct columns columns = { 0 };
	bool in_stacks = false;
	struct str line;

	while (input_line(p->costs->in, &line)) {
		line = str_rtrim(str_without_cr(line));
		if (is_total(str_trim(line)))
			read_total(p, str_trim(line));
		if (str_starts(line, STR("COST CENTRE"))) {
			in_stacks = str_search(line, STR(" entries ")) != NULL;
			columns.source = str_search(line, STR(" SRC ")) != NULL;
			columns.exact = str_ends(line, STR(" bytes"));
		} else if (in_stacks && line.len > 0 &&
			   !read_row(p, line, &columns)) {
			input_bad(p->costs->in, "not a row of cost centres");
		}
	}
	if (!in_stacks)
		input_bad(p->costs->in, "not a GHC profile");
	if (p->rounded)
		sink_note(p->costs->out,
			  STR("the counts come from rounded percentages; "
			      "record with +RTS -P"));
}
