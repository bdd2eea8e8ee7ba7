/* collapse.c - main() of all collapsers: the shared options and one loop. */
#include "reader/collapse.h"

#include "base/mem.h"
#include "io/follow.h"
#include "reader/sink-internal.h"

#include <stdlib.h>

enum {
	OPT_ADDRS = CMD_LONG + 2000,
	OPT_ALL,
	OPT_ARGS,
	OPT_COUNT,
	OPT_DROP_IDLE,
	OPT_EVENT,
	OPT_FOLLOW,
	OPT_JIT,
	OPT_KERNEL,
	OPT_META,
	OPT_MIX,
	OPT_ONLY,
	OPT_PID,
	OPT_RATIO,
	OPT_REPAIR,
	OPT_ROOT,
	OPT_SAMPLES,
	OPT_SKIP,
	OPT_TID
};

const struct cmd_option collapse_options[] = {
	{ "pid", OPT_PID, NULL, "add a root frame: process name and id", true },
	{ "tid", OPT_TID, NULL, "add a root frame: process name, id and thread",
	  true },
	{ "root", OPT_ROOT, "LIST",
	  "add root frames: comm,pid,tid,cpu,cgroup,host,none", false },
	{ "kernel", OPT_KERNEL, NULL, "mark kernel frames _[k]", true },
	{ "jit", OPT_JIT, NULL, "mark frames of JIT code _[j]", true },
	{ "all", OPT_ALL, NULL, "add all marks: --kernel --jit", true },
	{ "addrs", OPT_ADDRS, NULL, "show addresses in frames without a name",
	  true },
	{ "args", OPT_ARGS, NULL, "keep the arguments of functions", false },
	{ "event-filter", OPT_EVENT, "EVENT",
	  "count this event, or all (default: the first)", true },
	{ "ratio", OPT_RATIO, "A/B",
	  "write two counts per line: of event A and event B", false },
	{ "mix", OPT_MIX, NULL, "add up all events, whatever their units",
	  false },
	{ "count", OPT_COUNT, "WHAT", "count period (default), samples or time",
	  false },
	{ "only", OPT_ONLY, "KEY=VALUE",
	  "keep samples of this time, cpu, pid, tid, comm...", false },
	{ "drop-idle", OPT_DROP_IDLE, "[FILE]",
	  "drop threads that wait for work; list in waits(5)", false },
	{ "skip-after", OPT_SKIP, "FUNCTION", "drop the callers of FUNCTION",
	  false },
	{ "repair", OPT_REPAIR, NULL,
	  "complete truncated stacks where only one stack fits", false },
	{ "samples", OPT_SAMPLES, NULL,
	  "write a stream: each sample with its time", false },
	{ "follow", OPT_FOLLOW, NULL,
	  "with --samples, print each sample at once", false },
	{ "meta", OPT_META, NULL, "begin the output with metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

static enum sink_count
parse_count(const struct cmd *c, const char *s)
{
	static const char *const names[] = { "period", "samples", "time" };
	unsigned i;

	for (i = 0; i < 3; i++) {
		if (strcmp(s, names[i]) == 0)
			return (enum sink_count)i;
	}
	cmd_usage(c, "--count must be period, samples or time, not %s", s);
}

static enum root
parse_root(const struct cmd *c, struct str word)
{
	static const char *const names[] = { "comm", "pid",    "tid",
					     "cpu",  "cgroup", "host" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_eq(word, str_of(names[i])))
			return (enum root)i;
	}
	cmd_usage(c, "no such root frame: %.*s", (int)word.len, word.p);
}

static void
parse_roots(const struct cmd *c, struct sink_options *opt, const char *list)
{
	struct str rest = str_of(list);

	opt->nroot = 0;
	opt->with_roots = strcmp(list, "comm") != 0; /* the default */
	if (strcmp(list, "none") == 0)
		return;
	while (rest.len > 0) {
		if (opt->nroot == ROOT_MAX)
			cmd_usage(c, "too many root frames: %s", list);
		opt->root[opt->nroot++] = parse_root(c, str_cut(&rest, ','));
	}
}

static void
add_filter(const struct cmd *c, struct sink_options *opt, const char *text)
{
	struct buf why = { 0 };

	if (opt->filter == NULL)
		opt->filter = sample_filter_new();
	if (!sample_filter_add(opt->filter, str_of(text), &why))
		cmd_usage(c, "--only %s: %.*s", text, (int)why.len, why.p);
	buf_free(&why);
}

static void
set_root(struct sink_options *opt, enum root root)
{
	/* --tid includes --pid, in either order, as in FlameGraph. */
	if (opt->nroot == 1 && opt->root[0] == ROOT_COMM_TID)
		return;
	opt->root[0] = root;
	opt->nroot = 1;
	opt->with_roots = true;
}

/* Apply an option about the names of frames; false if value is another. */
static bool
set_token_option(struct token_options *token, int value)
{
	switch (value) {
	case OPT_ALL:
		token->kernel = token->jit = true;
		break;
	case OPT_KERNEL:
		token->kernel = true;
		break;
	case OPT_JIT:
		token->jit = true;
		break;
	case OPT_ADDRS:
		token->addrs = true;
		break;
	case OPT_ARGS:
		token->args = true;
		break;
	default:
		return false;
	}
	return true;
}

/* Apply one of the shared options; false if value is another. */
static bool
set_option(const struct cmd *c, struct sink_options *opt, int value)
{
	switch (value) {
	case OPT_PID:
		set_root(opt, ROOT_COMM_PID);
		break;
	case OPT_TID:
		set_root(opt, ROOT_COMM_TID);
		break;
	case OPT_ROOT:
		parse_roots(c, opt, c->value);
		break;
	case OPT_EVENT:
		opt->event = c->value;
		break;
	case OPT_RATIO:
		if (!event_ratio_parse(str_of(c->value), &opt->ratio))
			cmd_usage(c,
				  "--ratio must be two events with a slash "
				  "between them, not %s",
				  c->value);
		break;
	case OPT_MIX:
		opt->mix = true;
		break;
	case OPT_COUNT:
		opt->count = parse_count(c, c->value);
		break;
	case OPT_ONLY:
		add_filter(c, opt, c->value);
		break;
	case OPT_DROP_IDLE:
		waits_free(opt->waits);
		opt->waits = waits_new(c->value);
		break;
	case OPT_SKIP:
		opt->skip_after[opt->nskip++] = c->value;
		break;
	case OPT_REPAIR:
		opt->repair = true;
		break;
	case OPT_SAMPLES:
		opt->samples = true;
		break;
	case OPT_FOLLOW:
		opt->follow = true;
		break;
	case OPT_META:
		opt->meta = true;
		break;
	default:
		return set_token_option(&opt->token, value);
	}
	return true;
}

struct loop {
	const struct reader *reader;
	struct sink *sink;
	bool follow;
};

static void
read_one(struct input *in, void *arg)
{
	const struct loop *loop = arg;

	if (loop->follow)
		input_await(in, follow_input, NULL);
	loop->reader->read(in, loop->sink);
}

int
collapse_main(int argc, char *argv[], const struct reader *reader)
{
	struct cmd cmd = { .synopsis = reader->synopsis,
			   .summary = reader->summary,
			   .most_used = reader->most_used,
			   .may = reader->may,
			   .options = collapse_options,
			   .more = reader->options };
	struct sink_options opt = { .root = { ROOT_COMM },
				    .nroot = 1,
				    .token.jit = reader->marks_jit };
	struct loop loop = { .reader = reader };
	int value;

	opt.skip_after = mem_zero((size_t)argc, sizeof(*opt.skip_after));
	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1) {
		if (set_option(&cmd, &opt, value))
			continue;
		if (reader->setopt == NULL || !reader->setopt(value, cmd.value))
			cmd_usage(&cmd, "bad argument: %s", cmd.value);
	}
	if (opt.repair && (opt.samples || opt.nskip > 0))
		cmd_usage(&cmd, "--repair needs all samples, and all their "
				"callers: not with --samples or --skip-after");
	if (opt.ratio.over.len > 0 &&
	    (opt.samples || opt.repair || opt.mix || opt.event != NULL ||
	     opt.count != SINK_COUNT_PERIOD))
		cmd_usage(&cmd, "--ratio chooses two events and counts their "
				"periods: not with --samples, --repair, --mix, "
				"--event-filter or --count");
	if (opt.follow && !opt.samples)
		cmd_usage(&cmd, "--follow needs --samples");
	loop.follow = opt.follow;
	loop.sink = sink_new(&opt, reader, &cmd);
	cmd_files(&cmd, read_one, &loop);
	sink_finish(loop.sink);
	sink_free(loop.sink);
	free(opt.skip_after);
	waits_free(opt.waits);
	if (opt.filter != NULL) {
		sample_filter_check(opt.filter, &cmd);
		sample_filter_free(opt.filter);
	}
	return cmd_done(&cmd);
}
