/* foldexport - write profiles in the formats of other tools. */
#include "cli/cmd.h"
#include "export/exportread.h"
#include "export/exportspeedscope.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	OPT_COUNTS = CMD_LONG,
	OPT_EVENT,
	OPT_KEEP,
	OPT_LIST,
	OPT_TITLE,
	OPT_TO
};

static const struct cmd_option options[] = {
	{ "to", OPT_TO, "FORMAT",
	  "output format (speedscope); --list shows all", false },
	{ "list", OPT_LIST, NULL, "list the formats", false },
	{ "keep-suffixes", OPT_KEEP, NULL,
	  "keep _[k] and other suffixes in names", false },
	{ "title", OPT_TITLE, "TEXT",
	  "title of the profile, if the format has one", false },
	{ "event-filter", OPT_EVENT, "EVENT",
	  "event of streams, or all (default: the first)", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

static const struct export_format *
find_format(const struct cmd *cmd)
{
	const struct export_format *format = export_find(cmd->value);

	if (format == NULL)
		cmd_usage(cmd, "no format %s; --list prints all", cmd->value);
	return format;
}

static void
list_formats(void)
{
	const struct export_format *const *f;

	for (f = export_formats; *f != NULL; f++)
		printf("%-10s  %s\n", (*f)->name, (*f)->summary);
}

struct foldexport {
	struct cmd cmd;
	struct exportread read;
	bool list;
};

static void
read_file(struct input *in, void *arg)
{
	struct foldexport *job = arg;

	exportread_file(&job->read, in);
}

static void
cut_off(struct stacks *s, const struct input *in)
{
	const struct exportread *read = s->arg;
	const struct foldexport *job = read->arg;

	cmd_note(&job->cmd, "%s: dropped the last snapshot, which is truncated",
		 in->name);
}

static void
take_option(struct foldexport *job, int option)
{
	struct cmd *cmd = &job->cmd;

	switch (option) {
	case OPT_TO:
		job->read.format = find_format(cmd);
		break;
	case OPT_LIST:
		job->list = true;
		break;
	case OPT_KEEP:
		job->read.keep_suffixes = true;
		break;
	case OPT_EVENT:
		job->read.event = cmd->value;
		break;
	case OPT_TITLE:
		job->read.title = cmd->value;
		break;
	case OPT_COUNTS:
		job->read.stacks.counts_option = cmd_counts(cmd);
	}
}

/* Report what the output format cannot show exactly. */
static void
tell(struct foldexport *job)
{
	const struct export_profile *e = &job->read.profile;

	event_choice_report(job->read.events, &job->cmd, e->nframes > 1);
	if (e->rounded > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64
			 " count%s rounded: %s has only whole numbers",
			 e->rounded, str_plural(e->rounded, " was", "s were"),
			 job->read.format->name);
	if (e->large > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " %s exact, but programs in JavaScript "
			 "round beyond 2^53",
			 e->large,
			 str_plural(e->large, "large number is",
				    "large numbers are"));
	job->cmd.partial = e->rounded + e->large > 0;
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	struct foldexport job = {
		.cmd = { .synopsis = "[options] [file ...]",
			 .summary = "Write folded stacks in the format of "
				    "another tool.",
			 .options = options,
			 .may = &may },
		.read = { .format = &exportspeedscope,
			  .stacks = { .cut_off = cut_off },
			  .arg = &job }
	};
	int option, status;

	cmd_begin(&job.cmd, argc, argv);
	while ((option = cmd_next(&job.cmd)) != -1)
		take_option(&job, option);
	if (job.list) {
		list_formats();
	} else {
		cmd_files(&job.cmd, read_file, &job);
		exportread_write(&job.read, stdout);
		tell(&job);
	}
	status = cmd_done(&job.cmd);
	exportread_free(&job.read);
	return status;
}
