/* jitsym - name the frames of JIT code in folded text. */
#include "cmd.h"
#include "folded.h"
#include "jitnames.h"
#include "jitopt.h"
#include "mem.h"
#include "name.h"
#include "resort.h"
#include "unnamed.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	OPT_ARGS = CMD_LONG,
	OPT_COUNTS,
	OPT_DROP,
	OPT_JIT,
	OPT_NO_DEMANGLE,
	OPT_NO_SEARCH,
	OPT_PID,
	OPT_SYMFS
};

static const struct cmd_option options[] = {
	JIT_OPTIONS,
	{ "pid", OPT_PID, "PID", "the process, where the input says none",
	  false },
	{ "no-search", OPT_NO_SEARCH, NULL,
	  "use the named files only, no /tmp/perf-PID.map", false },
	{ "symfs", OPT_SYMFS, "DIR", "search below DIR, not here", false },
	{ "jit", OPT_JIT, NULL, "annotate what was named with _[j]", false },
	{ "args", OPT_ARGS, NULL, "keep the arguments of functions", false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL,
	  "leave names as the JIT wrote them", false },
	{ "drop-addrs", OPT_DROP, NULL,
	  "leave out the addresses of what was not named", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "counts a line, where no metadata says so", false },
	{ NULL, 0, NULL, NULL, false }
};

/* A frame of a stack that has no name yet. */
struct spot {
	struct str frame;
	struct unnamed unnamed;
	struct jitnames_place place;
	uint32_t text;
};

struct job {
	struct cmd *cmd;
	struct jitopt files;
	struct jit *jit;
	const char *symfs;
	bool search, mark, drop;
	int counts;
	int64_t pid; /* of --pid, or -1 */
	bool asked;  /* it is a JVM that told of its code */

	struct resort *out;
	struct jitnames *names;
	struct spot *spot; /* of the stack, n of them */
	size_t n, cap;
	struct buf line;
	bool clock_said; /* that times are of no use */
	uint64_t frames, named, bare, shared_lines;
};

/* Processes. */

/* Whether there are names for a process; they are looked for first. */
static bool
knows(struct job *job, int64_t pid)
{
	if (pid < 0)
		return false;
	if (job->search)
		jit_search(job->jit, pid, job->symfs);
	return jit_knows(job->jit, pid);
}

static int64_t
meta_pid(const struct folded *f)
{
	uint64_t pid;

	if (!meta_u64(&f->own, "pid", &pid) &&
	    !meta_u64(&f->header, "pid", &pid))
		return -1;
	return pid <= INT32_MAX ? (int64_t)pid : -1;
}

/*
 * Whose frame it is.  What the profile says comes first; a number that is
 * only part of a name is no process's if nobody knows of it.
 */
static int64_t
pid_of(struct job *job, const struct folded *f, struct str module)
{
	struct str rest = f->stack, root = str_cut(&rest, ';');
	int64_t pid = meta_pid(f), other;

	if (pid >= 0)
		return knows(job, pid) ? pid : -1;
	other = unnamed_root_pid(root);
	if (knows(job, other))
		return other;
	if (job->pid >= 0)
		return knows(job, job->pid) ? job->pid : -1;
	pid = unnamed_module_pid(module);
	if (pid >= 0)
		return knows(job, pid) ? pid : -1;
	return other < 0 ? jit_only(job->jit) : -1;
}

/* Times. */

/* When the stack was; JIT_LAST for a sum of many samples. */
static uint64_t
time_of(struct job *job, const struct folded *f)
{
	struct str clock = meta_get(&f->header, "clock");
	uint64_t time;

	if (!meta_ns(&f->own, "time", &time))
		return JIT_LAST;
	if (clock.len == 0 || str_eq(clock, STR("perf")) ||
	    str_eq(clock, STR("monotonic")))
		return time;
	if (!job->clock_said)
		cmd_note(job->cmd,
			 "the stream's clock is not that of jitdumps: the last "
			 "code at an address gives the name");
	job->clock_said = true;
	return JIT_LAST;
}

/* Frames. */

/*
 * Whether a frame is where a call returns to, so that the call lies before
 * it: not if it is the leaf, or if the kernel interrupted it.
 */
static bool
is_return(struct str callees)
{
	struct str callee = str_cut(&callees, ';');
	char suffix;

	frame_name(callee, &suffix);
	return callee.len > 0 && suffix != 'k' &&
	       !str_starts(callee, STR("asm_"));
}

/* Take a frame that has an address. */
static void
add_spot(struct job *job, const struct unnamed *u, struct str frame,
	 struct str callees)
{
	struct spot *s;

	job->spot = mem_grow(job->spot, &job->cap, job->n + 1,
			     sizeof(*job->spot));
	s = &job->spot[job->n++];
	*s = (struct spot){ .frame = frame, .unnamed = *u };
	s->place.address = u->address - (u->address > 0 && is_return(callees));
	s->place.marked = job->mark || u->suffix == 'j';
}

static void
find_spots(struct job *job, struct str stack)
{
	struct str rest = stack, frame, after;
	struct unnamed u;
	const char *p;

	job->n = 0;
	while ((p = str_find(rest, '[')) != NULL) {
		rest = str_range(p, stack.p + stack.len);
		if (p > stack.p && p[-1] != ';') {
			rest = str_skip(rest, 1);
			continue;
		}
		after = rest;
		frame = str_cut(&after, ';');
		rest = str_skip(rest, frame.len);
		if (!unnamed_parse(frame, &u))
			continue;
		if (u.has_address)
			add_spot(job, &u, frame, after);
		else
			job->bare++;
	}
}

/* Ask for all names; the table they lie in is large. */
static void
name_spots(struct job *job, const struct folded *f)
{
	bool java = str_starts(f->stack, STR("java")), shared = false;
	int64_t pid = pid_of(job, f, job->spot[0].unnamed.module);
	uint64_t time = time_of(job, f);
	struct spot *s, *end = job->spot + job->n;

	for (s = job->spot; s < end; s++) {
		s->place.java = java;
		s->place.pid = pid;
		s->place.time = time;
		jitnames_prepare(job->names, &s->place);
	}
	for (s = job->spot; s < end; s++) {
		s->text = jitnames_find(job->names, &s->place);
		shared |= s->place.shared;
		job->named += s->text != NO_NAME;
	}
	job->frames += job->n;
	job->shared_lines += shared;
}

/* Append what a frame becomes. */
static void
put_spot(struct job *job, const struct spot *s)
{
	if (s->text != NO_NAME) {
		buf_str(&job->line, jitnames_text(job->names, s->text));
	} else if (!job->drop) {
		buf_str(&job->line, s->frame);
	} else {
		name_missing(&job->line, s->unnamed.module, NULL);
		if (s->unnamed.suffix != 0)
			buf_printf(&job->line, "_[%c]", s->unnamed.suffix);
	}
}

/* The stack with names; valid until the next one. */
static struct str
name_stack(struct job *job, const struct folded *f)
{
	const char *copied = f->stack.p, *end = copied + f->stack.len;
	const struct spot *s;

	find_spots(job, f->stack);
	if (job->n == 0)
		return f->stack;
	name_spots(job, f);
	job->line.len = 0;
	for (s = job->spot; s < job->spot + job->n; s++) {
		buf_str(&job->line, str_range(copied, s->frame.p));
		put_spot(job, s);
		copied = s->frame.p + s->frame.len;
	}
	buf_str(&job->line, str_range(copied, end));
	return buf_slice(&job->line);
}

/* Output. */

static void
read_folded(struct input *in, void *arg)
{
	struct job *job = arg;
	struct folded f = { .counts = job->counts };
	enum folded_kind kind;

	resort_begin(job->out);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			resort_stack(job->out, f.stack, name_stack(job, &f),
				     f.count, f.counts);
		else if (kind == FOLDED_META)
			resort_meta(job->out, f.line, f.is_header);
		else if (kind == FOLDED_BLANK)
			resort_blank(job->out);
	}
	folded_free(&f);
}

/* What was not named, and why. */
static void
say_rest(struct job *job)
{
	const struct cmd *cmd = job->cmd;
	struct buf line = { 0 };

	for (; jit_note(job->jit, &line); line.len = 0)
		cmd_note(cmd, "%.*s", (int)line.len, line.p);
	buf_free(&line);
	job->cmd->partial = jit_bad(job->jit) > 0;
	if (job->bare > 0)
		cmd_note(cmd,
			 "%" PRIu64 " %s no address either: fold with --addrs",
			 job->bare,
			 str_plural(job->bare, "frame without a name has",
				    "frames without a name have"));
	if (job->named < job->frames)
		cmd_note(cmd, "%" PRIu64 " of %" PRIu64 " frame%s no name",
			 job->frames - job->named, job->frames,
			 str_plural(job->frames, " has", "s have"));
	if (job->shared_lines > 0)
		cmd_note(cmd,
			 "%" PRIu64 " stack%s touched an address that several "
			 "functions had: the last one gave the name; fold with "
			 "--samples to know better",
			 job->shared_lines,
			 str_plural(job->shared_lines, "", "s"));
}

static void
parse_pid(struct job *job, const char *s)
{
	uint64_t pid;

	if (!str_u64(str_of(s), &pid) || pid > INT32_MAX)
		cmd_usage(job->cmd, "--pid is a process id, not %s", s);
	job->pid = (int64_t)pid;
}

static void
set_option(struct job *job, struct token_options *names, int value)
{
	struct cmd *c = job->cmd;

	switch (value) {
	case OPT_PID:
		parse_pid(job, c->value);
		break;
	case OPT_NO_SEARCH:
		job->search = false;
		break;
	case OPT_SYMFS:
		job->symfs = c->value;
		break;
	case OPT_JIT:
		job->mark = true;
		break;
	case OPT_ARGS:
		names->args = true;
		break;
	case OPT_NO_DEMANGLE:
		job->files.options.mangled = true;
		break;
	case OPT_DROP:
		job->drop = true;
		break;
	case OPT_COUNTS:
		job->counts = cmd_counts(c);
		break;
	default:
		if (!jitopt_take(&job->files, value, c->value))
			cmd_usage(c, "bad argument: %s", c->value);
	}
}

static void
begin(struct job *job, const struct token_options *names)
{
	struct buf why = { 0 };

	job->jit = jitopt_open(&job->files, job->pid, &why);
	if (job->jit == NULL)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	if (job->pid >= 0 && job->search && job->symfs == NULL)
		job->asked = jit_ask_jvm(job->jit, job->pid);
	job->names = jitnames_new(job->jit, names);
	job->out = resort_new(stdout);
}

static void
end(struct job *job)
{
	jitnames_free(job->names);
	jit_free(job->jit);
	jitopt_free(&job->files);
	resort_free(job->out);
	free(job->spot);
	buf_free(&job->line);
}

int
main(int argc, char *argv[])
{
	static const struct confine may = { .reads_all = true };
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Name the frames of JIT code in folded "
				      "text.",
			   .options = options,
			   .may = &may };
	struct job job = { .cmd = &cmd, .search = true, .pid = -1 };
	struct token_options names = { .jit = true, .addrs = true };
	int value;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1)
		set_option(&job, &names, value);
	begin(&job, &names);
	cmd.unconfined = job.asked; /* it is asked again at the end */
	cmd_files(&cmd, read_folded, &job);
	resort_end(job.out);
	if (job.asked)
		jit_ask_jvm(job.jit, job.pid);
	say_rest(&job);
	end(&job);
	return cmd_done(&cmd);
}
