/* foldmerge - add up equal stacks. */
#include "cmd.h"
#include "fold.h"
#include "stacks.h"

#include <err.h>

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
	struct fold *fold; /* NULL before the first stack */
};

static void
begin(struct stacks *s)
{
	struct job *job = s->arg;

	job->fold = fold_new(s->counts);
	s->names = fold_names(job->fold);
}

/* What exceeds 64 bits is told when all is read. */
static bool
add(struct stacks *s, const uint32_t *id, size_t n, const struct count *count)
{
	struct job *job = s->arg;

	fold_add(job->fold, id, n, count);
	return true;
}

static void
cut_off(struct stacks *s, const struct input *in)
{
	struct job *job = s->arg;

	cmd_note(job->cmd, "%s: the last snapshot is cut off, and left out",
		 in->name);
}

static void
read_file(struct input *in, void *arg)
{
	stacks_read(arg, in);
}

/* The header, which a profile with two counts always has. */
static void
write_header(const struct stacks *s)
{
	struct buf line = { 0 };

	merge_print(&s->merge, s->counts == 2 ? 2 : 1, &line);
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
	struct stacks stacks = {
		.begin = begin, .add = add, .cut_off = cut_off, .arg = &job
	};
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
			stacks.asked = *cmd.value - '0';
	}
	cmd_files(&cmd, read_file, &stacks);
	if (job.fold != NULL && !fold_fits(job.fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
	if (with_meta || stacks.counts == 2)
		write_header(&stacks);
	if (job.fold != NULL)
		fold_write(job.fold, min, stdout);
	fold_free(job.fold);
	stacks_free(&stacks);
	return cmd_done(&cmd);
}
