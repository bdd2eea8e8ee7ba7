/* diffopt.c - the options of folddiff(1). */
#include "diff/diffopt.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

enum {
	OPT_COLORS = CMD_LONG,
	OPT_COUNTS,
	OPT_DENOISE,
	OPT_FAIL_ON,
	OPT_FDR,
	OPT_MIN_EFFECT,
	OPT_MIN_SHARE,
	OPT_NORM,
	OPT_NO_TEST,
	OPT_PHI,
	OPT_QUANTUM,
	OPT_REPORT,
	OPT_STREAM,
	OPT_UNIT,
	OPT_UNSORTED
};

const struct cmd_option diffopt_table[] = {
	{ "before", 'b', "FILE", "profile of the old version; repeatable",
	  false },
	{ "after", 'a', "FILE", "profile of the new version; repeatable",
	  false },
	{ "normalize", 'n', NULL, "scale the old total to the new total",
	  false },
	{ "unit", OPT_UNIT, "N", "scale the total of both sides to N", false },
	{ "strip-hex", 's', NULL,
	  "replace hexadecimal numbers in names by \"0x...\"", false },
	{ "report", OPT_REPORT, "[text|tsv|json]", "report what changed",
	  false },
	{ "fail-on", OPT_FAIL_ON, "up|down|any",
	  "exit with status 1 on such a change", false },
	{ "norm", OPT_NORM, "SCALE",
	  "normalize by total, none, robust, key, or N:M", false },
	{ "fdr", OPT_FDR, "RATE", "expected rate of false discoveries (0.05)",
	  false },
	{ "min-effect", OPT_MIN_EFFECT, "CHANGE",
	  "report changes of at least CHANGE: 0.02 or 2%", false },
	{ "min-share", OPT_MIN_SHARE, "SHARE",
	  "test functions with at least this share: 0.1%", false },
	{ "phi", OPT_PHI, "N", "variance between runs / variance of sampling",
	  false },
	{ "quantum", OPT_QUANTUM, "N", "count that one sample adds", false },
	{ "denoise", OPT_DENOISE, NULL,
	  "make unchanged counts equal, for other renderers", false },
	{ "palette", 'p', "PALETTE",
	  "rename functions by the palette's rules first", false },
	{ "colors", OPT_COLORS, "PALETTE", "same as --palette", false },
	{ "stream", OPT_STREAM, NULL,
	  "compare each snapshot with the ones before it", false },
	{ "no-test", OPT_NO_TEST, NULL, "write counts without testing changes",
	  false },
	{ "unsorted", OPT_UNSORTED, NULL,
	  "with --no-test: do not try to stream sorted input", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

/* The arrays have room for argc files. */
static void
add_file(struct diffopt *o, enum side side)
{
	o->file[o->nfile] = o->cmd->value;
	o->side[o->nfile++] = side;
}

/* Parse a number, or a share in per cent. */
static double
parse_share(const struct diffopt *o, const char *option)
{
	struct str s = str_of(o->cmd->value);
	bool percent = str_ends(s, STR("%"));
	struct count c;

	s.len -= percent;
	if (count_parse(s, &c) != COUNT_OK)
		cmd_usage(o->cmd, "--%s must be a number, not %s", option,
			  o->cmd->value);
	return count_double(c) / (percent ? 100 : 1);
}

/* The position of the option's value in a list, from 1. */
static int
parse_word(const struct diffopt *o, const char *option, const char *const *list)
{
	int i;

	for (i = 0; list[i] != NULL; i++) {
		if (strcmp(o->cmd->value, list[i]) == 0)
			return i + 1;
	}
	cmd_usage(o->cmd, "--%s cannot be %s", option, o->cmd->value);
}

/* Set an option of the test.  False if it is another option. */
static bool
set_test_option(struct diffopt *o, int value)
{
	static const char *const formats[] = { "text", "tsv", "json", NULL };
	static const char *const fails[] = { "up", "down", "any", NULL };
	struct significance_option *j = &o->significance;

	switch (value) {
	case OPT_REPORT:
		o->report = o->cmd->value == NULL ?
				REPORT_TEXT :
				(enum report)parse_word(o, "report", formats);
		return true;
	case OPT_FAIL_ON:
		o->fail = (enum fail)parse_word(o, "fail-on", fails);
		return true;
	case OPT_FDR:
		j->fdr = cmd_share(o->cmd, "fdr");
		return true;
	case OPT_MIN_EFFECT:
		j->min_effect = parse_share(o, "min-effect");
		return true;
	case OPT_MIN_SHARE:
		j->min_share = cmd_share(o->cmd, "min-share");
		return true;
	case OPT_PHI:
		j->phi = parse_share(o, "phi");
		if (j->phi == 0)
			cmd_usage(o->cmd,
				  "--phi must be above 0 (1 is chance)");
		return true;
	case OPT_QUANTUM:
		if (!str_u64(str_of(o->cmd->value), &j->norm.quantum) ||
		    j->norm.quantum == 0)
			cmd_usage(o->cmd, "--quantum must be above 0, not %s",
				  o->cmd->value);
		return true;
	case OPT_NORM:
		if (!exposure_parse_norm(o->cmd->value, &j->norm))
			cmd_usage(o->cmd, "--norm cannot be %s", o->cmd->value);
		o->norm_given = true;
		return true;
	}
	return false;
}

static void
set_option(struct diffopt *o, int value)
{
	const char *arg = o->cmd->value;

	if (set_test_option(o, value))
		return;
	switch (value) {
	case 'b':
		add_file(o, BEFORE);
		break;
	case 'a':
		add_file(o, AFTER);
		break;
	case 'n':
		o->normalize = true;
		break;
	case 's':
		o->strip_hex = true;
		break;
	case 'p':
	case OPT_COLORS:
		if (o->palette == NULL)
			o->palette = palette_new(arg, SHADE_NAME);
		else
			palette_add(o->palette, arg);
		break;
	case OPT_STREAM:
		o->stream = true;
		break;
	case OPT_DENOISE:
		o->denoise = true;
		break;
	case OPT_NO_TEST:
		o->no_test = true;
		break;
	case OPT_UNSORTED:
		o->unsorted = true;
		break;
	case OPT_UNIT:
		if (count_parse(str_of(arg), &o->unit) != COUNT_OK ||
		    count_iszero(o->unit))
			cmd_usage(o->cmd, "--unit must be a count, not %s",
				  arg);
		break;
	case OPT_COUNTS:
		o->counts = cmd_counts(o->cmd);
		break;
	}
}

/* Assign files to sides.  No file or one is a two-count profile. */
static void
set_files(struct diffopt *o)
{
	struct cmd *c = o->cmd;
	bool has[2] = { false, false };
	int i;

	if (o->nfile > 0 && c->nfile > 0)
		cmd_usage(c, "%s: unexpected file; -b and -a name all files",
			  c->file[0]);
	if (c->nfile > 2)
		cmd_usage(c, "more than two files; see -b and -a");
	if (c->nfile == 2)
		o->side[AFTER] = AFTER;
	for (i = 0; i < o->nfile; i++) {
		c->file[i] = o->file[i];
		has[o->side[i]] = true;
	}
	if (o->nfile > 0 && !(has[BEFORE] && has[AFTER]))
		cmd_usage(c, "-b and -a need each other");
	if (o->nfile > 0)
		c->nfile = o->nfile;
}

/* Whether an option needs the test. */
static bool
needs_test(const struct diffopt *o)
{
	return o->report != REPORT_NONE || o->fail != FAIL_NEVER ||
	       o->denoise || o->stream;
}

/*
 * difffolded.pl, whatever it is installed as, writes all counts and nothing
 * else: flamegraph.pl takes them as they are.
 */
static void
set_compatible(struct diffopt *o)
{
	if (!str_starts(str_of(program_invocation_short_name),
			STR("difffolded")))
		return;
	o->no_header = true;
	o->no_test |= !needs_test(o);
}

/* Reject options that exclude each other. */
static void
check(const struct diffopt *o)
{
	bool asks = needs_test(o);

	if (o->no_test && asks)
		cmd_usage(o->cmd, "--no-test excludes the options of the test");
	if (o->denoise && (o->normalize || !count_iszero(o->unit)))
		cmd_usage(o->cmd, "--denoise excludes --normalize and --unit");
	if (o->stream && (o->cmd->nfile > 1 || o->denoise || o->normalize ||
			  o->fail != FAIL_NEVER || !count_iszero(o->unit) ||
			  o->report > REPORT_TEXT))
		cmd_usage(o->cmd,
			  "--stream needs one stream and reports as text");
}

void
diffopt_read(struct diffopt *o, struct cmd *cmd, int argc, char *argv[])
{
	int value;

	*o = (struct diffopt){ .cmd = cmd, .significance = { .fdr = 0.05 } };
	o->file = mem_zero((size_t)argc, sizeof(*o->file));
	o->side = mem_zero((size_t)argc + 1, sizeof(*o->side));
	cmd_begin(cmd, argc, argv);
	while ((value = cmd_next(cmd)) != -1)
		set_option(o, value);
	set_files(o);
	set_compatible(o);
	check(o);
}

void
diffopt_free(struct diffopt *o)
{
	palette_free(o->palette);
	free(o->file);
	free(o->side);
}
