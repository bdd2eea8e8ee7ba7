/* folddiff - what changed between profiles. */
#include "cmd.h"
#include "mem.h"
#include "pairs.h"
#include "zip.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OPT_COUNTS = CMD_LONG, OPT_NO_TEST, OPT_UNIT, OPT_UNSORTED };

static const struct cmd_option options[] = {
	{ "before", 'b', "FILE", "a profile of before; may be given again",
	  false },
	{ "after", 'a', "FILE", "a profile of after; may be given again",
	  false },
	{ "normalize", 'n', NULL, "scale before to the total of after", false },
	{ "unit", OPT_UNIT, "N", "scale both sides to N", false },
	{ "strip-hex", 's', NULL, "\"0x...\" for hexadecimal numbers", false },
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
	bool no_test, normalize, unsorted;
	struct count unit; /* 0 for none */
};

static void
read_profile(struct input *in, void *arg)
{
	struct job *job = arg;
	bool cut;

	if (job->cmd.nfile < 2)
		sides_read_both(&job->sides, in, &cut);
	else
		sides_read(&job->sides, in, job->side[job->next++], &cut);
	if (cut)
		cmd_note(&job->cmd,
			 "%s: the last snapshot is cut off, and left out",
			 in->name);
}

/* There is room for as many files as there are words. */
static void
add_file(struct job *job, enum side side)
{
	job->file[job->nfile] = job->cmd.value;
	job->side[job->nfile++] = side;
}

static void
set_option(struct job *job, int value)
{
	const char *arg = job->cmd.value;

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

	if (job->normalize || job->sides.strip_hex || job->unsorted ||
	    job->sides.counts == 2 || !count_iszero(job->unit) || !are_files(c))
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

static void
write_header(const struct sides *s)
{
	struct meta header = { 0 };
	struct buf line = { 0 };

	sides_header(s, &header);
	meta_print(&line, &header);
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
			    has_unit ? job->unit : pairs_total(p, AFTER));
	if (has_unit)
		pairs_scale(p, AFTER, job->unit);
}

static void
compare(struct job *job)
{
	struct pairs pairs;

	sides_init(&job->sides);
	cmd_files(&job->cmd, read_profile, job);
	sides_check(&job->sides);
	sides_finish(&job->sides);
	pairs_init(&pairs, &job->sides);
	scale(job, &pairs);
	write_header(&job->sides);
	pairs_write(&pairs, stdout);
	pairs_free(&pairs);
	sides_free(&job->sides);
}

int
main(int argc, char *argv[])
{
	struct job job = {
		.cmd = { .synopsis = "[options] [before after]",
			 .summary = "Compare profiles: what really changed.",
			 .options = options }
	};
	int value, status;

	job.file = mem_zero((size_t)argc, sizeof(*job.file));
	job.side = mem_zero((size_t)argc + 1, sizeof(*job.side));
	cmd_begin(&job.cmd, argc, argv);
	while ((value = cmd_next(&job.cmd)) != -1)
		set_option(&job, value);
	set_files(&job);
	if (!job.no_test || !zip(&job))
		compare(&job);
	status = cmd_done(&job.cmd);
	free(job.file);
	free(job.side);
	return status == CMD_PARTIAL ? CMD_ERROR : status;
}
