/* foldsplit - split samples by the latency of the call they are in. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "split/splitout.h"
#include "split/splitreport.h"

#include <err.h>
#include <stdlib.h>

/* Memory for finished calls until the latency threshold is known. */
#define MEMORY ((size_t)64 << 20)

enum {
	OPT_ABOVE = CMD_LONG,
	OPT_BANDS,
	OPT_BY,
	OPT_BETWEEN,
	OPT_BY_CALL,
	OPT_CALL,
	OPT_CALL_FRAME,
	OPT_DIFF,
	OPT_EVENT,
	OPT_FLAT,
	OPT_LIST,
	OPT_MEMORY,
	OPT_ONLY,
	OPT_REPORT
};

static const struct cmd_option options[] = {
	{ "call", OPT_CALL, "ENTRY[,RETURN]",
	  "define calls by the events of entry and return", false },
	{ "between", OPT_BETWEEN, "EVENT,EVENT",
	  "define calls by two markers that do not nest", false },
	{ "call-frame", OPT_CALL_FRAME, "RE",
	  "define calls as runs of samples with this frame", false },
	{ "no-nesting", OPT_FLAT, NULL, "end a call when the next one begins",
	  false },
	{ "event", OPT_EVENT, "EVENT", "split only the samples of EVENT",
	  false },
	{ "above", OPT_ABOVE, "THRESHOLD",
	  "longer calls are slow: p95 (default), 2ms, mean+2sd", false },
	{ "bands", OPT_BANDS, "THRESHOLD,...",
	  "split at several thresholds: p50,p90,p99", false },
	{ "by", OPT_BY, "PROPERTY",
	  "split by time:10s, cpu, tid, frame:RE or arg:NAME", false },
	{ "by-call", OPT_BY_CALL, "N", "split into the N longest calls",
	  false },
	{ "only", OPT_ONLY, "PART",
	  "write only slow, fast, outside or unfinished", false },
	{ "diff-counts", OPT_DIFF, NULL,
	  "write two counts per line: fast and slow", false },
	{ "list", OPT_LIST, "slow|fast|all", "list calls with their durations",
	  false },
	{ "memory", OPT_MEMORY, "BYTES",
	  "memory for calls until percentiles are known (64M)", false },
	{ "report", OPT_REPORT, "[text|tsv]", "report how long calls took",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

/* Index of the last word of --only; the words before it are part numbers. */
#define ONLY_SLOW 3

enum output { OUT_ALL, OUT_ONE, OUT_TWO, OUT_LIST, OUT_REPORT };

struct foldsplit {
	struct cmd cmd;
	struct split split;
	enum output output;
	int only; /* part to write */
	bool tsv;
	struct buf name; /* function of --call */
	struct buf leave;
	size_t bound_cap;
};

/* The function of --call: after the last colon of EVENT, or ENTRY..RETURN. */
static void
name_call(struct foldsplit *job, const char *entry, const char *leave,
	  bool both)
{
	const char *colon = strrchr(entry, ':');

	buf_str(&job->name, str_of(colon == NULL ? entry : colon + 1));
	if (both) {
		colon = strrchr(leave, ':');
		buf_str(&job->name, STR(".."));
		buf_str(&job->name, str_of(colon == NULL ? leave : colon + 1));
	}
	buf_char(&job->name, '\0');
}

static void
set_events(struct foldsplit *job, char *events, bool between)
{
	char *comma = strchr(events, ',');

	if (between && comma == NULL)
		cmd_usage(&job->cmd, "--between is two events, not %s", events);
	if (comma != NULL)
		*comma = '\0';
	job->leave.len = job->name.len = 0;
	if (comma != NULL)
		buf_str(&job->leave, str_of(comma + 1));
	else
		buf_printf(&job->leave, "%s__return", events);
	buf_char(&job->leave, '\0');
	job->split.roles.entry = events;
	job->split.roles.leave = job->leave.p;
	job->split.opt.flat |= between;
	name_call(job, events, job->leave.p, between);
}

static void
set_frame(struct foldsplit *job)
{
	struct str pattern = str_of(job->cmd.value);
	struct buf why = { 0 };
	size_t offset;

	regex_free(job->split.opt.frame);
	job->split.opt.frame = regex_new(pattern, false, &why, &offset);
	if (job->split.opt.frame == NULL)
		cmd_usage(&job->cmd, "--call-frame %s: %.*s", job->cmd.value,
			  (int)why.len, why.p);
	job->split.opt.flat = true;
	job->name.len = 0;
	buf_str(&job->name, pattern);
	buf_char(&job->name, '\0');
}

static void
add_bounds(struct foldsplit *job, struct str list)
{
	struct split_option *o = &job->split.opt;
	struct str word;

	o->nthresholds = 0;
	while (list.len > 0) {
		word = str_cut(&list, ',');
		o->threshold = mem_grow(o->threshold, &job->bound_cap,
					o->nthresholds + 1,
					sizeof(*o->threshold));
		if (!latency_threshold_parse(word,
					     &o->threshold[o->nthresholds++]))
			cmd_usage(&job->cmd,
				  "a threshold is p95, 99%%, 2ms or mean+2sd, "
				  "not %.*s",
				  (int)word.len, word.p);
	}
	if (o->nthresholds == 0)
		cmd_usage(&job->cmd, "no threshold");
}

static void
set_longest(struct foldsplit *job)
{
	struct split_option *o = &job->split.opt;

	if (!str_u64(str_of(job->cmd.value), &o->longest) || o->longest == 0)
		cmd_usage(&job->cmd, "--by-call is a number of calls, not %s",
			  job->cmd.value);
}

/* With --by-call, the selected calls are the slow ones: one part, or one each.
 */
static void
add_longest(struct foldsplit *job)
{
	struct split_option *o = &job->split.opt;

	o->join_longest = job->output == OUT_ONE || job->output == OUT_TWO;
	add_bounds(job, STR("1ns"));
	*o->threshold =
	    (struct latency_threshold){ .kind = LATENCY_THRESHOLD_LONGEST,
					.n = (double)o->longest,
					.text = STR("the longest"),
					.exact = true };
}

static void
set_by(struct foldsplit *job)
{
	struct buf why = { 0 };

	if (!splitby_parse(&job->split.opt.by, str_of(job->cmd.value), &why))
		cmd_usage(&job->cmd, "--by %s: %.*s", job->cmd.value,
			  (int)why.len, why.p);
	buf_free(&why);
}

static int
word_of(const struct foldsplit *job, const char *const words[],
	const char *what)
{
	int i;

	for (i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], job->cmd.value) == 0)
			return i;
	}
	cmd_usage(&job->cmd, "%s, not %s", what, job->cmd.value);
}

static void
set_only(struct foldsplit *job)
{
	static const char *const parts[] = { "outside", "unfinished", "fast",
					     "slow", NULL };

	job->only = word_of(job, parts,
			    "--only is slow, fast, outside or unfinished");
	job->output = OUT_ONE;
}

static void
set_list(struct foldsplit *job)
{
	static const char *const lists[] = { "slow", "fast", "all", NULL };
	const int which = word_of(job, lists, "--list is slow, fast or all");

	job->split.opt.list = (enum split_list)(SPLIT_LIST_SLOW + which);
	job->output = OUT_LIST;
}

static void
set_report(struct foldsplit *job)
{
	static const char *const formats[] = { "text", "tsv", NULL };

	job->tsv = job->cmd.value != NULL &&
		   word_of(job, formats, "--report is text or tsv") == 1;
	job->output = OUT_REPORT;
}

static void
take_option(struct foldsplit *job, int option)
{
	struct cmd *cmd = &job->cmd;

	if (option == OPT_CALL || option == OPT_BETWEEN)
		set_events(job, cmd->value, option == OPT_BETWEEN);
	else if (option == OPT_CALL_FRAME)
		set_frame(job);
	else if (option == OPT_FLAT)
		job->split.opt.flat = true;
	else if (option == OPT_EVENT)
		job->split.roles.sampled = cmd->value;
	else if (option == OPT_ABOVE || option == OPT_BANDS)
		add_bounds(job, str_of(cmd->value));
	else if (option == OPT_BY)
		set_by(job);
	else if (option == OPT_BY_CALL)
		set_longest(job);
	else if (option == OPT_ONLY)
		set_only(job);
	else if (option == OPT_DIFF)
		job->output = OUT_TWO;
	else if (option == OPT_LIST)
		set_list(job);
	else if (option == OPT_MEMORY)
		job->split.opt.backlog_memory = cmd_size(cmd, "memory");
	else if (option == OPT_REPORT)
		set_report(job);
}

static void
read_stream(struct input *in, void *arg)
{
	split_read(arg, in);
}

static void
read_all(struct foldsplit *job)
{
	if (job->split.opt.can_reread)
		cmd_confine(&job->cmd, 0);
	cmd_files(&job->cmd, read_stream, &job->split);
	if (!split_end(&job->split))
		return;
	buf_free(&job->cmd.tally.first);
	job->cmd.tally = (struct tally){ 0 };
	cmd_files(&job->cmd, read_stream, &job->split);
	split_end(&job->split);
}

static void
say(const struct foldsplit *job)
{
	struct buf line = { 0 };
	unsigned at = 0;

	while (splitreport_note(&job->split, &at, &line))
		cmd_note(&job->cmd, "%.*s", (int)line.len, line.p);
	buf_free(&line);
}

static void
write_text(struct foldsplit *job)
{
	struct buf text = { 0 };

	if (job->output == OUT_LIST)
		splitreport_list(&job->split, &text);
	else if (job->tsv)
		splitreport_tsv(&job->split, &text);
	else
		splitreport_text(&job->split, &text);
	buf_write(&text, stdout);
	buf_free(&text);
}

static void
write_output(struct foldsplit *job)
{
	const struct split *s = &job->split;
	uint32_t part = (uint32_t)job->only;

	switch (job->output) {
	case OUT_ALL:
		splitout_all(s, stdout);
		break;
	case OUT_ONE:
		splitout_one(s,
			     job->only == ONLY_SLOW ? splitout_slow(s) : part,
			     stdout);
		break;
	case OUT_TWO:
		splitout_two(s, stdout);
		break;
	case OUT_LIST:
	case OUT_REPORT:
		write_text(job);
		break;
	}
}

/* Refuse options that exclude each other; set the default threshold. */
static void
check(struct foldsplit *job)
{
	struct split_option *o = &job->split.opt;
	enum splitby_key by = o->by.key;
	bool calls = split_has_calls(&job->split);

	if (job->split.roles.entry != NULL && o->frame != NULL)
		cmd_usage(&job->cmd, "--call-frame, and events of calls");
	if (!calls && (by == SPLITBY_NOTHING || by == SPLITBY_ARG))
		cmd_usage(
		    &job->cmd,
		    "define calls with --call, --between or --call-frame");
	if (calls && by != SPLITBY_NOTHING && by != SPLITBY_ARG)
		cmd_usage(&job->cmd, "this option does not apply to --by");
	if (by != SPLITBY_NOTHING &&
	    (o->nthresholds > 0 || o->longest > 0 || job->output == OUT_ONE ||
	     job->output == OUT_TWO || job->output == OUT_LIST))
		cmd_usage(&job->cmd, "--by has no slow and fast calls");
	if (o->longest > 0 && o->nthresholds > 0)
		cmd_usage(&job->cmd, "--by-call, and bounds");
	if (o->longest > 0)
		add_longest(job);
	else if (by == SPLITBY_NOTHING && o->nthresholds == 0)
		add_bounds(job, STR("p95"));
}

int
main(int argc, char *argv[])
{
	struct foldsplit job = {
		.cmd = { .synopsis = "[options] [file ...]",
			 .most_used = "call between call-frame above bands by "
				      "by-call event only diff-counts list "
				      "report quiet",
			 .summary = "Split samples into fast and slow calls of "
				    "a function.",
			 .options = options },
		.split.opt.backlog_memory = MEMORY,
	};
	struct split_option *opt = &job.split.opt;
	int option;

	cmd_begin(&job.cmd, argc, argv);
	while ((option = cmd_next(&job.cmd)) != -1)
		take_option(&job, option);
	check(&job);
	opt->name = job.name.p;
	opt->can_reread = cmd_are_files(&job.cmd);
	split_begin(&job.split);
	read_all(&job);
	splitout_name(&job.split);
	write_output(&job);
	if (job.output != OUT_REPORT)
		say(&job);
	split_free(&job.split);
	cmd_check_pattern(&job.cmd, "by", opt->by.frame);
	cmd_check_pattern(&job.cmd, "call-frame", opt->frame);
	splitby_free(&opt->by);
	regex_free(opt->frame);
	free(opt->threshold);
	buf_free(&job.name);
	buf_free(&job.leave);
	return cmd_done(&job.cmd);
}
