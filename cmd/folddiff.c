/* folddiff - report what changed between profiles. */
#include "base/mem.h"
#include "diff/denoise.h"
#include "diff/diffopt.h"
#include "diff/diffsorted.h"
#include "diff/diffstream.h"
#include "diff/diffverdict.h"
#include "diff/doubt.h"
#include "diff/percall.h"
#include "palette/palreport.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct folddiff {
	struct diffopt opt;
	struct comparison sides;
	int next; /* index of the next file to read */
	bool per_call;
	struct percall percall;
	struct buf sentence;
};

static void
cut_off(struct comparison *s, const struct input *in)
{
	const struct folddiff *job = s->arg;

	cmd_note(job->opt.cmd,
		 "%s: dropped the last snapshot, which is truncated", in->name);
}

static void
read_profile(struct input *in, void *arg)
{
	struct folddiff *job = arg;

	if (job->opt.cmd->nfile < 2)
		comparison_read_both(&job->sides, in);
	else
		comparison_read(&job->sides, in, job->opt.side[job->next++]);
}

/*
 * Open the files to read them side by side, which takes less time and memory
 * if they are sorted.  Returns false where that is not possible.
 */
static bool
begin_runs(const struct folddiff *job, struct sorted_runs *r)
{
	const struct diffopt *o = &job->opt;
	size_t i, n = (size_t)o->cmd->nfile;

	/* Files that turn out not to be sorted are read again. */
	if (o->unsorted || o->counts == 2 || n < 2 || n > sorted_runs_most() ||
	    !cmd_are_files(o->cmd))
		return false;
	cmd_confine(o->cmd, 0);
	*r = (struct sorted_runs){ .n = n, .counts = 1 };
	r->input = mem_zero(n, sizeof(*r->input));
	for (i = 0; i < n; i++)
		r->input[i] =
		    (struct sorted_runs_input){ .name = o->cmd->file[i],
						.column = (int)o->side[i],
						.counts = o->counts };
	return true;
}

/* Compare sorted files in one pass; false if they must be read whole. */
static bool
zip(struct folddiff *job)
{
	const struct diffopt *o = &job->opt;
	struct sorted_runs runs;
	enum diffsorted_result r;

	if (o->normalize || o->strip_hex || o->palette != NULL ||
	    !count_iszero(o->unit) || !begin_runs(job, &runs))
		return false;
	r = diffsorted_runs(&runs, &o->cmd->tally, !o->no_header, stdout);
	if (r == DIFFSORTED_BAD)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %s, though its first part was sorted: "
		     "sort it, or use --unsorted",
		     runs.bad->name, runs.bad_line, runs.reason);
	free(runs.input);
	return r == DIFFSORTED_DONE;
}

/* Metadata that describe the counts no longer hold once these are scaled. */
static void
unset_scaled(const struct folddiff *job, struct meta *header)
{
	bool has_unit = !count_iszero(job->opt.unit);

	if (has_unit)
		meta_unset(header, "unit");
	if (has_unit || job->opt.normalize || job->per_call)
		meta_unset(header, "quantum");
}

/* Print the header and the results of the test. */
static void
write_header(const struct folddiff *job, const struct significance *j)
{
	struct meta header = { 0 };
	struct buf line = { 0 };

	if (job->opt.no_header)
		return;
	diffverdict_header(j, &header);
	if (job->opt.denoise) {
		meta_set(&header, "denoise", STR("1"));
		meta_set(&header, "title", STR("Denoised Flame Graph"));
	}
	comparison_header(&job->sides, &header);
	unset_scaled(job, &header);
	if (job->per_call) {
		meta_set(&header, "title", buf_slice(&job->sentence));
		meta_sort(&header);
	}
	meta_sort(&header);
	meta_print(&line, &header);
	diffverdict_print(j, &line);
	buf_write(&line, stdout);
	buf_free(&line);
	meta_free(&header);
}

/* Scale the counts as -n and --unit ask. */
static void
scale(const struct folddiff *job, struct twocount *p)
{
	bool has_unit = !count_iszero(job->opt.unit);
	int side;

	for (side = BEFORE; job->per_call && side <= AFTER; side++)
		twocount_scale(
		    p, (enum side)side,
		    percall_total(&job->percall, &job->sides, (enum side)side));
	if (job->opt.normalize || has_unit)
		twocount_scale(p, BEFORE,
			       has_unit ? job->opt.unit :
					  p->comparison->total[AFTER]);
	if (has_unit)
		twocount_scale(p, AFTER, job->opt.unit);
}

static void
write_pairs(const struct folddiff *job, const struct significance *j)
{
	struct twocount pairs = { .comparison = &job->sides };

	if (job->opt.denoise)
		denoise(j, &pairs);
	scale(job, &pairs);
	write_header(job, j);
	twocount_write(&pairs, stdout);
	twocount_free(&pairs);
}

static void
write_report(const struct folddiff *job, const struct significance *j)
{
	struct buf text = { 0 };

	if (job->per_call && job->opt.report == REPORT_TEXT)
		buf_printf(&text, "%.*s\n\n", (int)job->sentence.len,
			   job->sentence.p);
	diffreport(j, job->opt.report, &text);
	buf_write(&text, stdout);
	buf_free(&text);
}

/* One run a side: report what is assumed, and what would help. */
static void
say_assumed(const struct folddiff *job, const struct significance *j)
{
	const struct diffopt *o = &job->opt;
	const char *reason = doubt_reason(j);
	struct buf text = { 0 };

	/* The parts of one recording are no runs to repeat. */
	if (!j->assumed || j->untested != NULL || o->report != REPORT_NONE ||
	    job->per_call)
		return;
	if (j->nchange == 0) {
		diffreport_nothing(j, &text);
		cmd_note(o->cmd, "%.*s", (int)text.len, text.p);
	}
	cmd_note(o->cmd,
		 "one run per side: assuming that user code varies by %g %% "
		 "between runs, kernel code by %g %%",
		 100 * j->single.user, 100 * SINGLE_RUN_KERNEL);
	if (reason != NULL)
		cmd_note(o->cmd,
			 "record each side 3 times, and use -b and -a: %s",
			 reason);
	buf_free(&text);
}

/* Report the limits of the test beside its result. */
static void
say(const struct folddiff *job, const struct significance *j)
{
	const struct cmd *c = job->opt.cmd;
	double off;

	if (j->untested != NULL && job->opt.denoise)
		errx(CMD_ERROR, "cannot distinguish changes from noise: %s",
		     j->untested);
	/* Otherwise verdict() reports it as an error. */
	if (j->untested != NULL && job->opt.fail == FAIL_NEVER)
		cmd_note(c, "not tested: %s", j->untested);
	if (j->untested == NULL && j->size_factor == 0 &&
	    job->opt.significance.norm.norm == NORM_ROBUST)
		cmd_note(
		    c,
		    "no common ratio of most functions: assuming equal totals");
	if (j->size_factor == 0 ||
	    job->opt.significance.norm.norm != NORM_TOTAL)
		return;
	off = log(j->size_factor * j->exposure.total[BEFORE] /
		  j->exposure.total[AFTER]);
	if (fabs(off) > 0.02 && fabs(off) > 4 * j->size_factor_error)
		cmd_note(c,
			 "the total changed by %+.1f%%, most functions by "
			 "%+.1f%%: consider --norm robust",
			 100 * (j->exposure.total[AFTER] /
				    j->exposure.total[BEFORE] -
				1),
			 100 * (j->size_factor - 1));
}

/* True if a change reaches the threshold of --fail-on: status 1. */
static bool
has_failed(const struct folddiff *job, const struct significance *j)
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

/* The exit status, with --fail-on applied. */
static int
verdict(const struct folddiff *job, const struct significance *j)
{
	if (job->opt.fail == FAIL_NEVER)
		return CMD_OK;
	if (j->untested != NULL) {
		warnx("undecided: %s", j->untested);
		return CMD_ERROR;
	}
	if (!j->replicates && job->opt.significance.phi == 0) {
		warnx("undecided: one run per side does not show the variation "
		      "between runs; give several runs, or --phi");
		return CMD_ERROR;
	}
	return has_failed(job, j) ? 1 : CMD_OK;
}

static void
begin_sides(struct folddiff *job)
{
	job->sides = (struct comparison){ .with_runs = !job->opt.no_test,
					  .strip_hex = job->opt.strip_hex,
					  .palette = job->opt.palette,
					  .counts = job->opt.counts,
					  .cut_off = cut_off,
					  .arg = job };
	comparison_init(&job->sides);
}

/* Read the files side by side; false if they must be read one by one. */
static bool
read_runs(struct folddiff *job)
{
	struct tally tally = { 0 };
	struct sorted_runs runs;
	bool done;

	if (!begin_runs(job, &runs))
		return false;
	begin_sides(job);
	sorted_runs_open(&runs, &tally);
	done = comparison_read_runs(&job->sides, &runs);
	sorted_runs_close(&runs);
	free(runs.input);
	if (done) {
		job->opt.cmd->tally = tally;
		return true;
	}
	buf_free(&tally.first);
	comparison_free(&job->sides);
	return false;
}

/*
 * Compare the time of one call if every profile has its number of calls in
 * its metadata and no option asks for something else.
 */
static void
find_calls(struct folddiff *job)
{
	struct diffopt *o = &job->opt;

	job->per_call = !o->norm_given && !o->normalize &&
			count_iszero(o->unit) &&
			percall_find(&job->percall, &job->sides);
	if (!job->per_call)
		return;
	o->significance.norm.norm = NORM_KEY;
	o->significance.norm.key = "exposure";
	percall_summary(&job->percall, &job->sides, &job->sentence);
	if (o->report == REPORT_NONE)
		cmd_note(o->cmd, "%.*s", (int)job->sentence.len,
			 job->sentence.p);
}

static int
compare(struct folddiff *job)
{
	struct significance j = { 0 };
	int status;

	if (!read_runs(job)) {
		begin_sides(job);
		cmd_files(job->opt.cmd, read_profile, job);
	}
	comparison_check(&job->sides);
	find_calls(job);
	if (!job->opt.no_test) {
		significance_test(&j, &job->sides, &job->opt.significance);
		say(job, &j);
		say_assumed(job, &j);
	}
	if (job->opt.report != REPORT_NONE)
		write_report(job, &j);
	else
		write_pairs(job, &j);
	status = verdict(job, &j);
	significance_free(&j);
	comparison_free(&job->sides);
	return status;
}

static void
watch_input(struct input *in, void *arg)
{
	const struct diffopt *o = arg;
	struct diffstream_option how = { .significance = o->significance,
					 .strip_hex = o->strip_hex,
					 .palette = o->palette };

	if (!diffstream(&how, in, stdout))
		cmd_note(o->cmd,
			 "%s: fewer than six snapshots: nothing compared; see "
			 "foldmerge --every",
			 in->name);
}

static void
say_line(const char *line, void *arg)
{
	(void)arg;
	warnx("%s", line);
}

/* A function that was not renamed may be compared with the wrong one. */
static void
check_renames(const struct folddiff *job)
{
	const struct palette *p = job->opt.palette;

	if (p != NULL && palreport_given_up(p, say_line, NULL) > 0)
		job->opt.cmd->unselected = true;
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = {
		.synopsis = "[options] [before after | both]",
		.most_used = "before after report fail-on norm fdr "
			     "min-effect min-share palette no-test "
			     "normalize stream quiet",
		.summary = "Compare profiles and report significant changes.",
		.options = diffopt_table
	};
	struct folddiff job = { .next = 0 };
	int failed = CMD_OK, status;

	diffopt_read(&job.opt, &cmd, argc, argv);
	if (job.opt.stream)
		cmd_files(&cmd, watch_input, &job.opt);
	else if (!job.opt.no_test || !zip(&job))
		failed = compare(&job);
	check_renames(&job);
	status = cmd_done(&cmd);
	diffopt_free(&job.opt);
	buf_free(&job.sentence);
	return status != CMD_OK ? CMD_ERROR : failed;
}
