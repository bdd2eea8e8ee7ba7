/* diffopt.h - the options of folddiff(1). */
#ifndef DIFFOPT_H
#define DIFFOPT_H

#include "cli/cmd.h"
#include "diff/diffreport.h"

/* Release with diffopt_free(). */
struct diffopt {
	struct cmd *cmd;
	bool no_header; /* called as difffolded.pl */
	bool no_test, normalize, unsorted, denoise, stream, strip_hex;
	int counts;              /* counts per line, 0 if not given */
	struct palette *palette; /* or NULL */
	enum report report;
	enum fail { FAIL_NEVER, FAIL_UP, FAIL_DOWN, FAIL_ANY } fail;
	struct significance_option significance;
	bool norm_given;
	struct count unit; /* 0 for none */
	enum side *side;   /* of each of cmd's files */

	/* Private to diffopt.c. */
	char **file; /* arguments of -b and -a */
	int nfile;
};

/* For cmd_begin(). */
extern const struct cmd_option diffopt_table[];

/*
 * Parse the command line into *o, which may be uninitialized.  Ends the program
 * with a usage message on a bad option.
 */
void diffopt_read(struct diffopt *o, struct cmd *cmd, int argc, char *argv[]);
void diffopt_free(struct diffopt *o);

#endif
