/* folddiff - what changed between profiles. */
#include "cmd.h"
#include "denoise.h"
#include "diffreport.h"
#include "mem.h"
#include "pairs.h"
#include "zip.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	OPT_COUNTS = CMD_LONG,
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
	OPT_UNIT,
	OPT_UNSORTED
};

static const struct cmd_option options[] = {
	{ "before", 'b', "FILE", "a profile of before; may be given again",
	  false },
	{ "after", 'a', "FILE", "a profile of after; may be given again",
	  false },
	{ "normalize", 'n', NULL, "scale before to the total of after", false },
	{ "unit", OPT_UNIT, "N", "scale both sides to N", false },
	{ "strip-hex", 's', NULL, "\"0x...\" for hexadecimal numbers", false },
	{ "report", OPT_REPORT, "[FORMAT]",
	  "write what changed: text, tsv or json", false },
	{ "fail-on", OPT_FAIL_ON, "up|down|any",
	  "exit with status 1 if something changed so", false },
	{ "norm", OPT_NORM, "WHAT", "total, none, robust, key, or N:M", false },
	{ "fdr", OPT_FDR, "RATE", "rate of false discoveries (0.05)", false },
	{ "min-effect", OPT_MIN_EFFECT, "E", "least change, as 0.02 or 2%",
	  false },
	{ "min-share", OPT_MIN_SHARE, "S",
	  "least share of the samples, as 0.001 or 0.1%", false },
	{ "phi", OPT_PHI, "N", "dispersion, where it is known", false },
	{ "quantum", OPT_QUANTUM, "N", "what one sample adds to a count",
	  false },
	{ "denoise", OPT_DENOISE, NULL,
	  "let only what changed differ, for other renderers", false },
	{ "palette", 'p', "PALETTE", "rename functions by its rules before",
	  false },
	{ "no-test", OPT_NO_TEST, NULL, "write the counts, judge nothing",
	  false },
	{ "unsorted", OPT_UNSORTED, NULL,
	  "with --no-test: do not try to do with one pass", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "counts a line, where no metadata says so", false },
	{ NULL, 0, NULL, NULL, false }
};

struct job {
	struct cmd cmd;
	struct sides sides;
	char **file; /* that -b and -a name */
	enum side *side;
	int nfile, next; /* next: to be read */
	bool no_test, normalize, unsorted, denoise;
	enum report report;
	enum fail { FAIL_NEVER, FAIL_UP, FAIL_DOWN, FAIL_ANY } fail;
	struct judge_option judge;
	struct count unit; /* 0 for none */
};

static void
cut_off(struct sides *s, const struct input *in)
{
	const struct job *job = s->arg;

	cmd_note(&job->cmd, "%s: the last snapshot is cut off, and left out",
		 in->name);
}

static void
read_profile(struct input *in, void *arg)
{
	struct job *job = arg;

	if (job->cmd.nfile < 2)
		sides_read_both(&job->sides, in);
	else
		sides_read(&job->sides, in, job->side[job->next++]);
}

/* There is room for as many files as there are words. */
static void
add_file(struct job *job, enum side side)
{
	job->file[job->nfile] = job->cmd.value;
	job->side[job->nfile++] = side;
}

/* A number, or a share in per cent. */
static double
parse_share(const struct job *job, const char *option)
{
	struct str s = str_of(job->cmd.value);
	bool percent = str_ends(s, STR("%"));
	struct count c;

	s.len -= percent;
	if (count_parse(s, &c) != COUNT_OK)
		cmd_usage(&job->cmd, "--%s is a number, not %s", option,
			  job->cmd.value);
	return count_double(c) / (percent ? 100 : 1);
}

/* The place of the option's value in a list, from 1 on. */
static int
parse_word(const struct job *job, const char *option, const char *const *list)
{
	int i;

	for (i = 0; list[i] != NULL; i++) {
		if (strcmp(job->cmd.value, list[i]) == 0)
			return i + 1;
	}
	cmd_usage(&job->cmd, "--%s cannot be %s", option, job->cmd.value);
}

/* Options of the test; false if it is none of these. */
static bool
set_test_option(struct job *job, int value)
{
	static const char *const formats[] = { "text", "tsv", "json", NULL };
	static const char *const fails[] = { "up", "down", "any", NULL };
	struct judge_option *o = &job->judge;

	switch (value) {
	case OPT_REPORT:
		job->report = job->cmd.value == NULL ?
				  REPORT_TEXT :
				  (enum report)parse_word(job, "report",
							  formats);
		return true;
	case OPT_FAIL_ON:
		job->fail = (enum fail)parse_word(job, "fail-on", fails);
		return true;
	case OPT_FDR:
		o->fdr = parse_share(job, "fdr");
		return true;
	case OPT_MIN_EFFECT:
		o->min_effect = parse_share(job, "min-effect");
		return true;
	case OPT_MIN_SHARE:
		o->min_share = parse_share(job, "min-share");
		return true;
	case OPT_PHI:
		o->phi = parse_share(job, "phi");
		return true;
	case OPT_QUANTUM:
		if (!str_u64(str_of(job->cmd.value), &o->norm.quantum))
			cmd_usage(&job->cmd, "--quantum is a number, not %s",
				  job->cmd.value);
		return true;
	case OPT_NORM:
		if (!norm_parse(job->cmd.value, &o->norm))
			cmd_usage(&job->cmd, "--norm cannot be %s",
				  job->cmd.value);
		return true;
	}
	return false;
}

static void
set_option(struct job *job, int value)
{
	const char *arg = job->cmd.value;

	if (set_test_option(job, value))
		return;
	switch (value) {
	case 'b':
		add_file(job, BEFORE);
		break;
	case 'a':
		add_file(job, AFTER);
		break;
	case 'n':
		job->normalize = true;
		break;
	case 's':
		job->sides.strip_hex = true;
		break;
	case 'p':
		if (job->sides.palette == NULL)
			job->sides.palette = palette_new(arg, SHADE_NAME);
		else
			palette_add(job->sides.palette, arg);
		break;
	case OPT_DENOISE:
		job->denoise = true;
		break;
	case OPT_NO_TEST:
		job->no_test = true;
		break;
	case OPT_UNSORTED:
		job->unsorted = true;
		break;
	case OPT_UNIT:
		if (count_parse(str_of(arg), &job->unit) != COUNT_OK ||
		    count_iszero(job->unit))
			cmd_usage(&job->cmd, "--unit is a count, not %s", arg);
		break;
	case OPT_COUNTS:
		if (strcmp(arg, "1") != 0 && strcmp(arg, "2") != 0)
			cmd_usage(&job->cmd, "--counts is 1 or 2, not %s", arg);
		job->sides.counts = *arg - '0';
		break;
	}
}

/* Which file is on which side; none or one is a profile with two counts. */
static void
set_files(struct job *job)
{
	struct cmd *c = &job->cmd;
	bool has[2] = { false, false };
	int i;

	if (job->nfile > 0 && c->nfile > 0)
		cmd_usage(c, "%s: with -b and -a, all files are theirs",
			  c->file[0]);
	if (c->nfile > 2)
		cmd_usage(c, "more than two files; see -b and -a");
	if (c->nfile == 2)
		job->side[AFTER] = AFTER;
	for (i = 0; i < job->nfile; i++) {
		c->file[i] = job->file[i];
		has[job->side[i]] = true;
	}
	if (job->nfile > 0 && !(has[BEFORE] && has[AFTER]))
		cmd_usage(c, "-b and -a go together");
	if (job->nfile > 0)
		c->nfile = job->nfile;
}

/* Files can be read again, if they turn out not to be sorted. */
static bool
are_files(const struct cmd *c)
{
	struct stat st;
	int i;

	for (i = 0; i < c->nfile; i++) {
		if (strcmp(c->file[i], "-") == 0 ||
		    stat(c->file[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	}
	return c->nfile >= 2;
}

/* Compare sorted files in one pass; false if they have to be read whole. */
static bool
zip(struct job *job)
{
	struct cmd *c = &job->cmd;
	size_t i, n = (size_t)c->nfile;
	struct zip_input *input, *where;
	enum zip_result r;

	if (job->normalize || job->sides.strip_hex || job->sides.palette ||
	    job->unsorted || job->sides.counts == 2 ||
	    !count_iszero(job->unit) || !are_files(c))
		return false;
	input = mem_zero(n, sizeof(*input));
	for (i = 0; i < n; i++)
		input[i] = (struct zip_input){ .path = c->file[i],
					       .side = job->side[i],
					       .counts = job->sides.counts };
	r = zip_inputs(input, n, &c->tally, stdout, &where);
	if (r == ZIP_DISORDER)
		errx(CMD_ERROR,
		     "%s is sorted at its start and not later: sort it, or "
		     "say --unsorted",
		     where->path);
	free(input);
	return r == ZIP_DONE;
}

/* The header, and what was judged. */
static void
write_header(const struct job *job, const struct judge *j)
{
	struct meta header = { 0 };
	struct buf line = { 0 };

	if (j->rows.n > 0)
		meta_set(&header, "test", STR("1"));
	if (job->denoise) {
		meta_set(&header, "denoise", STR("1"));
		meta_set(&header, "title", STR("Denoised Flame Graph"));
	}
	sides_header(&job->sides, &header);
	meta_print(&line, &header);
	diffreport_verdicts(j, &line);
	buf_write(&line, stdout);
	buf_free(&line);
	meta_free(&header);
}

/* Scale as -n and --unit say. */
static void
scale(const struct job *job, struct pairs *p)
{
	bool has_unit = !count_iszero(job->unit);

	if (job->normalize || has_unit)
		pairs_scale(p, BEFORE,
			    has_unit ? job->unit : p->sides->total[AFTER]);
	if (has_unit)
		pairs_scale(p, AFTER, job->unit);
}

static void
write_pairs(const struct job *job, const struct judge *j)
{
	struct pairs pairs = { .sides = &job->sides };

	if (job->denoise)
		denoise(j, &pairs);
	scale(job, &pairs);
	write_header(job, j);
	pairs_write(&pairs, stdout);
	pairs_free(&pairs);
}

static void
write_report(const struct job *job, const struct judge *j)
{
	struct buf text = { 0 };

	diffreport(j, job->report, &text);
	buf_write(&text, stdout);
	buf_free(&text);
}

/* What has to be said of the test beside its result. */
static void
say(const struct job *job, const struct judge *j)
{
	const struct cmd *c = &job->cmd;
	double off;

	if (j->untested != NULL && job->denoise)
		errx(CMD_ERROR, "nothing can be told from noise: %s",
		     j->untested);
	if (j->untested != NULL)
		cmd_note(c, "not tested: %s", j->untested);
	if (j->robust == 0 || job->judge.norm.norm != NORM_TOTAL)
		return;
	off = log(j->robust * j->exposure.total[BEFORE] /
		  j->exposure.total[AFTER]);
	if (fabs(off) > 0.02 && fabs(off) > 4 * j->robust_error)
		cmd_note(c,
			 "the total changed by %+.1f%%, most functions by "
			 "%+.1f%%: consider --norm robust",
			 100 * (j->exposure.total[AFTER] /
				    j->exposure.total[BEFORE] -
				1),
			 100 * (j->robust - 1));
}

/* Whether something changed so that --fail-on makes it status 1. */
static bool
has_failed(const struct job *job, const struct judge *j)
{
	bool up, down;
	size_t i;

	for (i = 0; i < j->nchange; i++) {
		const struct change *c = &j->change[i];

		up = c->class == CHANGE_UP || c->class == CHANGE_NEW;
		down = c->class == CHANGE_DOWN || c->class == CHANGE_GONE;
		if (job->fail == FAIL_ANY ||
		    (c->partner == 0 && ((job->fail == FAIL_UP && up) ||
					 (job->fail == FAIL_DOWN && down))))
			return true;
	}
	return false;
}

/* The status that --fail-on asks for. */
static int
verdict(const struct job *job, const struct judge *j)
{
	if (job->fail == FAIL_NEVER)
		return CMD_OK;
	if (j->untested != NULL || (!j->replicates && job->judge.phi == 0)) {
		warnx("cannot tell: with one run a side it is not known how "
		      "much runs differ; give several, or --phi");
		return CMD_ERROR;
	}
	return has_failed(job, j) ? 1 : CMD_OK;
}

static int
compare(struct job *job)
{
	struct judge j = { 0 };
	int status;

	job->sides.with_runs = !job->no_test;
	job->sides.cut_off = cut_off;
	job->sides.arg = job;
	sides_init(&job->sides);
	cmd_files(&job->cmd, read_profile, job);
	sides_check(&job->sides);
	if (!job->no_test) {
		judge(&j, &job->sides, &job->judge);
		say(job, &j);
	}
	if (job->report != REPORT_NONE)
		write_report(job, &j);
	else
		write_pairs(job, &j);
	status = verdict(job, &j);
	judge_free(&j);
	sides_free(&job->sides);
	return status;
}

int
main(int argc, char *argv[])
{
	struct job job = {
		.cmd = { .synopsis = "[options] [before after]",
			 .summary = "Compare profiles: what really changed.",
			 .options = options },
		.judge = { .fdr = 0.05 }
	};
	int value, failed = CMD_OK, status;

	job.file = mem_zero((size_t)argc, sizeof(*job.file));
	job.side = mem_zero((size_t)argc + 1, sizeof(*job.side));
	cmd_begin(&job.cmd, argc, argv);
	while ((value = cmd_next(&job.cmd)) != -1)
		set_option(&job, value);
	set_files(&job);
	if (job.no_test && (job.report != REPORT_NONE ||
			    job.fail != FAIL_NEVER || job.denoise))
		cmd_usage(&job.cmd,
			  "--report, --fail-on and --denoise need the test");
	if (job.denoise && (job.normalize || !count_iszero(job.unit)))
		cmd_usage(&job.cmd, "--denoise scales by itself");
	if (!job.no_test || !zip(&job))
		failed = compare(&job);
	status = cmd_done(&job.cmd);
	palette_free(job.sides.palette);
	free(job.file);
	free(job.side);
	return status != CMD_OK ? CMD_ERROR : failed;
}
