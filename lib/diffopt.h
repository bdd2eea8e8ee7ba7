/* diffopt.h - the options of folddiff. */
#ifndef DIFFOPT_H
#define DIFFOPT_H

#include "cmd.h"
#include "diffreport.h"

/* What the options say.  All zero at first; release with diffopt_free(). */
struct diffopt {
	struct cmd *cmd;
	bool no_test, normalize, unsorted, denoise, stream, strip_hex;
	int counts;              /* a line, 0 if not given */
	struct palette *palette; /* or NULL */
	enum report report;
	enum fail { FAIL_NEVER, FAIL_UP, FAIL_DOWN, FAIL_ANY } fail;
	struct judge_option judge;
	bool norm_given;
	struct count unit; /* 0 for none */
	enum side *side;   /* of each of cmd's files */

	/* Below here is diffopt.c's own. */
	char **file; /* that -b and -a name */
	int nfile;
};

/* For cmd_begin(). */
extern const struct cmd_option diffopt_table[];

/* Read all options: a bad one ends the program. */
void diffopt_read(struct diffopt *o, struct cmd *cmd, int argc, char *argv[]);
void diffopt_free(struct diffopt *o);

#endif
