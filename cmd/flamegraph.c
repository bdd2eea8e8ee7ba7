/* flamegraph - draw folded stacks as a flame graph. */
#include "about.h"
#include "folded.h"
#include "mem.h"
#include "palreport.h"
#include "svgopt.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* What the options say, and what was read. */
struct job {
	struct svgopt opt;
	struct intern *names;
	struct tree *tree; /* NULL before the first stack */
	struct merge merge;
	struct verdicts verdicts;
	struct about about;
	struct stack stack;
	uint32_t *reversed;
	size_t reversed_cap;
};

static const uint32_t *
reverse(struct job *j)
{
	const struct stack *s = &j->stack;
	size_t i;

	j->reversed = mem_grow(j->reversed, &j->reversed_cap, s->n,
			       sizeof(*j->reversed));
	for (i = 0; i < s->n; i++)
		j->reversed[i] = s->id[s->n - 1 - i];
	return j->reversed;
}

static void
add_stack(struct job *j, const struct input *in, const struct folded *f)
{
	if (j->tree == NULL)
		j->tree = tree_new(j->names, f->counts, j->opt.svg.chart);
	if (j->tree->counts != f->counts)
		errx(2, "%s:%" PRIu64 ": %d counts, where others have %d",
		     in->name, in->line, f->counts, j->tree->counts);
	merge_stack(&j->merge, &f->own, f->count[0]);
	stack_split(&j->stack, j->names, f->stack);
	if (!tree_add(j->tree, j->opt.svg.reversed ? reverse(j) : j->stack.id,
		      j->stack.n, f->count))
		errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits", in->name,
		     in->line);
}

static void
end_profile(struct job *j, const struct input *in)
{
	const char *reason = merge_end(&j->merge);

	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": cannot be added up: %s", in->name,
		     in->line, reason);
}

static void
read_stacks(struct input *in, void *arg)
{
	struct job *j = arg;
	struct folded f = { .counts = j->opt.counts };
	enum folded_kind kind;

	merge_begin(&j->merge, NULL);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_stack(j, in, &f);
		if (kind == FOLDED_META)
			verdicts_add(&j->verdicts,
				     f.is_header ? &f.header : &f.own);
		if (kind != FOLDED_META || !f.is_header)
			continue;
		end_profile(j, in);
		merge_begin(&j->merge, &f.header);
	}
	end_profile(j, in);
	folded_free(&f);
}

/* Titles as flamegraph.pl has them, where none is given. */
static void
fill_in(struct job *j)
{
	struct svg *s = &j->opt.svg;

	if (s->title.len == 0)
		s->title = s->chart    ? STR("Flame Chart") :
			   s->inverted ? STR("Icicle Graph") :
					 STR("Flame Graph");
	about_set(&j->about, &j->merge, j->tree, s);
	if (count_iszero(s->total))
		return;
	if (count_cmp(s->total, tree_total(j->tree, 0, j->tree->counts - 1)) >=
	    0)
		return;
	cmd_note(j->opt.cmd, "--total is less than the actual total: ignored");
	s->total = count_of(0);
}

static void
finish_tree(struct job *j)
{
	struct tree *t = j->tree;
	double lost = count_double(tree_finish(t, j->opt.max_frames));

	if (t->lost > 0)
		cmd_note(j->opt.cmd,
			 "%" PRIu32 " frames with %.2f%% of the total are "
			 "summed up as \"(N more)\"; see --max-frames",
			 t->lost,
			 100 * lost /
			     count_double(tree_total(t, 0, t->counts - 1)));
}

static void
say(const char *line, void *arg)
{
	cmd_note(arg, "%s", line);
}

static void
draw(struct job *j)
{
	struct svgnames names;
	struct palette *p = NULL;

	finish_tree(j);
	verdicts_resolve(&j->verdicts, j->tree);
	if (j->verdicts.tested)
		j->opt.svg.verdicts = &j->verdicts;
	if (j->verdicts.tested && !j->opt.diff_given)
		j->opt.svg.diff = SVG_DIFF_JUDGED;
	fill_in(j);
	svgnames_init(&names, j->tree);
	if (j->tree->counts == 2) {
		svgnames_paint_diff(&names);
	} else {
		p = palette_new(j->opt.colors, j->opt.shade);
		if (j->opt.use_map)
			palette_read_map(p, "palette.map");
		svgnames_paint(&names, j->tree, p);
		palreport_given_up(p, say, j->opt.cmd);
	}
	svg_write(&j->opt.svg, j->tree, &names, stdout);
	palette_free(p);
	svgnames_free(&names);
}

static void
free_job(struct job *j)
{
	svgopt_free(&j->opt);
	merge_free(&j->merge);
	verdicts_free(&j->verdicts);
	about_free(&j->about);
	tree_free(j->tree);
	stack_free(&j->stack);
	intern_free(j->names);
	free(j->reversed);
}

int
main(int argc, char *argv[])
{
	struct cmd c = { .synopsis = "[options] [file ...]",
			 .summary = "Draw folded stacks as a flame graph.",
			 .options = svgopt_table };
	struct job j = { .names = intern_new() };
	int option, status;

	svgopt_init(&j.opt, &c);
	cmd_begin(&c, argc, argv);
	while ((option = cmd_next(&c)) != -1)
		svgopt_set(&j.opt, option);
	cmd_files(&c, read_stacks, &j);
	if (j.tree == NULL)
		j.tree = tree_new(j.names, 1, false);
	draw(&j);
	if (c.tally.bad == 0 && count_iszero(tree_total(j.tree, 0, 0)) &&
	    count_iszero(tree_total(j.tree, 0, 1)))
		cmd_note(&c, "no samples");
	status = cmd_done(&c);
	free_job(&j);
	return status;
}
