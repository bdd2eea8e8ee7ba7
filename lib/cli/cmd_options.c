/* cmd_options.c - the options of a command: search and --help. */
#include "cli/cmd_options.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static const struct cmd_option common[] = {
	{ "strict", CMD_OPTIONS_STRICT, NULL,
	  "fail if some input cannot be parsed", false },
	{ "quiet", 'q', NULL, "print errors only", false },
	{ "limits", CMD_OPTIONS_LIMITS, "LIST",
	  "limit resources: line=64M,memory=4G,time=60", false },
	{ "help", 'h', "[all]", "print the main options, or all of them",
	  true },
	{ "version", CMD_OPTIONS_VERSION, NULL, "print the version", false },
	{ NULL, 0, NULL, NULL, false }
};

/* For commands with a sandbox. */
static const struct cmd_option sandboxed[] = {
	{ "no-sandbox", CMD_OPTIONS_NO_SANDBOX, NULL,
	  "do not sandbox the parser", false },
	{ NULL, 0, NULL, NULL, false }
};

#define TABLES(c) \
	{ \
		(c)->options, (c)->more, (c)->unconfined ? NULL : sandboxed, \
		    common \
	}
#define NTABLES 4

const struct cmd_option *
cmd_options_letter(const struct cmd *c, char letter)
{
	const struct cmd_option *const table[NTABLES] = TABLES(c), *o;
	int i;

	for (i = 0; i < NTABLES; i++) {
		for (o = table[i]; o != NULL && o->name != NULL; o++) {
			if (o->value == letter)
				return o;
		}
	}
	return NULL;
}

const struct cmd_option *
cmd_options_long(const struct cmd *c, struct str word, bool *is_ambiguous)
{
	const struct cmd_option *const table[NTABLES] = TABLES(c), *o;
	const struct cmd_option *found[2] = { NULL, NULL };
	int i, n[2] = { 0, 0 };

	for (i = 0; i < NTABLES; i++) {
		for (o = table[i]; o != NULL && o->name != NULL; o++) {
			if (strncasecmp(o->name, word.p, word.len) != 0)
				continue;
			if (o->name[word.len] == '\0')
				return o;
			found[0] = o;
			n[0]++;
			if (o->classic) {
				found[1] = o;
				n[1]++;
			}
		}
	}
	*is_ambiguous = n[0] > 1 && n[1] != 1;
	return n[1] == 1 ? found[1] : n[0] == 1 ? found[0] : NULL;
}

#define MAX_NAME 32

/* Edit distance of two words shorter than MAX_NAME; a swap of letters is 2. */
static unsigned
distance(struct str a, struct str b)
{
	unsigned row[MAX_NAME], above, diagonal;
	size_t i, j;

	for (j = 0; j <= b.len; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= a.len; i++) {
		diagonal = row[0];
		row[0] = (unsigned)i;
		for (j = 1; j <= b.len; j++) {
			above = row[j];
			row[j] = diagonal + (a.p[i - 1] != b.p[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[b.len];
}

const struct cmd_option *
cmd_options_nearest(const struct cmd *c, struct str word)
{
	const struct cmd_option *const table[NTABLES] = TABLES(c), *o;
	const struct cmd_option *found = NULL;
	/* A third of the letters may be wrong. */
	unsigned least = ((unsigned)word.len + 1) / 3 + 1, n;
	int i;

	if (word.len < 2 || word.len >= MAX_NAME)
		return NULL;
	for (i = 0; i < NTABLES; i++) {
		for (o = table[i]; o != NULL && o->name != NULL; o++) {
			if (strlen(o->name) >= MAX_NAME)
				continue;
			n = distance(word, str_of(o->name));
			if (n < least) {
				least = n;
				found = o;
			}
		}
	}
	return found;
}

static void
print_option(const struct cmd_option *o)
{
	char spec[80];

	if (o->arg == NULL)
		snprintf(spec, sizeof(spec), "--%s", o->name);
	else if (cmd_takes_word(o))
		snprintf(spec, sizeof(spec), "--%s %s", o->name, o->arg);
	else
		snprintf(spec, sizeof(spec), "--%s[=%s", o->name, o->arg + 1);
	if (o->value < CMD_LONG)
		printf("  -%c, ", o->value);
	else
		printf("      ");
	printf("%-22s %s\n", spec, o->help);
}

static void
print_all(const struct cmd *c)
{
	const struct cmd_option *const table[NTABLES] = TABLES(c), *o;
	int i;

	for (i = 0; i < NTABLES; i++) {
		for (o = table[i]; o != NULL && o->name != NULL; o++)
			print_option(o);
	}
}

static void
print_most_used(const struct cmd *c)
{
	struct str rest = str_of(c->most_used);
	const struct cmd_option *o;
	bool is_ambiguous = false;

	while (rest.len > 0) {
		o = cmd_options_long(c, str_cut(&rest, ' '), &is_ambiguous);
		assert(o != NULL);
		print_option(o);
	}
}

void
cmd_options_help(const struct cmd *c, bool is_whole)
{
	const char *name = program_invocation_short_name;

	printf("usage: %s %s\n%s\n\n", name, c->synopsis, c->summary);
	if (is_whole || c->most_used == NULL) {
		print_all(c);
		printf("\nManual: %s(1).\n", name);
		return;
	}
	print_most_used(c);
	printf("\nMore options: %s --help=all.  Manual: %s(1).\n", name, name);
}
