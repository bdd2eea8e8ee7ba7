/* cmd.h - options, input files and exit status of a command. */
#ifndef CMD_H
#define CMD_H

#include "cli/limits.h"
#include "io/input.h"
#include "os/sandbox.h"

struct regex;

/* Exit statuses; foldstack(7). */
enum { CMD_OK = 0, CMD_PARTIAL = 1, CMD_ERROR = 2 };

/* One option; a table of them ends with an entry without a name. */
struct cmd_option {
	const char *name; /* long name, without dashes */
	int value;        /* for cmd_next(); a letter or digit is also the */
			  /* short option */
	const char *arg;  /* name of the argument, NULL if there is none; */
			  /* "[NAME]" is optional and must follow '=' */
	const char *help; /* for --help: a phrase in 57 columns */
	bool classic;     /* in FlameGraph: wins if a prefix is ambiguous */
};

/* The least value of an option without a short form. */
#define CMD_LONG 256

/* Whether the argument of an option may be the next word. */
bool cmd_takes_word(const struct cmd_option *o);

/* A command; main() sets the first part. */
struct cmd {
	const char *synopsis; /* as in the manual, without the name */
	const char *summary;  /* one sentence for --help */
	/* Long names of the options that --help prints, in this order, with a
	 */
	/* space between; NULL: all, as --help=all does. */
	const char *most_used;
	const struct cmd_option *options;
	const struct cmd_option *more; /* a second table, may be NULL */
	const struct sandbox *may;     /* rights to keep; may be NULL */
	bool unconfined;               /* never use a sandbox */

	bool strict, quiet;
	bool partial;    /* an auxiliary file was understood only in part */
	bool gave_up;    /* a pattern of a palette took too long: status 1 */
	bool unselected; /* cmd_check_pattern() found aborted searches */
	struct tally tally;
	char *value; /* argument of the last option, NULL if none */
	char **file; /* operands, ended by NULL */
	int nfile;

	/* Private to cmd.c. */
	char **argv;
	int argc, next;
	struct limits limits;
	const char *cluster; /* rest of a word of short options */
	bool no_more;        /* "--" ended the options */
	bool confined;       /* in the sandbox, or --no-sandbox */
};

/*
 * Begin to parse the arguments of main().  Long options are as in the Perl
 * module Getopt::Long: one dash or two, any unique prefix, before or after
 * operands, the argument after '=' or in the next word.  Short options are as
 * in getopt(3).
 */
void cmd_begin(struct cmd *c, int argc, char *argv[]);

/*
 * The value of the next option, or -1 at the end; then c->file has the
 * operands, and the limits are in force.  Handles --help, --version, --strict,
 * --quiet, --limits and --no-sandbox itself.
 */
int cmd_next(struct cmd *c);

/*
 * Parse the argument of the last option as a number of bytes, optionally with
 * K, M, G or T.  Anything else is a usage error.
 */
uint64_t cmd_size(const struct cmd *c, const char *option);

/*
 * Parse the argument of the last option as a share below 1, also in per cent:
 * 0.05 or 5%.  Anything else is a usage error: 5 would be an error for 5%.
 */
double cmd_share(const struct cmd *c, const char *option);

/* Print an error in the command line and the usage; exit with status 2. */
void cmd_usage(const struct cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * Open each operand and call read().  "-", or no operand, is standard input.
 * Enters the sandbox when the first input is open.  A failed read ends the
 * program with status 2.
 */
void cmd_files(struct cmd *c, void (*read)(struct input *, void *), void *arg);

/*
 * Enter the sandbox: drop the rights that the command does not need to parse
 * its input.  The first n operands are open, and will not be opened again.
 * Commands that do not use cmd_files(), or open operands twice, call this
 * before they parse input.  Later calls have no effect.
 */
void cmd_confine(struct cmd *c, int n);

/* Parse the argument of the option --counts: 1 or 2 counts per line. */
int cmd_counts(const struct cmd *c);

/* Whether all operands are regular files, which can be read twice. */
bool cmd_are_files(const struct cmd *c);

/*
 * Call at the end for each pattern that selects what to write.  If a search was
 * aborted, prints a message, also with --quiet, and cmd_done() returns
 * CMD_ERROR.  The option is its name without dashes; r may be NULL.
 */
void cmd_check_pattern(struct cmd *c, const char *option,
		       const struct regex *r);

/* Print a message on standard error, unless --quiet: "name: ...". */
void cmd_note(const struct cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Close standard output, report input that was not understood, and return the
 * exit status.  A failed write ends the program with status 2.
 */
int cmd_done(struct cmd *c);

#endif
