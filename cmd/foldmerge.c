/* foldmerge - add up equal stacks. */
#include "base/mem.h"
#include "base/parallel.h"
#include "cli/cmd.h"
#include "cli/filelist.h"
#include "folded/fold.h"
#include "folded/longline.h"
#include "folded/runfiles.h"
#include "folded/sorted_runs.h"
#include "folded/stacks.h"
#include "os/cpus.h"
#include "stream/sourceopt.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	OPT_COUNTS = CMD_LONG,
	OPT_FILES,
	OPT_HASH,
	OPT_MAX_LINE,
	OPT_MEMORY,
	OPT_META,
	OPT_MIN,
	OPT_SORTED,
	OPT_THREADS,
	OPT_TSV
};

static const struct cmd_option options[] = {
	{ "min", OPT_MIN, "COUNT", "drop stacks below COUNT", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ "meta", OPT_META, NULL, "begin the output with metadata", false },
	{ "sorted", OPT_SORTED, NULL,
	  "merge sorted inputs in the memory of a line each", false },
	{ "memory", OPT_MEMORY, "BYTES",
	  "use TMPDIR beyond BYTES (default: a quarter of RAM)", false },
	{ "threads", OPT_THREADS, "N",
	  "use up to N threads (default: one per CPU)", false },
	{ "tsv", OPT_TSV, NULL, "write tables: stack, tab, count", false },
	{ "hash", OPT_HASH, NULL, "with --tsv, write the stack's hash first",
	  false },
	{ "max-line", OPT_MAX_LINE, "N",
	  "truncate stacks to lines of at most N bytes", false },
	{ "files0-from", OPT_FILES, "FILE",
	  "read the files named in FILE, separated by NUL", false },
	{ NULL, 0, NULL, NULL, false }
};

struct foldmerge {
	struct cmd cmd;
	struct foldout form; /* how lines are written */
	bool sorted, with_meta;
	const char *list; /* file with the names of inputs */
	struct buf names; /* its contents */
	size_t max_stack; /* longest stack in bytes, 0: no limit */
	uint64_t memory;  /* bytes */
	unsigned threads; /* 0: those that pay */

	struct sourceopt live;

	char **next; /* first sorted input that is not open yet */
	struct stacks stacks;
	struct fold *fold; /* NULL before the first stack */
	struct runfiles runs;
	struct longline longline;
	uint64_t shortened;
};

static void
begin(struct stacks *s)
{
	struct foldmerge *job = s->arg;

	job->fold = fold_new(s->counts);
	s->names = fold_names(job->fold);
}

/* A sum beyond 64 bits is reported after all input is read. */
static bool
add(struct stacks *s, const uint32_t *id, size_t n, const struct count *count)
{
	struct foldmerge *job = s->arg;

	if (job->max_stack > 0 &&
	    longline_cut(&job->longline, s->names, &id, &n, job->max_stack))
		job->shortened++;
	fold_add(job->fold, id, n, count);
	return true;
}

static void
cut_off(struct stacks *s, const struct input *in)
{
	struct foldmerge *job = s->arg;

	cmd_note(&job->cmd, "%s: dropped the last snapshot, which is truncated",
		 in->name);
}

static void
check_sums(struct foldmerge *job)
{
	if (job->fold != NULL && !fold_fits(job->fold))
		errx(CMD_ERROR, "the counts of a stack add up to more than "
				"64 bits");
}

/* Print the stacks so far. */
static void
print(struct foldmerge *job, struct foldout *out)
{
	fold_threads(job->fold,
		     cpus_fit(job->threads > 0 ? job->threads : cpus_usable()));
	fold_print(job->fold, out);
}

/* Write the stacks so far to disk as a sorted run. */
static void
spill(struct foldmerge *job)
{
	struct foldout out;

	check_sums(job);
	job->runs.counts = job->stacks.counts;
	runfiles_begin(&job->runs, &out);
	print(job, &out);
	runfiles_end(&job->runs, &out);
	fold_free(job->fold);
	job->fold = NULL;
}

/* Sorting needs half as much memory again. */
static bool
make_room(struct stacks *s)
{
	struct foldmerge *job = s->arg;

	if (fold_memory(job->fold) <= job->memory / 3 * 2)
		return false;
	spill(job);
	begin(s);
	return true;
}

static void
read_file(struct input *in, void *arg)
{
	stacks_read(arg, in);
}

/* Counts per line, from the stacks; without stacks, from the headers. */
static int
counts_of(const struct foldmerge *job, const struct meta_merge *merge)
{
	uint64_t n = (uint64_t)job->runs.counts;

	if (n == 0)
		meta_u64(&merge->all, "counts", &n);
	return n == 2 ? 2 : 1;
}

/* Print the header.  Profiles with two counts have one, tables never. */
static void
write_header(struct foldmerge *job, struct meta_merge *merge)
{
	const int counts = counts_of(job, merge);

	job->form.counts = counts;
	if (!count_iszero(job->form.min))
		meta_unset(&merge->all, "n");
	if (job->with_meta || (counts == 2 && !job->form.tsv))
		meta_merge_print(merge, counts, &job->form.text);
}

/* Add up in memory; spill to disk what exceeds the limit. */
static void
merge_all(struct foldmerge *job)
{
	cmd_files(&job->cmd, read_file, &job->stacks);
	check_sums(job);
	job->runs.counts = job->stacks.counts;
	write_header(job, &job->stacks.merge);
	if (job->runs.n > 0) {
		spill(job);
		runfiles_write(&job->runs, &job->form);
	} else if (job->fold != NULL) {
		print(job, &job->form);
	}
	fold_free(job->fold);
}

/* Merge the headers of the sorted inputs. */
static void
merge_headers(struct meta_merge *merge, const struct sorted_runs *r)
{
	const struct sorted_runs_input *i;
	const char *reason;

	for (i = r->input; i < r->input + r->n; i++) {
		meta_merge_begin(merge, &i->f.header);
		if (i->more)
			meta_merge_stack(merge, &i->f.own, i->f.count[0]);
		reason = meta_merge_end(merge);
		if (reason != NULL)
			errx(CMD_ERROR, "%s: this profile cannot be merged: %s",
			     i->in.name, reason);
	}
}

/* Open the next n inputs and merge their headers. */
static void
open_runs(struct foldmerge *job, struct sorted_runs *r,
	  struct meta_merge *merge)
{
	size_t i;

	r->input = mem_zero(r->n, sizeof(*r->input));
	r->counts = job->runs.counts;
	for (i = 0; i < r->n; i++)
		r->input[i] = (struct sorted_runs_input){
			.name = *job->next++,
			.counts = job->stacks.counts_option
		};
	sorted_runs_open(r, &job->cmd.tally);
	merge_headers(merge, r);
	job->runs.counts = r->counts;
}

static void
merge_runs(struct sorted_runs *r, struct foldout *out)
{
	struct count sum[2];
	size_t start;

	while (start = out->text.len, sorted_runs_next(r, &out->text, sum))
		foldout_line(out, start, sum);
	if (r->bad != NULL)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": %s: --sorted needs sorted profiles",
		     r->bad->in.name, r->bad_line, r->reason);
	sorted_runs_close(r);
	free(r->input);
}

/* Merge more inputs than can be open at once: first to runs, then these. */
static void
merge_rounds(struct foldmerge *job, size_t n, size_t most)
{
	struct meta_merge merge = { 0 };
	struct foldout round;
	struct sorted_runs runs;

	for (; n > 0; n -= runs.n) {
		runs = (struct sorted_runs){ .n = n < most ? n : most };
		open_runs(job, &runs, &merge);
		runfiles_begin(&job->runs, &round);
		merge_runs(&runs, &round);
		runfiles_end(&job->runs, &round);
	}
	write_header(job, &merge);
	runfiles_write(&job->runs, &job->form);
	meta_merge_free(&merge);
}

static void
merge_sorted(struct foldmerge *job)
{
	static char standard[] = "-";
	char *alone[] = { standard };
	size_t n = (size_t)job->cmd.nfile, most = sorted_runs_most();
	struct sorted_runs runs = { .n = n > 0 ? n : 1 };
	struct meta_merge merge = { 0 };

	cmd_confine(&job->cmd, 0);
	job->next = n > 0 ? job->cmd.file : alone;
	if (n > most) {
		merge_rounds(job, n, most);
		return;
	}
	open_runs(job, &runs, &merge);
	write_header(job, &merge);
	merge_runs(&runs, &job->form);
	meta_merge_free(&merge);
}

/* Longest stack of a line: what blanks, counts and LF leave. */
static size_t
stack_room(const struct foldmerge *job, uint64_t line)
{
	const size_t counts = 2 * sizeof(" 18446744073709551615.999999");

	if (line < 2 * counts)
		cmd_usage(&job->cmd, "--max-line is at least %zu", 2 * counts);
	return line - counts;
}

static unsigned
read_threads(const struct cmd *cmd)
{
	uint64_t n;

	if (!str_u64(str_of(cmd->value), &n) || n == 0 || n > PARALLEL_MAX)
		cmd_usage(cmd, "--threads is from 1 to %d, not %s",
			  PARALLEL_MAX, cmd->value);
	return (unsigned)n;
}

static void
take_option(struct foldmerge *job, int option)
{
	struct cmd *cmd = &job->cmd;

	if (sourceopt_set(&job->live, cmd, option))
		return;
	if (option == OPT_META)
		job->with_meta = true;
	else if (option == OPT_MIN &&
		 count_parse(str_of(cmd->value), &job->form.min) != COUNT_OK)
		cmd_usage(cmd, "--min is a count, not %s", cmd->value);
	else if (option == OPT_COUNTS)
		job->stacks.counts_option = cmd_counts(cmd);
	else if (option == OPT_SORTED)
		job->sorted = true;
	else if (option == OPT_TSV)
		job->form.tsv = true;
	else if (option == OPT_HASH)
		job->form.hash = true;
	else if (option == OPT_THREADS)
		job->threads = read_threads(cmd);
	else if (option == OPT_FILES)
		job->list = cmd->value;
	else if (option == OPT_MEMORY)
		job->memory = cmd_size(cmd, "memory");
	else if (option == OPT_MAX_LINE) {
		job->max_stack = stack_room(job, cmd_size(cmd, "max-line"));
	}
}

static uint64_t
quarter_of_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) *
	       (uint64_t)sysconf(_SC_PAGESIZE) / 4;
}

/* Check options that depend on each other. */
static void
check_options(const struct foldmerge *job)
{
	const struct cmd *cmd = &job->cmd;

	if (job->form.hash && !job->form.tsv)
		cmd_usage(cmd, "--hash needs --tsv");
	if (job->sorted && job->max_stack > 0)
		cmd_usage(cmd,
			  "--max-line changes the order: not with --sorted");
	sourceopt_check(&job->live, cmd);
	if (job->live.sources.tick.every > 0 &&
	    (job->sorted || job->form.tsv || job->max_stack > 0 ||
	     !count_iszero(job->form.min)))
		cmd_usage(cmd, "--every writes a stream: not with --sorted, "
			       "--tsv, --max-line or --min");
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	struct foldmerge job = {
		.cmd = { .synopsis = "[options] [file ...]",
			 .summary =
			     "Merge identical stacks and add their counts.",
			 .options = options,
			 .more = sourceopt_table,
			 .may = &may },
		.form = { .out = stdout },
		.memory = quarter_of_memory(),
		.stacks = { .begin = begin,
			    .add = add,
			    .batch_done = make_room,
			    .cut_off = cut_off,
			    .arg = &job },
	};
	int option;

	sourceopt_init(&job.live);
	cmd_begin(&job.cmd, argc, argv);
	while ((option = cmd_next(&job.cmd)) != -1)
		take_option(&job, option);
	check_options(&job);
	if (job.list != NULL)
		filelist_read(&job.cmd, job.list, &job.names);
	job.live.sources.counts = job.stacks.counts_option;
	if (job.live.sources.tick.every > 0)
		sources_read(&job.live.sources, &job.cmd);
	else if (job.sorted)
		merge_sorted(&job);
	else
		merge_all(&job);
	foldout_end(&job.form);
	if (job.shortened > 0)
		cmd_note(&job.cmd,
			 "%" PRIu64 " stack%s too long for --max-line: "
			 "replaced callers by [truncated]",
			 job.shortened,
			 str_plural(job.shortened, " was", "s were"));
	runfiles_free(&job.runs);
	buf_free(&job.names);
	longline_free(&job.longline);
	stacks_free(&job.stacks);
	return cmd_done(&job.cmd);
}
