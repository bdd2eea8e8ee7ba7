/* cmd.h - what all commands share: options, the file loop, exit status. */
#ifndef CMD_H
#define CMD_H

#include "confine.h"
#include "input.h"

/* Exit statuses; foldstack(7). */
enum { CMD_OK = 0, CMD_PARTIAL = 1, CMD_ERROR = 2 };

/* One option; a table of them ends with an entry without a name. */
struct cmd_option {
	const char *name; /* long, without dashes */
	int value;        /* what cmd_next() returns; if a letter or digit, */
			  /* the short option too */
	const char *arg;  /* name of its argument, NULL if it takes none; */
			  /* "[NAME]" is only taken behind '=' */
	const char *help; /* one line for --help */
	bool classic;     /* FlameGraph has it: abbreviations mean it first */
};

/* Values of options without a short form begin here. */
#define CMD_LONG 256

/* Whether an option's argument may be the word behind it. */
bool cmd_takes_word(const struct cmd_option *o);

/* A command on its way; main() fills in the first part. */
struct cmd {
	const char *synopsis; /* as the manual has it, without the name */
	const char *summary;  /* one sentence for --help */
	const struct cmd_option *options;
	const struct cmd_option *more; /* a second table, may be NULL */
	const struct confine *may;     /* what it does besides; may be NULL */
	bool unconfined;               /* it does all that its user may */

	bool strict, quiet;
	bool partial; /* a file that helps was understood only in part */
	struct tally tally;
	char *value; /* argument of the option cmd_next() returned */
	char **file; /* operands, NULL at the end */
	int nfile;

	/* Below here is cmd.c's own. */
	char **argv;
	int argc, next;
	const char *cluster; /* rest of a word of short options */
	bool no_more;
	bool confined; /* or never to be, by --no-sandbox */
};

/*
 * Begin, with the arguments of main().  Options are taken as Perl's
 * Getopt::Long took them: one dash or two, any unique prefix, before or
 * after operands, with '=' or the next word as argument; and short options
 * as getopt(3) has them.
 */
void cmd_begin(struct cmd *c, int argc, char *argv[]);

/*
 * The next option's value, or -1 when there are no more; then c->file holds
 * the operands.  Deals with --help, --version, --strict and --quiet itself.
 */
int cmd_next(struct cmd *c);

/*
 * The argument of the option cmd_next() returned, as a number of bytes, perhaps
 * with K, M, G or T behind it; a usage error if it is none.
 */
uint64_t cmd_size(const struct cmd *c, const char *option);

/* Say what is wrong with the command line, then exit with status 2. */
void cmd_usage(const struct cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * Call read for each operand, opened; for standard input where there is none
 * or for "-".  The first read that fails ends the program with status 2.
 */
void cmd_files(struct cmd *c, void (*read)(struct input *, void *), void *arg);

/*
 * What is read from now on is hostile: give up what the command does not need;
 * confine.h.  The first n operands are open, and are not opened again.
 * cmd_files() does so when it has opened the first; a command that opens
 * operands itself, or twice, calls it before.  Done once only.
 */
void cmd_confine(struct cmd *c, int n);

/* How many counts a line has, by the option --counts that was just read. */
int cmd_counts(const struct cmd *c);

/* Whether all operands are regular files, which can be read again. */
bool cmd_are_files(const struct cmd *c);

/* A line on standard error, unless --quiet: "name: ...". */
void cmd_note(const struct cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Close standard output, say what was not understood, and return the exit
 * status.  Ends the program with status 2 if a write failed.
 */
int cmd_done(struct cmd *c);

#endif
