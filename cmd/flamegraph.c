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
#include "svg/svgsource.h"
#include "svg/svgsummary.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* With --follow: number of names above which unused ones are freed. */
#define MANY_NAMES 65536

/* The options, and what was read. */
struct flamegraph {
	struct svgopt opt;
	struct atomic_write output;
	struct stacks stacks;
	struct intern *names;
	struct tree *tree; /* NULL before the first stack */
	struct fold *fold; /* with --follow: each tree is built from it */
	uint32_t names_limit;
	struct palette *palette;
	struct verdicts verdicts;
	struct svgratio ratio;
	struct svgsummary about;
	struct svgsource source;
	struct event_choice *events; /* NULL: count every event */
	uint64_t untimed;      /* samples left out because they have no time */
	bool began, has_times; /* the first stack was read, and has a time */
	struct timeline times;
	struct buf title, clock; /* from the metadata */
	uint32_t *reversed;
	size_t reversed_cap;
};

static void
begin(struct stacks *s)
{
	struct flamegraph *j = s->arg;

	if (j->opt.has_heat && s->counts == 2)
		errx(2, "--heatmap needs one count per line");
	if (j->opt.ratio.over.len > 0 && s->counts != 2)
		errx(2, "--ratio needs two counts per line, from "
			"stackcollapse-perf --ratio");
	if (j->opt.follow) {
		j->fold = fold_new(s->counts);
		s->names = fold_names(j->fold);
		return;
	}
	s->names = j->names;
	j->tree = tree_new(j->names, s->counts, j->opt.svg.chart);
	j->tree->record_ends = j->opt.has_heat;
}

/* A stream whose first stack has a time gets a timeline above the picture. */
static void
begin_times(struct flamegraph *j, const struct folded *f)
{
	uint64_t time;

	j->began = true;
	j->has_times = j->stacks.any_clock && j->tree->counts == 1 &&
		       meta_ns(&f->own, "time", &time);
	if (j->has_times)
		j->tree->record_ends = true;
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
	if (!j->began)
		begin_times(j, f);
	return j->events == NULL ||
	       event_choice_add_sample(j->events, &f->own, &f->header) !=
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
add_time(struct flamegraph *j, const struct stacks_seen *seen,
	 struct count count)
{
	return seen->is_sample ? timeline_add(&j->times, seen->time, seen->pid,
					      seen->tid, count) :
				 timeline_skip(&j->times);
}

static void
drop_times(struct flamegraph *j, const char *why)
{
	cmd_note(j->opt.cmd, "no timeline: %s", why);
	j->has_times = j->tree->record_ends = false;
	timeline_free(&j->times);
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
	if (j->has_times && !add_time(j, &s->seen, *count))
		drop_times(j, "there are too many samples");
	return true;
}

/* The tree of sorted stacks has no times, no ends of stacks and one count. */
static bool
add_text(struct stacks *s, struct str stack, const struct count *count)
{
	struct flamegraph *j = s->arg;

	return !j->has_times && s->counts == 1 &&
	       tree_add_sorted(j->tree, stack, *count, j->opt.max_frames);
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

	cmd_note(j->opt.cmd,
		 "%s: dropped the last snapshot, which is truncated", in->name);
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
		errx(2, "no times: --heatmap needs a stream of samples; see "
			"stackcollapse-perf --samples");
	if (j->untimed > 0)
		cmd_note(j->opt.cmd, "dropped %" PRIu64 " %s", j->untimed,
			 str_plural(j->untimed, "sample without a time",
				    "samples without a time"));
	if (h->n == 0)
		return;
	if (!heatmap_finish(h, j->tree->end, most))
		errx(2, "--column: would give more than %" PRIu32 " columns",
		     most);
	meta_decode(&j->clock, meta_get(&j->stacks.merge.all, "clock"));
	s->clock = buf_slice(&j->clock);
	s->heat = h;
}

/* The timeline above the picture. */
static void
finish_times(struct flamegraph *j)
{
	if (j->stacks.mixes_clocks) {
		drop_times(j, "the samples have times of several clocks");
		return;
	}
	if (!timeline_finish(&j->times, j->tree)) {
		if (j->times.n > TIMELINE_ENTRIES)
			drop_times(j, "there are too many different stacks");
		return;
	}
	meta_decode(&j->clock, meta_get(&j->stacks.merge.all, "clock"));
	j->opt.svg.clock = buf_slice(&j->clock);
	j->opt.svg.timeline = &j->times;
}

static void
fill_in(struct flamegraph *j)
{
	struct svg *s = &j->opt.svg;

	meta_decode(&j->title, meta_get(&j->stacks.merge.all, "title"));
	if (s->title.len == 0)
		s->title = buf_slice(&j->title);
	if (s->title.len == 0)
		s->title = svgsummary_title(s, j->tree);
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
		cmd_note(
		    j->opt.cmd,
		    "%" PRIu32 " frame%s with %.2f%% of the total %s merged "
		    "into \"(N more)\"; see --max-frames",
		    t->pruned, str_plural(t->pruned, "", "s"),
		    100 * lost / count_double(tree_total(t, 0, t->counts - 1)),
		    str_plural(t->pruned, "is", "are"));
}

static void
say(const char *line, void *arg)
{
	cmd_note(arg, "%s", line);
}

static void
write_picture(struct flamegraph *j, const struct svgnames *names)
{
	if (j->output.path == NULL) {
		svg_write(&j->opt.svg, j->tree, names, stdout);
		return;
	}
	svg_write(&j->opt.svg, j->tree, names, atomic_write_begin(&j->output));
	atomic_write_end(&j->output);
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
		cmd_note(j->opt.cmd, "--reverse: changes of merged leaves are "
				     "not tested; see --diff-colors");
}

static void
find_ratio(struct flamegraph *j)
{
	const struct meta *all = &j->stacks.merge.all;
	struct svg *s = &j->opt.svg;

	if (!svgratio_init(&j->ratio, &j->opt.ratio, j->tree, all))
		return;
	s->diff = SVG_DIFF_RATIO;
	s->ratio = &j->ratio;
	if (s->number.unit.len == 0 && !meta_has(all, "unit"))
		s->number.unit = j->ratio.under;
}

/* Embed the source of the lines that names have. */
static void
find_source(struct flamegraph *j, const struct svgnames *names)
{
	svgsource_free(&j->source);
	svgsource_read(&j->source, names, j->tree, j->opt.source_folder);
	j->opt.svg.source = buf_slice(&j->source.table);
	svgsource_report(&j->source, j->opt.cmd, j->opt.source);
}

static void
draw(struct flamegraph *j)
{
	struct svgnames names;

	finish_tree(j);
	find_verdicts(j);
	find_ratio(j);
	if (j->events != NULL)
		event_choice_describe(j->events, &j->stacks.merge.all);
	if (j->opt.has_heat)
		finish_heat(j);
	if (j->has_times)
		finish_times(j);
	fill_in(j);
	svgnames_init(&names, j->tree);
	if (j->tree->counts == 2) {
		svgnames_paint_diff(&names);
	} else {
		svgnames_paint(&names, j->tree, j->palette);
		j->opt.cmd->gave_up = palreport_given_up(j->palette, say,
							 j->opt.cmd) > 0;
	}
	if (j->opt.source != NULL)
		find_source(j, &names);
	write_picture(j, &names);
	svgnames_free(&names);
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
	if (intern_size(fold_names(j->fold)) <= j->names_limit)
		return false;
	j->fold = fold_renew(j->fold);
	j->stacks.names = fold_names(j->fold);
	j->names_limit = MANY_NAMES + 2 * intern_size(j->stacks.names);
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
	svgratio_free(&j->ratio);
	buf_free(&j->title);
	j->about = (struct svgsummary){ 0 };
	j->title = (struct buf){ 0 };
	j->opt.svg = given;
	j->opt.cmd->quiet = quiet;
	return renew_names(j);
}

static void
prepare_follow(struct flamegraph *j)
{
	if (!j->opt.follow)
		return;
	j->stacks.restart = restart;
	j->stacks.snapshot_ended = redraw;
	j->names_limit = MANY_NAMES;
}

/* Frames without width are not drawn. */
static void
say_nothing(struct flamegraph *j)
{
	const struct tree *t = j->tree;

	if (j->opt.svg.ratio != NULL && j->ratio.whole <= 0 &&
	    !count_iszero(tree_total(t, 0, 1)))
		cmd_note(j->opt.cmd, "no %.*s counted, so all ratios are 0",
			 (int)j->ratio.over.len, j->ratio.over.p);
	if (j->opt.cmd->tally.bad > 0 ||
	    !count_iszero(tree_total(t, 0, t->counts - 1)))
		return;
	if (count_iszero(tree_total(t, 0, 0)))
		cmd_note(j->opt.cmd, "no samples");
	else if (j->opt.svg.ratio != NULL)
		cmd_note(j->opt.cmd, "no %.*s counted, so there is no ratio",
			 (int)j->ratio.under.len, j->ratio.under.p);
	else
		cmd_note(j->opt.cmd, "no samples after the change");
}

static void
free_job(struct flamegraph *j)
{
	atomic_write_stop(&j->output);
	svgopt_free(&j->opt);
	stacks_free(&j->stacks);
	verdict_free(&j->verdicts);
	svgsummary_free(&j->about);
	svgsource_free(&j->source);
	svgratio_free(&j->ratio);
	event_choice_free(j->events);
	buf_free(&j->clock);
	buf_free(&j->title);
	timeline_free(&j->times);
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
			 .most_used = "output title subtitle width minwidth "
				      "colors hash countname reverse inverted "
				      "flamechart diff-colors heatmap "
				      "event-filter source static quiet",
			 .summary = "Draw folded stacks as a flame graph.",
			 .options = svgopt_table,
			 .may = &may };
	struct flamegraph j = { .stacks = { .begin = begin,
					    .add = add,
					    .meta = see,
					    .cut_off = cut_off },
				.names = intern_new() };
	int option, status;

	mem_map_large();
	svgopt_init(&j.opt, &c);
	cmd_begin(&c, argc, argv);
	while ((option = cmd_next(&c)) != -1)
		svgopt_set(&j.opt, option);
	svgopt_check(&j.opt);
	if (j.opt.has_heat || j.opt.event != NULL) {
		j.events = event_choice_new(j.opt.event);
		event_choice_at_once(j.events);
	}
	j.stacks.any_clock = !j.opt.has_heat && !j.opt.no_timeline &&
			     !j.opt.follow;
	j.stacks.timed = j.opt.has_heat || j.stacks.any_clock;
	if (j.stacks.timed || j.events != NULL)
		j.stacks.accepts = wants;
	if (c.nfile <= 1 && j.events == NULL && !j.opt.follow &&
	    !j.opt.svg.reversed && !j.opt.svg.chart)
		j.stacks.add_text = add_text;
	prepare_follow(&j);
	j.palette = svgopt_palette(&j.opt);
	j.output.path = j.opt.output;
	if (j.output.path != NULL)
		atomic_write_start(&j.output);
	may.folder = j.opt.source;
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
