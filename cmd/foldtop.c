/* foldtop - show what a program does now, like top(1) for stacks. */
#include "cli/cmd.h"
#include "cli/screen.h"
#include "io/follow.h"
#include "os/clock.h"
#include "os/save_file.h"
#include "top/topdraw.h"
#include "top/topkeys.h"
#include "top/topsave.h"
#include "top/topsummary.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

#define SECOND 1000000000

/* Shortest time between two paints, and between two looks at a file. */
#define PAINT_MS 200

enum {
	OPT_COLORS = CMD_LONG,
	OPT_COUNTS,
	OPT_CPU,
	OPT_DECAY,
	OPT_IDLE,
	OPT_SORT,
	OPT_SUMMARY,
	OPT_VIEW,
	OPT_WINDOW
};

static const struct cmd_option options[] = {
	{ "window", OPT_WINDOW, "SECONDS|all",
	  "show the last SECONDS (10; for files: all)", false },
	{ "decay", OPT_DECAY, "SECONDS",
	  "show all samples, halved after each SECONDS", false },
	{ "view", OPT_VIEW, "functions|stacks|flame|threads", "first view",
	  false },
	{ "sort", OPT_SORT, "self|total",
	  "sort functions by self or total count", false },
	{ "summary", OPT_SUMMARY, NULL,
	  "print the top functions by self and total count", false },
	{ "cpu", OPT_CPU, NULL, "count all stacks as running", false },
	{ "idle", OPT_IDLE, NULL, "show threads that wait for work", false },
	{ "rows", 'n', "ROWS", "print this many rows if not on a terminal (20)",
	  false },
	{ "colors", OPT_COLORS, "PALETTE", "same as --palette", false },
	{ "palette", 'p', "PALETTE",
	  "colour the flame graph by this palette(5)", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

struct foldtop {
	struct cmd cmd;
	struct topprofile live;
	struct top top;
	const char *palette;
	bool has_window, has_screen, summary, all_run;
	int files;      /* opened so far */
	double painted; /* time of the last paint, s */
	bool has_news;  /* input since the last paint */
	uint64_t tables;
	struct save_file save;
};

/* On a terminal. */

static void
paint(struct foldtop *job)
{
	struct canvas *c = &job->top.canvas;

	screen_size(&c->rows, &c->columns);
	top_refresh(&job->top);
	topdraw(&job->top);
	screen_write(buf_slice(&c->out));
	job->painted = clock_seconds(CLOCK_MONOTONIC);
	job->has_news = false;
}

/* Save what is shown to a new file, and say where. */
static void
save(struct foldtop *job)
{
	struct buf text = { 0 }, *message = &job->top.message;
	char name[SAVE_FILE_NAME];
	int error;

	job->top.wants_save = false;
	topsave_text(&job->top, &text);
	message->len = 0;
	if (text.len == 0) {
		buf_printf(message, "there are no samples to save yet");
	} else {
		error = save_file_write(&job->save, job->live.pid,
					buf_slice(&text), name);
		if (error == 0)
			buf_printf(message, "saved %s", name);
		else
			buf_printf(message, "cannot save in this directory: %s",
				   strerror(error));
	}
	buf_free(&text);
}

static void
take_keys(struct foldtop *job)
{
	int key;

	while (!job->top.wants_quit && (key = screen_key()) != -1) {
		topkeys_press(&job->top, key);
		if (job->top.wants_save)
			save(job);
	}
	if (!job->top.wants_quit)
		paint(job);
}

/* Handle keys, resizes and timeouts; returns the event or SCREEN_TIME. */
static enum screen_event
attend(struct foldtop *job, int fd, int ms)
{
	enum screen_event event = screen_wait(fd, ms);

	if (event == SCREEN_QUIT)
		job->top.wants_quit = true;
	else if (event == SCREEN_KEY)
		take_keys(job);
	else if (event == SCREEN_CHANGE)
		paint(job);
	return event;
}

/* Commit what was read, and paint. */
static void
show_news(struct foldtop *job)
{
	topprofile_flush(&job->live);
	paint(job);
}

/*
 * Show what was read until more input comes.  Of several files, only the last
 * one is expected to grow.
 */
static enum input_wait
wait_for_input(void *arg, int fd)
{
	struct foldtop *job = arg;
	const bool grows = follow_is_file(fd),
		   last = job->files >= job->cmd.nfile;
	bool ready;

	while (!job->top.wants_quit) {
		ready = grows && (!last || follow_has_grown(fd));
		if (attend(job, grows ? -1 : fd, ready ? 0 : PAINT_MS) ==
		    SCREEN_INPUT)
			ready = true;
		if (job->has_news &&
		    (!ready || clock_seconds(CLOCK_MONOTONIC) - job->painted >=
				   PAINT_MS / 1e3))
			show_news(job);
		if (ready) {
			job->has_news = true;
			return INPUT_READ;
		}
	}
	return INPUT_STOP;
}

/* The input has ended. */
static void
stay(struct foldtop *job)
{
	job->top.has_ended = true;
	if (!job->top.wants_quit)
		paint(job);
	while (!job->top.wants_quit)
		attend(job, -1, 60000);
}

static enum canvas_kind
terminal_kind(void)
{
	const char *none = getenv("NO_COLOR"), *depth = getenv("COLORTERM");

	if (none != NULL && *none != '\0')
		return CANVAS_MONO;
	if (depth != NULL &&
	    (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0))
		return CANVAS_COLOUR;
	return CANVAS_256;
}

/* These variables name the locale; this program never calls setlocale(3). */
static bool
has_utf8(void)
{
	static const char *const variable[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(variable[i]);
	return value != NULL && (strcasestr(value, "UTF-8") != NULL ||
				 strcasestr(value, "utf8") != NULL);
}

/* Without a terminal: tables. */

static void
print_table(struct foldtop *job)
{
	top_refresh(&job->top);
	if (job->summary)
		topsummary_draw(&job->top);
	else
		topdraw(&job->top);
	if (job->tables++ > 0)
		putchar('\n');
	buf_write(&job->top.canvas.out, stdout);
	fflush(stdout);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

static void
end_piece(void *arg)
{
	struct foldtop *job = arg;

	if (!job->has_screen && !job->top.since_start)
		print_table(job);
}

/* Terminal and tables. */

static void
read_file(struct input *in, void *arg)
{
	struct foldtop *job = arg;

	if (job->top.wants_quit)
		return;
	job->files++;
	job->has_news = true; /* the start of the input was read */
	if (job->files == 1 && !job->has_window)
		job->top.since_start = in->size > 0;
	if (job->has_screen) {
		if (job->files == 1)
			screen_open();
		in->progress = NULL;
		input_await(in, wait_for_input, job);
	}
	topprofile_read(&job->live, in);
}

static double
positive(const struct foldtop *job, const char *what)
{
	char *end;
	double n = strtod(job->cmd.value, &end);

	if (*end != '\0' || !isfinite(n) || n <= 0 || n > 1e9)
		cmd_usage(&job->cmd, "%s takes a number above 0, not %s", what,
			  job->cmd.value);
	return n;
}

/* Index of an option's argument in a list of words. */
static int
word(const struct foldtop *job, const char *what, const char *const *words)
{
	int i;

	for (i = 0; words[i] != NULL; i++) {
		if (strcmp(job->cmd.value, words[i]) == 0)
			return i;
	}
	cmd_usage(&job->cmd, "--%s cannot be %s", what, job->cmd.value);
}

static void
set_window(struct foldtop *job)
{
	job->has_window = true;
	job->top.since_start = strcmp(job->cmd.value, "all") == 0;
	if (!job->top.since_start)
		job->live.window.length = (uint64_t)(positive(job, "--window") *
						     SECOND);
}

static void
set_option(struct foldtop *job, int value)
{
	static const char *const views[] = { "functions", "stacks", "flame",
					     "threads", NULL },
				 *const sorts[] = { "self", "total", NULL };

	switch (value) {
	case OPT_WINDOW:
		set_window(job);
		break;
	case OPT_DECAY:
		job->has_window = job->top.since_start = true;
		job->live.window.half_life = positive(job, "--decay") * SECOND;
		break;
	case OPT_VIEW:
		job->top.view = (enum top_view)word(job, "view", views);
		break;
	case OPT_SORT:
		job->top.by_total = word(job, "sort", sorts) == 1;
		break;
	case OPT_SUMMARY:
		job->summary = true;
		break;
	case OPT_CPU:
		job->all_run = true;
		break;
	case OPT_IDLE:
		job->top.with_idle = true;
		break;
	case 'n':
		job->top.rows = (size_t)positive(job, "--rows");
		break;
	case OPT_COLORS:
	case 'p':
		job->palette = job->cmd.value;
		break;
	case OPT_COUNTS:
		job->live.counts = cmd_counts(&job->cmd);
		break;
	default:
		break;
	}
}

static void
run(struct foldtop *job)
{
	if (job->has_screen) {
		job->top.canvas.kind = terminal_kind();
		job->top.canvas.utf8 = has_utf8();
		save_file_start(&job->save);
	} else if (job->top.view == TOP_FLAME) {
		cmd_usage(&job->cmd, "--view flame needs a terminal");
	}
	cmd_files(&job->cmd, read_file, job);
	if (job->has_screen)
		stay(job);
	else if (job->tables == 0 && job->cmd.tally.good > 0)
		print_table(job);
	screen_close();
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .reads_all = true };
	struct foldtop job = {
		.cmd = { .synopsis = "[options] [file ...]",
			 .most_used = "window view sort summary idle rows "
				      "palette counts quiet",
			 .summary = "Show where a program spends its time, "
				    "from folded stacks.",
			 .options = options,
			 .may = &may },
		.top = { .rows = 20 },
		.save = { .name = "foldtop", .suffix = ".folded" }
	};
	struct waits *waits;
	struct palette *palette;
	int value;

	job.live.window.length = (uint64_t)10 * SECOND;
	cmd_begin(&job.cmd, argc, argv);
	while ((value = cmd_next(&job.cmd)) != -1)
		set_option(&job, value);
	job.has_screen = !job.summary && screen_possible();
	job.live.ended = end_piece;
	job.live.arg = &job;
	job.top.profile = &job.live;
	topprofile_init(&job.live);
	waits = job.all_run ? NULL : waits_new(NULL);
	palette = palette_new(job.palette, SHADE_HASH);
	top_init(&job.top, waits, palette);
	run(&job);
	if (job.live.cut_off)
		cmd_note(&job.cmd,
			 "dropped the last snapshot, which is truncated");
	top_free(&job.top);
	topprofile_free(&job.live);
	helper_stop(&job.save.helper);
	waits_free(waits);
	palette_free(palette);
	return cmd_done(&job.cmd);
}
