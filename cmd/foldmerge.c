/* foldmerge - add up equal stacks. */
#include "cmd.h"
#include "fold.h"
#include "folded.h"
#include "held.h"
#include "merge.h"

#include <err.h>
#include <inttypes.h>

enum { OPT_COUNTS = CMD_LONG, OPT_META, OPT_MIN };

static const struct cmd_option options[] = {
	{ "min", OPT_MIN, "COUNT", "leave out stacks below COUNT", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "counts a line, where no metadata says so", false },
	{ "meta", OPT_META, NULL, "begin with a line of metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

struct job {
	struct cmd *cmd;
	int counts; /* a line: as the option says, 0 for none */
	struct fold *fold;
	int fold_counts; /* as the input has it, 0 until known */
	struct stack stack;
	struct merge merge;
	struct held held;
	bool had_snapshot; /* this input has had a whole one */
	bool holds;        /* stacks do not count before a blank line */
};

/* Count what was held. */
static void
release(struct job *job)
{
	struct held_stack s;

	while (held_take(&job->held, &s))
		fold_add(job->fold, s.id, s.n, s.count);
	job->holds = false;
}

static bool
is_snapshot(const struct folded *f)
{
	return meta_has(&f->header, "time") && meta_has(&f->header, "dur");
}

static void
begin_profile(struct job *job, const struct folded *f)
{
	merge_begin(&job->merge, &f->header);
	/* A stream may have been cut off behind any line. */
	job->holds = job->had_snapshot && is_snapshot(f);
}

static void
end_snapshot(struct job *job, const struct folded *f)
{
	if (!is_snapshot(f))
		return;
	release(job);
	job->had_snapshot = true;
}

static void
end_profile(struct job *job, const struct input *in)
{
	const char *reason;

	release(job);
	reason = merge_end(&job->merge);
	if (reason != NULL)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": this profile cannot be "
		     "merged: %s",
		     in->name, in->line, reason);
}

/* Forget the snapshot that was not whole when the input ended. */
static void
drop_snapshot(struct job *job, const struct input *in)
{
	held_drop(&job->held);
	job->holds = false;
	merge_drop(&job->merge);
	cmd_note(job->cmd, "%s: the last snapshot is cut off, and left out",
		 in->name);
}

static void
add_stack(struct job *job, const struct folded *f, const struct input *in)
{
	if (job->fold == NULL) {
		job->fold = fold_new(f->counts);
		job->fold_counts = f->counts;
	}
	if (f->counts != job->fold_counts)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %d counts a line, before "
		     "it was %d",
		     in->name, in->line, f->counts, job->fold_counts);
	stack_split(&job->stack, fold_names(job->fold), f->stack);
	if (job->holds)
		held_add(&job->held, &job->stack, f->count);
	else
		fold_add(job->fold, job->stack.id, job->stack.n, f->count);
	merge_stack(&job->merge, &f->own, f->count[0]);
}

static void
read_folded(struct input *in, void *arg)
{
	struct job *job = arg;
	struct folded f = { .counts = job->counts };
	enum folded_kind kind;

	job->had_snapshot = false;
	merge_begin(&job->merge, NULL);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			add_stack(job, &f, in);
		} else if (kind == FOLDED_META && f.is_header) {
			end_profile(job, in);
			begin_profile(job, &f);
		} else if (kind == FOLDED_BLANK) {
			end_snapshot(job, &f);
		}
	}
	if (job->holds)
		drop_snapshot(job, in);
	else
		end_profile(job, in);
	folded_free(&f);
}

/* The header, which a profile with two counts always has. */
static void
write_header(struct job *job)
{
	struct buf line = { 0 };

	merge_print(&job->merge, job->fold_counts == 2 ? 2 : 1, &line);
	buf_write(&line, stdout);
	buf_free(&line);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Add up equal stacks of folded text.",
			   .options = options };
	struct job job = { .cmd = &cmd };
	struct count min = { 0, 0 };
	bool with_meta = false;
	int value;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1) {
		if (value == OPT_META)
			with_meta = true;
		else if (value == OPT_MIN &&
			 count_parse(str_of(cmd.value), &min) != COUNT_OK)
			cmd_usage(&cmd, "--min is a count, not %s", cmd.value);
		else if (value == OPT_COUNTS && *cmd.value != '1' &&
			 *cmd.value != '2')
			cmd_usage(&cmd, "--counts is 1 or 2, not %s",
				  cmd.value);
		else if (value == OPT_COUNTS)
			job.counts = *cmd.value - '0';
	}
	cmd_files(&cmd, read_folded, &job);
	if (job.fold != NULL && !fold_fits(job.fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
	if (with_meta || job.fold_counts == 2)
		write_header(&job);
	if (job.fold != NULL)
		fold_write(job.fold, min, stdout);
	fold_free(job.fold);
	stack_free(&job.stack);
	merge_free(&job.merge);
	held_free(&job.held);
	return cmd_done(&cmd);
}
