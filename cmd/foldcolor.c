/* foldcolor - mark the frames of folded stacks by the rules of a palette. */
#include "classify.h"
#include "cmd.h"
#include "fold.h"
#include "folded.h"
#include "mem.h"
#include "palreport.h"
#include "stack.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#define FLUSH (64 * 1024)

enum { OPT_CHECK = CMD_LONG, OPT_COUNTS, OPT_LIST };

static const struct cmd_option options[] = {
	{ "palette", 'p', "PALETTE", "use this palette; may be repeated",
	  false },
	{ "list", OPT_LIST, NULL, "print what each rule took", false },
	{ "check", OPT_CHECK, NULL, "test the palette, and read nothing",
	  false },
	{ "counts", OPT_COUNTS, "1|2",
	  "counts a line, where no metadata says so", false },
	{ NULL, 0, NULL, NULL, false }
};

struct job {
	struct cmd *cmd;
	int counts; /* a line: as the option says, 0 for none */
	struct palette *palette;
	bool list, merge;

	struct intern *names; /* of frames as read */
	struct classify *classify;
	struct stack stack;
	struct fold *fold;        /* what is written sorted; else NULL */
	struct intern *out_names; /* the fold's, or our own */
	uint32_t *frame, *rule;   /* of the stack, as written */
	size_t frame_cap, rule_cap;
	struct buf out;
	struct paltaken taken;

	int out_counts; /* of stacks written since the last header, or 0 */
	int fold_counts;
	bool had_header, header_is_old; /* of a file before this one */
};

static void
begin_names(struct job *job, int counts)
{
	classify_free(job->classify);
	fold_free(job->fold);
	job->fold = job->merge ? fold_new(counts) : NULL;
	job->fold_counts = counts;
	if (job->merge)
		job->out_names = fold_names(job->fold);
	else if (job->out_names == NULL)
		job->out_names = intern_new();
	job->classify = classify_new(job->palette, job->names, job->out_names);
}

static void
flush(struct job *job)
{
	buf_write(&job->out, stdout);
}

/* Write the stacks that were merged so far. */
static void
write_merged(struct job *job)
{
	if (job->fold == NULL || job->list)
		return;
	if (!fold_fits(job->fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
	flush(job);
	fold_write(job->fold, count_of(0), stdout);
	fold_clear(job->fold);
}

static void
write_meta(struct job *job, const struct meta *meta)
{
	meta_print(&job->out, meta);
	if (job->out.len > FLUSH)
		flush(job);
}

/* Verdicts of folddiff are on stacks whose frames were not marked. */
static void
begin_profile(struct job *job, struct folded *f)
{
	write_merged(job);
	meta_unset(&f->header, "test");
	write_meta(job, &f->header);
	job->out_counts = 0;
	job->had_header = true;
	job->header_is_old = false;
}

static void
check_counts(struct job *job, const struct folded *f, const struct input *in)
{
	if (job->header_is_old && !job->list) {
		write_merged(job);
		buf_printf(&job->out, "#fold=1;counts=%d\n", f->counts);
		job->out_counts = 0;
		job->had_header = job->header_is_old = false;
	}
	if (job->out_counts != 0 && f->counts != job->out_counts && !job->list)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %d counts a line, before it was %d",
		     in->name, in->line, f->counts, job->out_counts);
	if (job->classify == NULL ||
	    (job->merge && f->counts != job->fold_counts))
		begin_names(job, f->counts);
	job->out_counts = f->counts;
}

static void
write_stack(struct job *job, const struct folded *f)
{
	struct buf *out = &job->out;
	int k;

	classify_text(job->classify, &job->stack, out);
	for (k = 0; k < f->counts; k++) {
		buf_char(out, ' ');
		count_print(out, f->count[k]);
	}
	buf_char(out, '\n');
	if (out->len > FLUSH)
		flush(job);
}

static void
count_stack(struct job *job, const struct folded *f, const struct input *in)
{
	size_t n = job->stack.n;

	job->rule = mem_grow(job->rule, &job->rule_cap, n, sizeof(*job->rule));
	classify_stack(job->classify, job->stack.id, n, job->frame, job->rule);
	if (!paltaken_add(&job->taken, job->frame, job->rule, n,
			  f->count[f->counts - 1]))
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": the counts add up to more than 64 bits",
		     in->name, in->line);
}

static void
add_stack(struct job *job, struct folded *f, const struct input *in)
{
	size_t n;

	check_counts(job, f, in);
	stack_split(&job->stack, job->names, f->stack);
	n = job->stack.n;
	job->frame = mem_grow(job->frame, &job->frame_cap, n,
			      sizeof(*job->frame));
	if (job->list) {
		count_stack(job, f, in);
	} else if (f->own.n > 0 && !meta_has(&f->own, "node")) {
		/* A sample's metadata are of its line only. */
		write_merged(job);
		write_meta(job, &f->own);
		write_stack(job, f);
	} else if (job->merge) {
		classify_stack(job->classify, job->stack.id, n, job->frame,
			       NULL);
		fold_add(job->fold, job->frame, n, f->count);
	} else {
		write_stack(job, f);
	}
}

static void
read_folded(struct input *in, void *arg)
{
	struct job *job = arg;
	struct folded f = { .raw = true, .counts = job->counts };
	enum folded_kind kind;

	job->header_is_old = job->had_header;
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			add_stack(job, &f, in);
		} else if (job->list) {
			continue;
		} else if (kind == FOLDED_META && f.is_header) {
			begin_profile(job, &f);
		} else if (kind == FOLDED_BLANK) {
			write_merged(job);
			buf_char(&job->out, '\n');
			flush(job);
			fflush(stdout);
		}
	}
	folded_free(&f);
}

static void
say(const char *line, void *arg)
{
	cmd_note(arg, "%s", line);
}

static void
end(struct job *job)
{
	if (job->list)
		paltaken_print(&job->taken, &job->out);
	else
		write_merged(job);
	flush(job);
	palreport_given_up(job->palette, say, job->cmd);
}

static void
free_job(struct job *job)
{
	classify_free(job->classify);
	if (job->fold == NULL)
		intern_free(job->out_names);
	fold_free(job->fold);
	intern_free(job->names);
	stack_free(&job->stack);
	paltaken_free(&job->taken);
	palette_free(job->palette);
	buf_free(&job->out);
	free(job->frame);
	free(job->rule);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Mark frames by the rules of a palette.",
			   .options = options };
	struct job job = { .cmd = &cmd };
	bool check = false;
	size_t doubts = 0;
	int value, status;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1) {
		if (value == 'p' && job.palette == NULL)
			job.palette = palette_new(cmd.value, SHADE_NAME);
		else if (value == 'p')
			palette_add(job.palette, cmd.value);
		else if (value == OPT_LIST)
			job.list = true;
		else if (value == OPT_CHECK)
			check = true;
		else if (*cmd.value != '1' && *cmd.value != '2')
			cmd_usage(&cmd, "--counts is 1 or 2, not %s",
				  cmd.value);
		else
			job.counts = *cmd.value - '0';
	}
	if (job.palette == NULL)
		job.palette = palette_new("jit", SHADE_NAME);
	job.names = intern_new();
	job.merge = palette_renames(job.palette) && !job.list;
	job.taken.palette = job.palette;
	if (check) {
		doubts = palreport_check(job.palette, say, &cmd);
	} else {
		cmd_files(&cmd, read_folded, &job);
		end(&job);
	}
	status = cmd_done(&cmd);
	if (status == CMD_OK && doubts > 0 && cmd.strict)
		status = CMD_PARTIAL;
	free_job(&job);
	return status;
}
