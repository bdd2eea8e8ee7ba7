/* cmd_options.h - the options of a command: search and --help. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "cli/cmd.h"

/* The options that all commands have, besides -q and -h. */
enum {
	CMD_OPTIONS_VERSION = CMD_LONG + 1000,
	CMD_OPTIONS_STRICT,
	CMD_OPTIONS_NO_SANDBOX,
	CMD_OPTIONS_LIMITS
};

/* The option with this short form, or NULL. */
const struct cmd_option *cmd_options_letter(const struct cmd *c, char letter);

/*
 * The long option with this name, or else the only classic option with this
 * prefix, or else the only option with it.  Sets *is_ambiguous if there are
 * several.
 */
const struct cmd_option *cmd_options_long(const struct cmd *c, struct str word,
					  bool *is_ambiguous);

/* The option whose name is nearest to a word; NULL if none is near. */
const struct cmd_option *cmd_options_nearest(const struct cmd *c,
					     struct str word);

/*
 * Print --help: the options that c->most_used names, or with is_whole, or if
 * that is NULL, all of them.
 */
void cmd_options_help(const struct cmd *c, bool is_whole);

#endif
