/* flamegraph - draw folded stacks as a flame graph. */
#include "base/mem.h"
#include "folded/event_choice.h"
#include "folded/fold.h"
#include "folded/stacks.h"
#include "io/follow.h"
#include "os/atomic_write.h"
#include "palette/palreport.h"
#include "svg/svgheat.h"
#include "svg/svgopt.h"
#include "svg/svgsummary.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* With --follow: number of names above which unused ones are freed. */
#define MANY_NAMES 65536

/* The options, and what was read. */
struct flamegraph {
	struct svgopt opt;
	struct stacks stacks;
	struct intern *names;
	struct tree *tree; /* NULL before the first stack */
	struct fold *fold; /* with --follow: each tree is built from it */
	uint32_t names_limit;
	struct palette *palette;
	struct verdicts verdicts;
	struct svgsummary about;
	struct event_choice *events; /* NULL: count every event */
	uint64_t untimed; /* samples left out because they have no time */
	struct buf title, clock; /* from the metadata */
	uint32_t *reversed;
	size_t reversed_cap;
};

static void
begin(struct stacks *s)
{
	struct flamegraph *j = s->arg;

	if (j->opt.has_heat && s->counts == 2)
		errx(2, "--heatmap is for one count a line");
	if (j->opt.follow) {
		j->fold = fold_new(s->counts);
		s->names = fold_names(j->fold);
		return;
	}
	s->names = j->names;
	j->tree = tree_new(j->names, s->counts, j->opt.svg.chart);
	j->tree->record_ends = j->opt.has_heat;
}

/* Keep samples of one event, so that all have one unit; a heat map needs times.
 */
static bool
wants(struct stacks *s, const struct folded *f)
{
	struct flamegraph *j = s->arg;
	uint64_t time;

	if (j->opt.has_heat && !meta_ns(&f->own, "time", &time)) {
		j->untimed++;
		return false;
	}
	return event_choice_add_sample(j->events, &f->own, &f->header) !=
	       EVENT_SKIPPED;
}

static const uint32_t *
reverse(struct flamegraph *j, const uint32_t *id, size_t n)
{
	size_t i;

	j->reversed = mem_grow(j->reversed, &j->reversed_cap, n,
			       sizeof(*j->reversed));
	for (i = 0; i < n; i++)
		j->reversed[i] = id[n - 1 - i];
	return j->reversed;
}

static bool
add(struct stacks *s, const uint32_t *id, size_t n, const struct count *count)
{
	struct flamegraph *j = s->arg;

	if (j->opt.follow)
		return fold_add(j->fold, id, n, count);
	if (j->opt.svg.reversed)
		id = reverse(j, id, n);
	if (!tree_add(j->tree, id, n, count))
		return false;
	if (j->opt.has_heat)
		heatmap_add(&j->opt.heat, s->seen.time, *count);
	return true;
}

static void
see(struct stacks *s, const struct meta *m)
{
	struct flamegraph *j = s->arg;

	verdict_add(&j->verdicts, m);
}

static void
cut_off(struct stacks *s, const struct input *in)
{
	struct flamegraph *j = s->arg;

	cmd_note(j->opt.cmd, "%s: the last snapshot is cut off, and left out",
		 in->name);
}

static void
read_file(struct input *in, void *arg)
{
	const struct stacks *s = arg;
	const struct flamegraph *j = s->arg;

	if (j->opt.follow)
		input_await(in, follow_input, NULL);
	stacks_read(arg, in);
}

static void
finish_heat(struct flamegraph *j)
{
	struct svg *s = &j->opt.svg;
	struct heatmap *h = &j->opt.heat;
	uint32_t most = svgheat_columns(svg_inner(s), h->span > 0);

	if (h->n == 0 && j->untimed > 0)
		errx(2, "no times: --heatmap is for streams of samples, as of "
			"stackcollapse-perf --samples");
	if (j->untimed > 0)
		cmd_note(j->opt.cmd, "%" PRIu64 " %s left out", j->untimed,
			 str_plural(j->untimed, "sample without a time is",
				    "samples without a time are"));
	if (h->n == 0)
		return;
	if (!heatmap_finish(h, j->tree->end, most))
		errx(2, "--column: that makes more than %" PRIu32 " columns",
		     most);
	meta_decode(&j->clock, meta_get(&j->stacks.merge.all, "clock"));
	s->clock = buf_slice(&j->clock);
	s->heat = h;
}

/* Default titles, as flamegraph.pl has them. */
static void
fill_in(struct flamegraph *j)
{
	struct svg *s = &j->opt.svg;

	meta_decode(&j->title, meta_get(&j->stacks.merge.all, "title"));
	if (s->title.len == 0)
		s->title = buf_slice(&j->title);
	if (s->title.len == 0)
		s->title = s->chart ? STR("Flame Chart") :
			   s->inverted && !j->opt.has_heat ?
				      STR("Icicle Graph") :
				      STR("Flame Graph");
	svgsummary_set(&j->about, &j->stacks.merge, j->tree, s);
	if (count_iszero(s->total))
		return;
	if (count_cmp(s->total, tree_total(j->tree, 0, j->tree->counts - 1)) >=
	    0)
		return;
	cmd_note(j->opt.cmd, "--total is less than the actual total: ignored");
	s->total = count_of(0);
}

static void
finish_tree(struct flamegraph *j)
{
	struct tree *t = j->tree;
	double lost = count_double(tree_finish(t, j->opt.max_frames));

	if (t->pruned > 0)
		cmd_note(j->opt.cmd,
			 "%" PRIu32 " frame%s with %.2f%% of the total %s "
			 "summed up as \"(N more)\"; see --max-frames",
			 t->pruned, str_plural(t->pruned, "", "s"),
			 100 * lost /
			     count_double(tree_total(t, 0, t->counts - 1)),
			 str_plural(t->pruned, "is", "are"));
}

static void
say(const char *line, void *arg)
{
	cmd_note(arg, "%s", line);
}

static void
write_picture(const struct flamegraph *j, const struct svgnames *names)
{
	struct atomic_write file = { .path = j->opt.output };

	if (file.path == NULL) {
		svg_write(&j->opt.svg, j->tree, names, stdout);
		return;
	}
	svg_write(&j->opt.svg, j->tree, names, atomic_write_begin(&file));
	atomic_write_end(&file);
}

/* folddiff tested stacks from the root, so --reverse drops its results. */
static void
find_verdicts(struct flamegraph *j)
{
	if (!j->verdicts.tested)
		return;
	if (!j->opt.svg.reversed)
		verdict_resolve(&j->verdicts, j->tree);
	j->opt.svg.verdicts = &j->verdicts;
	if (j->opt.diff_given)
		return;
	j->opt.svg.diff = SVG_DIFF_JUDGED;
	if (j->opt.svg.reversed)
		cmd_note(j->opt.cmd, "--reverse: no change was tested of "
				     "these stacks; see --diff-colors");
}

static void
draw(struct flamegraph *j)
{
	struct svgnames names;

	finish_tree(j);
	find_verdicts(j);
	if (j->events != NULL)
		event_choice_describe(j->events, &j->stacks.merge.all);
	if (j->opt.has_heat)
		finish_heat(j);
	fill_in(j);
	svgnames_init(&names, j->tree);
	if (j->tree->counts == 2) {
		svgnames_paint_diff(&names);
	} else {
		svgnames_paint(&names, j->tree, j->palette);
		j->opt.cmd->gave_up = palreport_given_up(j->palette, say,
							 j->opt.cmd) > 0;
	}
	write_picture(j, &names);
	svgnames_free(&names);
}

static void
read_palette(struct flamegraph *j)
{
	j->palette = palette_new(j->opt.colors, j->opt.shade);
	if (j->opt.use_map)
		palette_read_map(j->palette, "palette.map");
}

/* With --follow. */

static void
restart(struct stacks *s)
{
	struct flamegraph *j = s->arg;

	fold_clear(j->fold);
}

/* Build the tree of the stacks read so far. */
static void
plant(struct flamegraph *j)
{
	struct fold_stack s;
	size_t at = 0;

	tree_free(j->tree);
	j->tree = tree_new(fold_names(j->fold), j->stacks.counts, false);
	while (fold_next(j->fold, &at, &s)) {
		if (!tree_add(j->tree,
			      j->opt.svg.reversed ? reverse(j, s.id, s.n) :
						    s.id,
			      s.n, s.count))
			errx(2, "the sum exceeds 64 bits");
	}
}

/* Free the names of stacks that are gone, once there may be many. */
static bool
renew_names(struct flamegraph *j)
{
	struct fold *old = j->fold;
	struct intern *names = fold_names(old);
	struct fold_stack s;
	uint32_t *id = NULL;
	size_t at = 0, i, cap = 0;

	if (intern_size(names) <= j->names_limit)
		return false;
	j->fold = fold_new(j->stacks.counts);
	j->stacks.names = fold_names(j->fold);
	while (fold_next(old, &at, &s)) {
		id = mem_grow(id, &cap, s.n, sizeof(*id));
		for (i = 0; i < s.n; i++)
			id[i] = intern_id(j->stacks.names,
					  intern_name(names, s.id[i]));
		fold_add(j->fold, id, s.n, s.count);
	}
	j->names_limit = MANY_NAMES + 2 * intern_size(j->stacks.names);
	fold_free(old);
	free(id);
	return true;
}

/* At the end of a snapshot, draw it as if the input had ended. */
static bool
redraw(struct stacks *s)
{
	struct flamegraph *j = s->arg;
	const struct svg given = j->opt.svg;
	const bool quiet = j->opt.cmd->quiet;

	j->opt.cmd->quiet = true; /* until the last one */
	plant(j);
	draw(j);
	tree_free(j->tree);
	j->tree = NULL;
	svgsummary_free(&j->about);
	buf_free(&j->title);
	j->about = (struct svgsummary){ 0 };
	j->title = (struct buf){ 0 };
	j->opt.svg = given;
	j->opt.cmd->quiet = quiet;
	return renew_names(j);
}

static void
check_follow(struct flamegraph *j)
{
	const struct svgopt *o = &j->opt;

	if (o->svg.refresh > 0 && !o->follow)
		cmd_usage(o->cmd, "--refresh is for --follow");
	if (!o->follow)
		return;
	if (o->output == NULL)
		cmd_usage(o->cmd, "--follow needs a file, -o");
	if (o->has_heat || o->svg.chart)
		cmd_usage(o->cmd, "--follow is not for --heatmap or "
				  "--flamechart");
	j->stacks.restart = restart;
	j->stacks.snapshot_ended = redraw;
	j->names_limit = MANY_NAMES;
}

/* Frames without width are not drawn. */
static void
say_nothing(struct flamegraph *j)
{
	const struct tree *t = j->tree;

	if (j->opt.cmd->tally.bad > 0 ||
	    !count_iszero(tree_total(t, 0, t->counts - 1)))
		return;
	cmd_note(j->opt.cmd, count_iszero(tree_total(t, 0, 0)) ?
				 "no samples" :
				 "no samples after the change");
}

static void
free_job(struct flamegraph *j)
{
	svgopt_free(&j->opt);
	stacks_free(&j->stacks);
	verdict_free(&j->verdicts);
	svgsummary_free(&j->about);
	event_choice_free(j->events);
	buf_free(&j->clock);
	buf_free(&j->title);
	tree_free(j->tree);
	fold_free(j->fold);
	intern_free(j->names);
	palette_free(j->palette);
	free(j->reversed);
}

int
main(int argc, char *argv[])
{
	struct sandbox may = { 0 };
	struct cmd c = { .synopsis = "[options] [file ...]",
			 .summary = "Draw folded stacks as a flame graph.",
			 .options = svgopt_table,
			 .may = &may };
	struct flamegraph j = { .stacks = { .begin = begin,
					    .add = add,
					    .meta = see,
					    .cut_off = cut_off },
				.names = intern_new() };
	int option, status;

	svgopt_init(&j.opt, &c);
	cmd_begin(&c, argc, argv);
	while ((option = cmd_next(&c)) != -1)
		svgopt_set(&j.opt, option);
	if (j.opt.has_heat && j.opt.svg.chart)
		cmd_usage(&c, "--heatmap and --flamechart exclude each other");
	if (!j.opt.has_heat && (j.opt.heat.span > 0 || j.opt.heat.rows > 0))
		cmd_usage(&c, "--column and --rows are for --heatmap");
	if (j.opt.has_heat || j.opt.event != NULL) {
		j.events = event_choice_new(j.opt.event);
		event_choice_at_once(j.events);
		j.stacks.accepts = wants;
		j.stacks.timed = j.opt.has_heat;
	}
	check_follow(&j);
	read_palette(&j);
	may.output = j.opt.output;
	j.stacks.arg = &j;
	j.stacks.counts_option = j.opt.counts;
	cmd_files(&c, read_file, &j.stacks);
	j.opt.svg.refresh = 0;
	if (j.fold != NULL)
		plant(&j);
	if (j.tree == NULL)
		j.tree = tree_new(j.names, 1, false);
	draw(&j);
	say_nothing(&j);
	if (j.events != NULL)
		event_choice_report(j.events, &c, j.tree->n > 1);
	status = cmd_done(&c);
	free_job(&j);
	return status;
}
