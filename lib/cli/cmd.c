/* cmd.c - options, input files and exit status of a command. */
#include "cli/cmd.h"

#include "base/count.h"
#include "base/mem.h"
#include "base/regex.h"
#include "cli/cmd_options.h"
#include "os/clock.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
name(void)
{
	return program_invocation_short_name;
}

/*
 * If the program was started without a standard output, the next file it opens
 * must not become that.  O_PATH descriptors take the place: reading and writing
 * them fails.
 */
static void
fill_descriptors(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_PATH) != fd)
			err(CMD_ERROR, "/dev/null");
	}
}

void
cmd_begin(struct cmd *c, int argc, char *argv[])
{
	const char *list = getenv("FOLDSTACK_LIMITS");

	fill_descriptors();
	/* Where it is ignored, as some parents do, children cannot be awaited.
	 */
	signal(SIGCHLD, SIG_DFL);
	c->argc = argc;
	c->argv = argv;
	c->next = 1;
	c->file = mem_zero((size_t)argc + 1, sizeof(*c->file));
	c->limits = limits_default();
	if (list != NULL && !limits_parse(&c->limits, list))
		errx(CMD_ERROR,
		     "FOLDSTACK_LIMITS must be a list like "
		     "line=64M,ratio=1000,memory=4G,time=60, not %s",
		     list);
}

void
cmd_usage(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
	fprintf(stderr, "usage: %s %s\n", name(), c->synopsis);
	exit(CMD_ERROR);
}

uint64_t
cmd_size(const struct cmd *c, const char *option)
{
	uint64_t n;

	if (!str_size(str_of(c->value), &n) || n == 0)
		cmd_usage(c,
			  "--%s must be a number of bytes, such as 65536 or "
			  "64M, not %s",
			  option, c->value);
	return n;
}

double
cmd_share(const struct cmd *c, const char *option)
{
	struct str s = str_of(c->value);
	bool percent = str_ends(s, STR("%"));
	struct count n = { 0 };
	double share;

	s.len -= percent;
	if (count_parse(s, &n) != COUNT_OK)
		cmd_usage(c,
			  "--%s must be a share, such as 0.05 or 5%%, not %s",
			  option, c->value);
	share = count_double(n) / (percent ? 100 : 1);
	if (share >= 1)
		cmd_usage(
		    c, "--%s must be less than 1, such as 0.05 or 5%%, not %s",
		    option, c->value);
	return share;
}

bool
cmd_takes_word(const struct cmd_option *o)
{
	return o->arg != NULL && *o->arg != '[';
}

/* Standard output is checked once, at the end. */
static void
close_output(void)
{
	if (ferror(stdout))
		errx(CMD_ERROR, "standard output: a write failed");
	if (fclose(stdout) != 0)
		err(CMD_ERROR, "standard output");
}

static void __attribute__((noreturn)) help(const struct cmd *c)
{
	if (c->value != NULL && strcmp(c->value, "all") != 0)
		cmd_usage(c, "--help takes no argument but all, not %s",
			  c->value);
	cmd_options_help(c, c->value != NULL);
	close_output();
	exit(CMD_OK);
}

static void __attribute__((noreturn))
unknown(const struct cmd *c, struct str dashed, struct str word)
{
	const struct cmd_option *o = cmd_options_nearest(c, word);

	if (o == NULL)
		cmd_usage(c, "unknown option %.*s", (int)dashed.len, dashed.p);
	cmd_usage(c, "unknown option %.*s; did you mean --%s?", (int)dashed.len,
		  dashed.p, o->name);
}

/* Set the argument of an option: the given one, else the next word. */
static int
set_argument(struct cmd *c, const struct cmd_option *o, char *given)
{
	c->value = given;
	if (o->arg == NULL) {
		if (given != NULL)
			cmd_usage(c, "option --%s takes no argument", o->name);
		return o->value;
	}
	if (given == NULL && cmd_takes_word(o)) {
		if (c->next == c->argc)
			cmd_usage(c, "option --%s needs %s", o->name, o->arg);
		c->value = c->argv[c->next++];
	}
	return o->value;
}

static int
next_letter(struct cmd *c)
{
	const struct cmd_option *o = cmd_options_letter(c, *c->cluster);
	char *rest = (char *)(uintptr_t)c->cluster + 1;

	if (o == NULL)
		cmd_usage(c, "unknown option -%c", *c->cluster);
	c->cluster = *rest == '\0' || o->arg != NULL ? NULL : rest;
	return set_argument(c, o,
			    o->arg != NULL && *rest != '\0' ? rest : NULL);
}

static int
next_word(struct cmd *c, char *word)
{
	bool dashes = word[1] == '-', is_ambiguous = false;
	char *text = word + 1 + dashes, *equals = strchr(text, '=');
	struct str key = str_of(text);
	const struct cmd_option *o;

	if (equals != NULL)
		key = str_range(text, equals);
	if (!dashes && key.len == 1 && cmd_options_letter(c, *text) != NULL) {
		c->cluster = text;
		return next_letter(c);
	}
	o = cmd_options_long(c, key, &is_ambiguous);
	if (o != NULL)
		return set_argument(c, o, equals != NULL ? equals + 1 : NULL);
	if (is_ambiguous)
		cmd_usage(c, "option %s is ambiguous", word);
	if (dashes || cmd_options_letter(c, *text) == NULL)
		unknown(c, str_range(word, key.p + key.len), key);
	c->cluster = text;
	return next_letter(c);
}

/* The next option, including common ones; -1 at the end. */
static int
next_option(struct cmd *c)
{
	char *word;

	if (c->cluster != NULL)
		return next_letter(c);
	while (c->next < c->argc) {
		word = c->argv[c->next++];
		if (c->no_more || *word != '-' || word[1] == '\0')
			c->file[c->nfile++] = word;
		else if (strcmp(word, "--") == 0)
			c->no_more = true;
		else
			return next_word(c, word);
	}
	return -1;
}

/* Print the file name of a loaded shared library, which has its version. */
static int
print_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	char *file = strchr(info->dlpi_name, '/') == NULL ?
			 NULL :
			 realpath(info->dlpi_name, NULL);

	(void)size;
	(void)arg;
	if (file != NULL)
		printf("%s\n", strrchr(file, '/') + 1);
	free(file);
	return 0;
}

static void
version(void)
{
	printf("%s (foldstack) %s\n", name(), PACKAGE_VERSION);
	dl_iterate_phdr(print_library, NULL);
}

static void
set_limits(struct cmd *c)
{
	if (!limits_parse(&c->limits, c->value))
		cmd_usage(c,
			  "--limits must be a list like "
			  "line=64M,ratio=1000,memory=4G,time=60, not %s",
			  c->value);
}

int
cmd_next(struct cmd *c)
{
	int value;

	for (;;) {
		value = next_option(c);
		switch (value) {
		case 'q':
			c->quiet = true;
			break;
		case CMD_OPTIONS_STRICT:
			c->strict = true;
			break;
		case CMD_OPTIONS_NO_SANDBOX:
			c->confined = true;
			decompress_unconfined();
			break;
		case CMD_OPTIONS_LIMITS:
			set_limits(c);
			break;
		case -1:
			limits_set(&c->limits);
			return value;
		case 'h':
			help(c);
		case CMD_OPTIONS_VERSION:
			version();
			close_output();
			exit(CMD_OK);
		default:
			return value;
		}
	}
}

void
cmd_confine(struct cmd *c, int n)
{
	struct sandbox may = { 0 };
	int i;

	if (c->unconfined || c->confined)
		return;
	c->confined = true;
	if (c->may != NULL)
		may = *c->may;
	for (i = n; i < c->nfile && !may.runs; i++)
		may.runs = input_may_be_compressed(c->file[i]);
	sandbox_enter(&may, c->file + (n < c->nfile ? n : c->nfile));
}

/* Print progress five times a second; nothing for inputs that end before. */
static void
show_progress(struct input *in)
{
	double now = clock_seconds(CLOCK_MONOTONIC), rate;
	double mb = (double)in->bytes / 1e6;

	if (in->began == 0)
		in->began = in->shown = now;
	if (now < in->shown + 0.2)
		return;
	in->shown = now;
	rate = mb / (now - in->began);
	fprintf(stderr, "\r%s: %.0f MB, %.0f MB/s", name(), mb, rate);
	if (in->size > in->bytes)
		fprintf(stderr, ", %.0f s left",
			((double)in->size / 1e6 - mb) / rate);
	fputs("\033[K", stderr);
}

static void
read_file(struct cmd *c, const char *path, void (*read)(struct input *, void *),
	  void *arg)
{
	struct input in;

	if (strcmp(path, "-") == 0 && isatty(0))
		cmd_note(c, "reading from the terminal; end with Ctrl-D, or "
			    "see --help");
	input_open(&in, path, &c->tally);
	if (!c->quiet && isatty(2))
		in.progress = show_progress;
	cmd_confine(c, 1);
	read(&in, arg);
	if (in.shown > in.began)
		fputs("\r\033[K", stderr);
	input_close(&in);
}

void
cmd_files(struct cmd *c, void (*read)(struct input *, void *), void *arg)
{
	int i;

	if (c->nfile == 0)
		read_file(c, "-", read, arg);
	for (i = 0; i < c->nfile; i++)
		read_file(c, c->file[i], read, arg);
}

int
cmd_counts(const struct cmd *c)
{
	if (strcmp(c->value, "1") != 0 && strcmp(c->value, "2") != 0)
		cmd_usage(c, "--counts must be 1 or 2, not %s", c->value);
	return *c->value - '0';
}

bool
cmd_are_files(const struct cmd *c)
{
	struct stat st;
	int i;

	for (i = 0; i < c->nfile; i++) {
		if (strcmp(c->file[i], "-") == 0 ||
		    stat(c->file[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	}
	return c->nfile > 0;
}

void
cmd_check_pattern(struct cmd *c, const char *option, const struct regex *r)
{
	struct buf why = { 0 };

	if (r != NULL && regex_aborted(r, &why) > 0) {
		warnx("--%s: %.*s", option, (int)why.len, why.p);
		c->unselected = true;
	}
	buf_free(&why);
}

void
cmd_note(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
}

static void
report_bad(const struct cmd *c)
{
	const struct tally *t = &c->tally;
	const char *unit = t->bad_unit != NULL ? t->bad_unit : "line";

	warnx("%" PRIu64 " %s%s skipped, the first: %.*s", t->bad, unit,
	      str_plural(t->bad, "", "s"), (int)t->first.len, t->first.p);
}

int
cmd_done(struct cmd *c)
{
	const struct tally *t = &c->tally;
	bool nothing = t->bad > 0 && t->good == 0;
	int status = CMD_OK;

	if (t->bad > 0 && (nothing || !c->quiet))
		report_bad(c);
	if (nothing)
		warnx("no input could be parsed");
	if (t->bad > t->good && t->advice != NULL && (nothing || !c->quiet))
		warnx("%s", t->advice);
	if (t->bad > 0)
		status = nothing ? CMD_ERROR : c->strict ? CMD_PARTIAL : CMD_OK;
	if ((c->gave_up || (c->partial && c->strict)) && status == CMD_OK)
		status = CMD_PARTIAL;
	if (c->unselected)
		status = CMD_ERROR;
	close_output();
	free(c->file);
	buf_free(&c->tally.first);
	return status;
}
