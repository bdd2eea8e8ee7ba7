/*
 * stackcollapse-ghcprof - fold the cost-centre profiles of GHC: the report
 * of +RTS -p or -P, and the JSON of -pj.
 *
 * Sources: rts/ProfilerReport.c and ProfilerReportJson.c of GHC.
 */
#include "formats/ghc_json.h"
#include "formats/ghc_report.h"
#include "reader/collapse.h"

enum { OPT_ALLOC = CMD_LONG, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "alloc", OPT_ALLOC, NULL, "count allocated bytes, not time", false },
	{ "srcline", OPT_SRCLINE, NULL, "add the source lines of cost centres",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static bool by_alloc, with_lines;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	by_alloc |= value == OPT_ALLOC;
	with_lines |= value == OPT_SRCLINE;
	return value == OPT_ALLOC || value == OPT_SRCLINE;
}

static void
read_ghcprof(struct input *in, struct sink *out)
{
	struct ghc_costs costs = {
		.in = in, .out = out, .alloc = by_alloc, .lines = with_lines
	};
	struct str begin = input_peek(in, 1);

	if (str_starts(begin, STR("{"))) {
		in->tally->bad_unit = "cost centre";
		ghc_json_read(&costs);
	} else if (begin.len > 0) {
		ghc_report_read(&costs);
	}
	ghc_costs_free(&costs);
}

int
main(int argc, char *argv[])
{
	static const struct reader ghcprof = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a cost-centre profile of GHC.",
		.options = options,
		.setopt = set_option,
		.read = read_ghcprof
	};

	return collapse_main(argc, argv, &ghcprof);
}
