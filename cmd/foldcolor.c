/* foldcolor - mark the frames of folded stacks by the rules of a palette. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "folded/stack.h"
#include "folded/stack_filter.h"
#include "palette/classify.h"
#include "palette/palreport.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

enum { OPT_CHECK = CMD_LONG, OPT_COLORS, OPT_COUNTS, OPT_LIST };

static const struct cmd_option options[] = {
	{ "palette", 'p', "PALETTE", "use this palette; repeatable", false },
	{ "colors", OPT_COLORS, "PALETTE", "same as --palette", false },
	{ "list", OPT_LIST, NULL, "print the counts that each rule matched",
	  false },
	{ "check", OPT_CHECK, NULL, "check the palette, without input", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

struct foldcolor {
	struct cmd *cmd;
	struct palette *palette;
	struct intern *names; /* frames as read */
	struct classify *classify;
	struct stack stack;
	uint32_t *frame, *rule; /* the current stack, as written */
	size_t frame_cap, rule_cap;
	struct palreport_stats taken;
	struct stack_filter refold;
};

static void
begin(struct stack_filter *r)
{
	struct foldcolor *job = r->arg;

	classify_free(job->classify);
	job->classify = classify_new(job->palette, job->names, r->names);
}

static void
count_stack(struct foldcolor *job, const struct folded *f,
	    const struct input *in)
{
	size_t n = job->stack.n;

	job->rule = mem_grow(job->rule, &job->rule_cap, n, sizeof(*job->rule));
	classify_stack(job->classify, job->stack.id, n, job->frame, job->rule);
	if (!palreport_add(&job->taken, job->frame, job->rule, n,
			   f->count[f->counts - 1]))
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": the counts add up to more than 64 bits",
		     in->name, in->line);
}

static void
mark_stack(struct stack_filter *r, const struct folded *f,
	   const struct input *in, bool merge)
{
	struct foldcolor *job = r->arg;
	size_t n;

	stack_split(&job->stack, job->names, f->stack);
	n = job->stack.n;
	job->frame = mem_grow(job->frame, &job->frame_cap, n,
			      sizeof(*job->frame));
	if (r->silent) {
		count_stack(job, f, in);
	} else if (merge) {
		classify_stack(job->classify, job->stack.id, n, job->frame,
			       NULL);
		stack_filter_add(r, job->frame, n);
	} else {
		classify_text(job->classify, &job->stack, stack_filter_line(r));
		stack_filter_line_end(r);
	}
}

static void
say(const char *line, void *arg)
{
	cmd_note(arg, "%s", line);
}

static void
end(struct foldcolor *job)
{
	struct buf out = { 0 };

	stack_filter_end(&job->refold);
	if (job->refold.silent) {
		palreport_print(&job->taken, &out);
		buf_write(&out, stdout);
		buf_free(&out);
	}
	job->cmd->gave_up = palreport_given_up(job->palette, say, job->cmd) > 0;
}

static void
free_job(struct foldcolor *job)
{
	classify_free(job->classify);
	stack_filter_free(&job->refold);
	intern_free(job->names);
	stack_free(&job->stack);
	palreport_free(&job->taken);
	palette_free(job->palette);
	free(job->frame);
	free(job->rule);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Mark frames by the rules of a palette.",
			   .options = options };
	struct foldcolor job = { .cmd = &cmd,
				 .refold = { .begin = begin,
					     .stack = mark_stack,
					     .raw = true,
					     .arg = &job } };
	bool check = false;
	size_t doubts = 0;
	int value, status;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1) {
		if (value == OPT_COLORS)
			value = 'p';
		if (value == 'p' && job.palette == NULL)
			job.palette = palette_new(cmd.value, SHADE_NAME);
		else if (value == 'p')
			palette_add(job.palette, cmd.value);
		else if (value == OPT_LIST)
			job.refold.silent = true;
		else if (value == OPT_CHECK)
			check = true;
		else
			job.refold.counts_option = cmd_counts(&cmd);
	}
	if (job.palette == NULL)
		job.palette = palette_new("jit", SHADE_NAME);
	job.names = intern_new();
	job.refold.merge = palette_renames(job.palette) && !job.refold.silent;
	job.taken.palette = job.palette;
	if (check) {
		doubts = palreport_check(job.palette, say, &cmd);
	} else {
		cmd_files(&cmd, stack_filter_read, &job.refold);
		end(&job);
	}
	status = cmd_done(&cmd);
	if (status == CMD_OK && doubts > 0 && cmd.strict)
		status = CMD_PARTIAL;
	free_job(&job);
	return status;
}
