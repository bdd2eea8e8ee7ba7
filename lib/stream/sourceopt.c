/* sourceopt.c - command-line options that turn streams into snapshots. */
#include "stream/sourceopt.h"

#include "base/duration.h"

/* Thirty years, so that sums of times cannot overflow. */
#define MAX_TIME ((uint64_t)1000000000 * 1000000000)

enum {
	OPT_CLOCK = CMD_LONG + 3000,
	OPT_CUMULATIVE,
	OPT_DECAY,
	OPT_EVERY,
	OPT_FOLLOW,
	OPT_LATE,
	OPT_ROOT,
	OPT_WINDOW
};

const struct cmd_option sourceopt_table[] = {
	{ "every", OPT_EVERY, "DURATION",
	  "write a snapshot every DURATION, as 1s or 500ms", false },
	{ "window", OPT_WINDOW, "DURATION",
	  "with --every, sum up the last DURATION", false },
	{ "decay", OPT_DECAY, "DURATION",
	  "with --every, halve old counts after each DURATION", false },
	{ "cumulative", OPT_CUMULATIVE, NULL,
	  "with --every, sum up all samples so far", false },
	{ "follow", OPT_FOLLOW, NULL, "wait for more data at the end of inputs",
	  false },
	{ "late", OPT_LATE, "DURATION",
	  "with --follow, wait this long for late inputs (1s)", false },
	{ "root", OPT_ROOT, "host", "add a root frame to streams: the host",
	  false },
	{ "clock", OPT_CLOCK, "realtime",
	  "convert times of streams to times of day", false },
	{ NULL, 0, NULL, NULL, false }
};

void
sourceopt_init(struct sourceopt *o)
{
	*o = (struct sourceopt){ .sources.late = 1000000000 };
}

/* Parse a time above 0, in ns; a bare number is in seconds. */
static uint64_t
parse_time(const struct cmd *cmd, const char *option)
{
	struct buf seconds = { 0 };
	uint64_t ns = 0;

	buf_str(&seconds, str_of(cmd->value));
	buf_char(&seconds, 's');
	if (!duration_parse(str_of(cmd->value), &ns))
		duration_parse(buf_slice(&seconds), &ns);
	buf_free(&seconds);
	if (ns == 0 || ns > MAX_TIME)
		cmd_usage(cmd, "--%s is a time, as 10s or 500ms, not %s",
			  option, cmd->value);
	return ns;
}

static void
set_kind(struct sourceopt *o, enum ticker_kind kind)
{
	o->sources.tick.kind = kind;
	o->kinds++;
	o->needs_every = true;
}

/* Check the argument of an option that takes only one word. */
static void
check_word(const struct cmd *cmd, const char *option, const char *word)
{
	if (strcmp(cmd->value, word) != 0)
		cmd_usage(cmd, "--%s is %s, not %s", option, word, cmd->value);
}

bool
sourceopt_set(struct sourceopt *o, const struct cmd *cmd, int option)
{
	struct sources_options *sources = &o->sources;

	if (option == OPT_EVERY) {
		sources->tick.every = parse_time(cmd, "every");
		return true;
	}
	if (option == OPT_WINDOW) {
		set_kind(o, TICKER_WINDOW);
		sources->tick.length = parse_time(cmd, "window");
	} else if (option == OPT_DECAY) {
		set_kind(o, TICKER_DECAY);
		sources->tick.length = parse_time(cmd, "decay");
	} else if (option == OPT_CUMULATIVE) {
		set_kind(o, TICKER_CUMULATIVE);
	} else if (option == OPT_FOLLOW) {
		sources->follow = true;
	} else if (option == OPT_LATE) {
		sources->late = parse_time(cmd, "late");
	} else if (option == OPT_ROOT) {
		check_word(cmd, "root", "host");
		sources->with_host = true;
	} else if (option == OPT_CLOCK) {
		check_word(cmd, "clock", "realtime");
		sources->realtime = true;
	} else {
		return false;
	}
	o->needs_every = true;
	return true;
}

void
sourceopt_check(const struct sourceopt *o, const struct cmd *cmd)
{
	const struct ticker_options *tick = &o->sources.tick;

	if (tick->every == 0 && o->needs_every)
		cmd_usage(cmd, "--window, --decay, --cumulative, --follow, "
			       "--late, --root and --clock need --every");
	if (o->kinds > 1)
		cmd_usage(cmd, "--window, --decay and --cumulative exclude "
			       "each other");
	if (tick->kind == TICKER_WINDOW && tick->length % tick->every != 0)
		cmd_usage(cmd, "--window is not a multiple of --every");
}
