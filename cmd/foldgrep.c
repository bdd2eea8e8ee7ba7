/* foldgrep - keep, drop and cut stacks by regular expressions. */
#include "base/mem.h"
#include "base/regex.h"
#include "cli/cmd.h"
#include "folded/stack.h"
#include "folded/stack_filter.h"
#include "folded/waits.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	OPT_COUNTS = CMD_LONG,
	OPT_DEPTH,
	OPT_DROP,
	OPT_FRAME,
	OPT_FROM,
	OPT_MIN_SHARE,
	OPT_RECURSION,
	OPT_REVERSE,
	OPT_STACK,
	OPT_TO,
	OPT_TRIM_IDLE
};

static const struct cmd_option options[] = {
	{ "stack", OPT_STACK, "RE", "keep stacks whose text matches RE",
	  false },
	{ "frame", OPT_FRAME, "RE", "keep stacks with a frame that matches RE",
	  false },
	{ "invert-match", 'v', NULL, "keep stacks that do not match", false },
	{ "ignore-case", 'i', NULL, "ignore case", false },
	{ "trim-idle", OPT_TRIM_IDLE, "[FILE]",
	  "drop stacks that wait for work; see waits(5)", false },
	{ "drop-frame", OPT_DROP, "RE",
	  "remove frames that match RE from stacks", false },
	{ "collapse-recursion", OPT_RECURSION, NULL,
	  "merge recursive calls, direct and mutual", false },
	{ "from", OPT_FROM, "RE",
	  "begin stacks at the first frame that matches RE", false },
	{ "to", OPT_TO, "RE", "end stacks at the first frame that matches RE",
	  false },
	{ "depth", OPT_DEPTH, "N", "keep the N frames nearest to the root",
	  false },
	{ "reverse", OPT_REVERSE, NULL, "write stacks leaf first", false },
	{ "min-share", OPT_MIN_SHARE, "SHARE",
	  "drop stacks below this share: 0.001 or 0.1%", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

/* The options whose patterns a frame may match; --stack takes whole stacks. */
enum part { PART_FRAME, PART_DROP, PART_FROM, PART_TO, PART_STACK, PARTS };

static const int part_option[PARTS] = { [PART_FRAME] = OPT_FRAME,
					[PART_DROP] = OPT_DROP,
					[PART_FROM] = OPT_FROM,
					[PART_TO] = OPT_TO,
					[PART_STACK] = OPT_STACK };

/* The patterns of one option; a frame matches if any of them does. */
struct patterns {
	const char **text;
	struct regex **regex;
	size_t n, cap;
};

struct foldgrep {
	struct cmd cmd;
	struct patterns pattern[PARTS];
	bool invert, ignore_case, recursion, reverse;
	uint64_t depth;
	struct waits *waits; /* NULL without --trim-idle */

	struct stack_filter refold;
	struct intern *names; /* of the stack filter */
	struct stack stack;
	uint8_t *match; /* by name: a bit for each part it matches, and KNOWN */
	size_t match_cap, nmatch;
	uint32_t *id; /* the stack to write */
	size_t id_cap;
	uint64_t emptied;
};

#define KNOWN 0x80

static bool
matches(const struct patterns *p, struct str s)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (regex_find(p->regex[i], s, 0))
			return true;
	}
	return false;
}

/* The parts that a frame matches.  Each name is searched once. */
static unsigned
parts_of(struct foldgrep *job, uint32_t id)
{
	unsigned part;

	job->match = mem_grow(job->match, &job->match_cap, id + (size_t)1, 1);
	for (; job->nmatch <= id; job->nmatch++)
		job->match[job->nmatch] = 0;
	if (job->match[id] == 0) {
		job->match[id] = KNOWN;
		for (part = PART_FRAME; part <= PART_TO; part++) {
			if (matches(&job->pattern[part],
				    intern_name(job->names, id)))
				job->match[id] |= (uint8_t)(1u << part);
		}
	}
	return job->match[id];
}

static bool
is_part(struct foldgrep *job, uint32_t id, enum part part)
{
	return (parts_of(job, id) & 1u << part) != 0;
}

/* Index of the first frame that matches a part, or n. */
static size_t
find_part(struct foldgrep *job, const uint32_t *id, size_t n, enum part part)
{
	size_t i;

	for (i = 0; i < n && !is_part(job, id[i], part); i++)
		continue;
	return i;
}

static bool
is_idle(const struct foldgrep *job)
{
	struct wait_walk walk = { 0 };
	size_t i = job->stack.n;

	while (i > 0 &&
	       waits_step(job->waits,
			  intern_name(job->names, job->stack.id[i - 1]), &walk))
		i--;
	return walk.class == WAIT_IDLE;
}

static bool
is_wanted(struct foldgrep *job, struct str text)
{
	const struct stack *s = &job->stack;
	bool wanted = true;

	if (job->pattern[PART_STACK].n > 0)
		wanted = matches(&job->pattern[PART_STACK], text);
	if (job->pattern[PART_FRAME].n > 0)
		wanted = wanted &&
			 find_part(job, s->id, s->n, PART_FRAME) < s->n;
	if (wanted == job->invert)
		return false;
	return job->waits == NULL || !is_idle(job);
}

/* The limit keeps the work from growing with the square of the depth. */
#define LONGEST_CYCLE 1000

/*
 * Length of the cycle that ends at the last of n frames: the last k frames
 * equal the k frames before them.  0 if there is none.
 */
static size_t
repeated(const uint32_t *id, size_t n)
{
	size_t period;

	for (period = 1; period <= LONGEST_CYCLE && 2 * period <= n; period++) {
		if (id[n - 1 - period] == id[n - 1] &&
		    memcmp(id + n - period, id + n - 2 * period,
			   period * sizeof(*id)) == 0)
			return period;
	}
	return 0;
}

/* Copy the frames that stay to job->id; returns their number. */
static size_t
copy_frames(struct foldgrep *job)
{
	const struct stack *s = &job->stack;
	size_t i, n = 0;

	job->id = mem_grow(job->id, &job->id_cap, s->n, sizeof(*job->id));
	for (i = 0; i < s->n; i++) {
		if (is_part(job, s->id[i], PART_DROP))
			continue;
		job->id[n++] = s->id[i];
		if (job->recursion)
			n -= repeated(job->id, n);
	}
	return n;
}

static void
reverse(uint32_t *id, size_t n)
{
	uint32_t t;
	size_t i;

	for (i = 0; i < n / 2; i++) {
		t = id[i];
		id[i] = id[n - 1 - i];
		id[n - 1 - i] = t;
	}
}

/*
 * A cut may leave at an end what is legal only inside a stack: empty frames,
 * and at the leaf trailing blanks.  Remove these.
 */
static uint32_t *
trim(struct foldgrep *job, uint32_t *id, size_t *n)
{
	struct str last = { NULL, 0 };

	for (; *n > 0; --*n) {
		last = str_rtrim(intern_name(job->names, id[*n - 1]));
		if (last.len > 0)
			break;
	}
	for (; *n > 0 && intern_name(job->names, *id).len == 0; --*n)
		id++;
	if (*n > 0)
		id[*n - 1] = intern_id(job->names, last);
	return id;
}

/* The edited stack, of *n frames; *n may be 0. */
static uint32_t *
cut(struct foldgrep *job, size_t *n)
{
	uint32_t *id;
	size_t all = copy_frames(job), first = 0, end;

	if (job->pattern[PART_FROM].n > 0)
		first = find_part(job, job->id, all, PART_FROM);
	id = job->id + first;
	*n = all - first;
	end = find_part(job, id, *n, PART_TO);
	if (end < *n)
		*n = end + 1;
	if (*n > job->depth)
		*n = (size_t)job->depth;
	if (job->reverse)
		reverse(job->id + first, *n);
	return trim(job, id, n);
}

/* Escape a leading '#', which would turn the line into metadata. */
static void
escape_first(struct foldgrep *job, uint32_t *id)
{
	struct str name = intern_name(job->names, *id);
	struct buf escaped = { 0 };

	if (!str_starts(name, STR("#")))
		return;
	buf_str(&escaped, STR("\\x23"));
	buf_str(&escaped, str_skip(name, 1));
	*id = intern_id(job->names, buf_slice(&escaped));
	buf_free(&escaped);
}

static void
write_line(struct foldgrep *job, const uint32_t *id, size_t n)
{
	struct buf *line = stack_filter_line(&job->refold);
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_char(line, ';');
		buf_str(line, intern_name(job->names, id[i]));
	}
	stack_filter_line_end(&job->refold);
}

/* The table of names is new, so cached matches no longer hold. */
static void
begin(struct stack_filter *r)
{
	struct foldgrep *job = r->arg;

	job->names = r->names;
	job->nmatch = 0;
	stack_forget(&job->stack);
}

static void
take_stack(struct stack_filter *r, const struct folded *f,
	   const struct input *in, bool merge)
{
	struct foldgrep *job = r->arg;
	uint32_t *id;
	size_t n;

	(void)in;
	stack_split(&job->stack, job->names, f->stack);
	if (!is_wanted(job, f->stack))
		return;
	id = cut(job, &n);
	if (n == 0) {
		job->emptied++;
		return;
	}
	escape_first(job, id);
	if (merge)
		stack_filter_add(r, id, n);
	else
		write_line(job, id, n);
}

static void
add_pattern(struct foldgrep *job, enum part part)
{
	struct patterns *p = &job->pattern[part];

	p->text = mem_grow(p->text, &p->cap, p->n + 1, sizeof(*p->text));
	p->text[p->n++] = job->cmd.value;
}

/* Compile after all options are read, because -i applies to all patterns. */
static void
compile(struct foldgrep *job, struct patterns *p)
{
	struct buf why = { 0 };
	size_t i, offset;

	p->regex = mem_zero(p->n, sizeof(struct regex *));
	for (i = 0; i < p->n; i++) {
		p->regex[i] = regex_new(str_of(p->text[i]), job->ignore_case,
					&why, &offset);
		if (p->regex[i] == NULL)
			cmd_usage(&job->cmd, "%s: %.*s at character %zu",
				  p->text[i], (int)why.len, why.p, offset + 1);
	}
}

static void
take_option(struct foldgrep *job, int option)
{
	struct cmd *cmd = &job->cmd;
	int part;

	for (part = 0; part < PARTS; part++) {
		if (option == part_option[part])
			add_pattern(job, (enum part)part);
	}
	if (option == 'v')
		job->invert = true;
	else if (option == 'i')
		job->ignore_case = true;
	else if (option == OPT_RECURSION)
		job->recursion = true;
	else if (option == OPT_REVERSE)
		job->reverse = true;
	else if (option == OPT_TRIM_IDLE)
		job->waits = waits_new(cmd->value);
	else if (option == OPT_MIN_SHARE)
		job->refold.min_share = cmd_share(cmd, "min-share");
	else if (option == OPT_DEPTH &&
		 (!str_u64(str_of(cmd->value), &job->depth) || job->depth == 0))
		cmd_usage(cmd, "--depth is a number of frames, not %s",
			  cmd->value);
	else if (option == OPT_COUNTS)
		job->refold.counts_option = cmd_counts(cmd);
}

/* True if the options can make two stacks equal, whose counts then add up. */
static bool
has_to_merge(const struct foldgrep *job)
{
	return job->pattern[PART_DROP].n + job->pattern[PART_FROM].n +
		       job->pattern[PART_TO].n >
		   0 ||
	       job->recursion || job->reverse || job->depth < UINT64_MAX ||
	       job->refold.min_share > 0;
}

static bool
has_to_drop(const struct foldgrep *job)
{
	return job->pattern[PART_STACK].n + job->pattern[PART_FRAME].n +
		       job->pattern[PART_DROP].n + job->pattern[PART_FROM].n >
		   0 ||
	       job->waits != NULL || job->invert || job->refold.min_share > 0;
}

/* The name of the option that gives the patterns of a part. */
static const char *
part_name(enum part part)
{
	const struct cmd_option *o = options;

	while (o->value != part_option[part])
		o++;
	return o->name;
}

/* Report the share that the output lacks though no option removed it. */
static void
tell(struct foldgrep *job)
{
	int part;
	size_t i;

	if (job->emptied > 0)
		cmd_note(&job->cmd, "dropped %" PRIu64 " %s", job->emptied,
			 str_plural(job->emptied,
				    "stack without any frame left",
				    "stacks without any frame left"));
	for (part = 0; part < PARTS; part++) {
		const struct patterns *p = &job->pattern[part];

		for (i = 0; i < p->n; i++)
			cmd_check_pattern(&job->cmd, part_name((enum part)part),
					  p->regex[i]);
	}
}

static void
free_job(struct foldgrep *job)
{
	int part;
	size_t i;

	for (part = 0; part < PARTS; part++) {
		for (i = 0; i < job->pattern[part].n; i++)
			regex_free(job->pattern[part].regex[i]);
		free(job->pattern[part].regex);
		free(job->pattern[part].text);
	}
	waits_free(job->waits);
	stack_filter_free(&job->refold);
	stack_free(&job->stack);
	free(job->match);
	free(job->id);
}

int
main(int argc, char *argv[])
{
	struct foldgrep job = {
		.cmd = { .synopsis = "[options] [file ...]",
			 .summary = "Filter and edit folded stacks by regular "
				    "expressions.",
			 .options = options },
		.refold = { .begin = begin, .stack = take_stack, .arg = &job },
		.depth = UINT64_MAX
	};
	int option, part, status;

	cmd_begin(&job.cmd, argc, argv);
	while ((option = cmd_next(&job.cmd)) != -1)
		take_option(&job, option);
	/* Without a pattern, -v would keep nothing. */
	if (job.invert &&
	    job.pattern[PART_STACK].n + job.pattern[PART_FRAME].n == 0)
		cmd_usage(&job.cmd, "-v needs --stack or --frame");
	for (part = 0; part < PARTS; part++)
		compile(&job, &job.pattern[part]);
	job.refold.merge = has_to_merge(&job);
	job.refold.drops = has_to_drop(&job);
	cmd_files(&job.cmd, stack_filter_read, &job.refold);
	stack_filter_end(&job.refold);
	if (job.refold.small > 0)
		cmd_note(
		    &job.cmd,
		    "dropped %" PRIu64
		    " stack%s, %.*g %% of the total, that %s below --min-share",
		    job.refold.small, str_plural(job.refold.small, "", "s"),
		    job.refold.small_share < 0.995 ? 2 : 3,
		    100 * job.refold.small_share,
		    str_plural(job.refold.small, "is", "are"));
	tell(&job);
	status = cmd_done(&job.cmd);
	free_job(&job);
	return status;
}
