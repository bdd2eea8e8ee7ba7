/* folddiff - what changed between profiles. */
#include "denoise.h"
#include "diffopt.h"
#include "diffstream.h"
#include "mem.h"
#include "percall.h"
#include "zip.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct job {
	struct diffopt opt;
	struct sides sides;
	int next; /* file to be read */
	bool per_call;
	struct percall percall;
	struct buf sentence;
};

static void
cut_off(struct sides *s, const struct input *in)
{
	const struct job *job = s->arg;

	cmd_note(job->opt.cmd, "%s: the last snapshot is cut off, and left out",
		 in->name);
}

static void
read_profile(struct input *in, void *arg)
{
	struct job *job = arg;

	if (job->opt.cmd->nfile < 2)
		sides_read_both(&job->sides, in);
	else
		sides_read(&job->sides, in, job->opt.side[job->next++]);
}

/*
 * The files, to be read side by side: if they are sorted, that takes less
 * time and memory.  False if it is not to be tried.
 */
static bool
begin_runs(const struct job *job, struct runs *r)
{
	const struct diffopt *o = &job->opt;
	size_t i, n = (size_t)o->cmd->nfile;

	/* If they turn out not to be sorted, they are read again. */
	if (o->unsorted || o->counts == 2 || n < 2 || n > runs_most() ||
	    !cmd_are_files(o->cmd))
		return false;
	cmd_confine(o->cmd, 0);
	*r = (struct runs){ .n = n, .counts = 1 };
	r->input = mem_zero(n, sizeof(*r->input));
	for (i = 0; i < n; i++)
		r->input[i] = (struct runs_input){ .name = o->cmd->file[i],
						   .column = (int)o->side[i],
						   .counts = o->counts };
	return true;
}

/* Compare sorted files in one pass; false if they have to be read whole. */
static bool
zip(struct job *job)
{
	const struct diffopt *o = &job->opt;
	struct runs runs;
	enum zip_result r;

	if (o->normalize || o->strip_hex || o->palette != NULL ||
	    !count_iszero(o->unit) || !begin_runs(job, &runs))
		return false;
	r = zip_runs(&runs, &o->cmd->tally, stdout);
	if (r == ZIP_BAD)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %s, though it was at its start: sort it, "
		     "or say --unsorted",
		     runs.bad->name, runs.bad_line, runs.reason);
	free(runs.input);
	return r == ZIP_DONE;
}

/* What the metadata say of counts that were scaled does not hold for them. */
static void
unset_scaled(const struct job *job, struct meta *header)
{
	bool has_unit = !count_iszero(job->opt.unit);

	if (has_unit)
		meta_unset(header, "unit");
	if (has_unit || job->opt.normalize || job->per_call)
		meta_unset(header, "quantum");
}

/* The header, and what was judged. */
static void
write_header(const struct job *job, const struct judge *j)
{
	struct meta header = { 0 };
	struct buf line = { 0 };

	if (j->rows.n > 0)
		meta_set(&header, "test", STR("1"));
	if (job->opt.denoise) {
		meta_set(&header, "denoise", STR("1"));
		meta_set(&header, "title", STR("Denoised Flame Graph"));
	}
	sides_header(&job->sides, &header);
	unset_scaled(job, &header);
	if (job->per_call) {
		meta_set(&header, "title", buf_slice(&job->sentence));
		meta_sort(&header);
	}
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
	bool has_unit = !count_iszero(job->opt.unit);
	int side;

	for (side = BEFORE; job->per_call && side <= AFTER; side++)
		pairs_scale(
		    p, (enum side)side,
		    percall_total(&job->percall, &job->sides, (enum side)side));
	if (job->opt.normalize || has_unit)
		pairs_scale(p, BEFORE,
			    has_unit ? job->opt.unit : p->sides->total[AFTER]);
	if (has_unit)
		pairs_scale(p, AFTER, job->opt.unit);
}

static void
write_pairs(const struct job *job, const struct judge *j)
{
	struct pairs pairs = { .sides = &job->sides };

	if (job->opt.denoise)
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

	if (job->per_call && job->opt.report == REPORT_TEXT)
		buf_printf(&text, "%.*s\n\n", (int)job->sentence.len,
			   job->sentence.p);
	diffreport(j, job->opt.report, &text);
	buf_write(&text, stdout);
	buf_free(&text);
}

/* A picture that is all grey does not say why. */
static void
say_grey(const struct job *job, const struct judge *j)
{
	const struct diffopt *o = &job->opt;

	if (j->untested == NULL && j->nchange == 0 && !j->replicates &&
	    !job->per_call && o->judge.phi == 0 && o->report == REPORT_NONE)
		cmd_note(o->cmd,
			 "nothing changed by more than two runs may differ: "
			 "give several of each side with -b and -a, or "
			 "--no-test to see all that differs");
}

/* What has to be said of the test beside its result. */
static void
say(const struct job *job, const struct judge *j)
{
	const struct cmd *c = job->opt.cmd;
	double off;

	if (j->untested != NULL && job->opt.denoise)
		errx(CMD_ERROR, "nothing can be told from noise: %s",
		     j->untested);
	/* Else verdict() says so, as an error. */
	if (j->untested != NULL && job->opt.fail == FAIL_NEVER)
		cmd_note(c, "not tested: %s", j->untested);
	if (j->untested == NULL && j->robust == 0 &&
	    job->opt.judge.norm.norm == NORM_ROBUST)
		cmd_note(c, "no ratio that most functions have: the totals "
			    "are taken as equal");
	if (j->robust == 0 || job->opt.judge.norm.norm != NORM_TOTAL)
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
		if (job->opt.fail == FAIL_ANY ||
		    (c->partner == 0 && ((job->opt.fail == FAIL_UP && up) ||
					 (job->opt.fail == FAIL_DOWN && down))))
			return true;
	}
	return false;
}

/* The status that --fail-on asks for. */
static int
verdict(const struct job *job, const struct judge *j)
{
	if (job->opt.fail == FAIL_NEVER)
		return CMD_OK;
	if (j->untested != NULL) {
		warnx("cannot tell: %s", j->untested);
		return CMD_ERROR;
	}
	if (!j->replicates && job->opt.judge.phi == 0) {
		warnx("cannot tell: with one run a side it is not known how "
		      "much runs differ; give several, or --phi");
		return CMD_ERROR;
	}
	return has_failed(job, j) ? 1 : CMD_OK;
}

static void
begin_sides(struct job *job)
{
	job->sides = (struct sides){ .with_runs = !job->opt.no_test,
				     .strip_hex = job->opt.strip_hex,
				     .palette = job->opt.palette,
				     .counts = job->opt.counts,
				     .cut_off = cut_off,
				     .arg = job };
	sides_init(&job->sides);
}

/* Read the files side by side; false if they have to be read otherwise. */
static bool
read_runs(struct job *job)
{
	struct tally tally = { 0 };
	struct runs runs;
	bool done;

	if (!begin_runs(job, &runs))
		return false;
	begin_sides(job);
	runs_open(&runs, &tally);
	done = sides_read_runs(&job->sides, &runs);
	runs_close(&runs);
	free(runs.input);
	if (done) {
		job->opt.cmd->tally = tally;
		return true;
	}
	buf_free(&tally.first);
	sides_free(&job->sides);
	return false;
}

/*
 * Where all profiles say of how many calls they are, and nothing else is
 * asked for, times of a call are compared.
 */
static void
find_calls(struct job *job)
{
	struct diffopt *o = &job->opt;

	job->per_call = !o->norm_given && !o->normalize &&
			count_iszero(o->unit) &&
			percall_find(&job->percall, &job->sides);
	if (!job->per_call)
		return;
	o->judge.norm.norm = NORM_KEY;
	o->judge.norm.key = "exposure";
	percall_sentence(&job->percall, &job->sides, &job->sentence);
	if (o->report == REPORT_NONE)
		cmd_note(o->cmd, "%.*s", (int)job->sentence.len,
			 job->sentence.p);
}

static int
compare(struct job *job)
{
	struct judge j = { 0 };
	int status;

	if (!read_runs(job)) {
		begin_sides(job);
		cmd_files(job->opt.cmd, read_profile, job);
	}
	sides_check(&job->sides);
	find_calls(job);
	if (!job->opt.no_test) {
		judge(&j, &job->sides, &job->opt.judge);
		say(job, &j);
		say_grey(job, &j);
	}
	if (job->opt.report != REPORT_NONE)
		write_report(job, &j);
	else
		write_pairs(job, &j);
	status = verdict(job, &j);
	judge_free(&j);
	sides_free(&job->sides);
	return status;
}

static void
watch_input(struct input *in, void *arg)
{
	const struct diffopt *o = arg;
	struct diffstream_option how = { .judge = o->judge,
					 .strip_hex = o->strip_hex,
					 .palette = o->palette };

	if (!diffstream(&how, in, stdout))
		cmd_note(o->cmd,
			 "%s: fewer than six snapshots, and nothing is "
			 "compared; see foldmerge --every",
			 in->name);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] [before after]",
			   .summary = "Compare profiles: what really changed.",
			   .options = diffopt_table };
	struct job job = { .next = 0 };
	int failed = CMD_OK, status;

	diffopt_read(&job.opt, &cmd, argc, argv);
	if (job.opt.stream)
		cmd_files(&cmd, watch_input, &job.opt);
	else if (!job.opt.no_test || !zip(&job))
		failed = compare(&job);
	status = cmd_done(&cmd);
	diffopt_free(&job.opt);
	buf_free(&job.sentence);
	return status != CMD_OK ? CMD_ERROR : failed;
}
