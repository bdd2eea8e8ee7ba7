/* jitsym - name the frames of JIT code in folded text. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "folded/folded.h"
#include "folded/name.h"
#include "folded/sorted_filter.h"
#include "folded/unnamed.h"
#include "jit/jit_discover.h"
#include "jit/jitopt.h"
#include "jit/jvm.h"
#include "perf/jitnames.h"

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
	{ "pid", OPT_PID, "PID", "process, if the input does not name one",
	  false },
	{ "no-search", OPT_NO_SEARCH, NULL,
	  "use the named files only, no /tmp/perf-PID.map", false },
	{ "symfs", OPT_SYMFS, "DIR", "search for files below DIR", false },
	{ "jit", OPT_JIT, NULL, "mark frames that were named _[j]", false },
	{ "args", OPT_ARGS, NULL, "keep the arguments of functions", false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, "do not demangle names",
	  false },
	{ "drop-addrs", OPT_DROP, NULL,
	  "drop addresses of frames without a name", false },
	{ "counts", OPT_COUNTS, "1|2",
	  "number of counts per line, without metadata", false },
	{ NULL, 0, NULL, NULL, false }
};

/* A frame that has an address and no name. */
struct unnamed_frame {
	struct str frame;
	struct unnamed unnamed;
	struct jitnames_place place;
	uint32_t text; /* the name found, or JITNAMES_NONE */
};

struct jitsym {
	struct cmd *cmd;
	struct jitopt files;
	struct jit *jit;
	const char *symfs;
	bool search, mark, drop_addrs;
	int counts;
	int64_t pid;     /* of --pid, or -1 */
	bool is_running; /* it is a running JVM, which wrote a map */

	struct sorted_filter *out;
	struct jitnames *names;
	struct unnamed_frame *frame; /* of the current stack */
	size_t n, cap;
	struct buf line;
	bool clock_noted;
	uint64_t unnamed, named; /* frames with an address; with a name now */
	uint64_t bare;           /* frames without address and name */
	uint64_t shared_stacks;  /* stacks with an ambiguous address */
};

/* Processes. */

/* Search for the files of a process; false if there are none. */
static bool
has_names(struct jitsym *job, int64_t pid)
{
	if (pid < 0)
		return false;
	if (job->search)
		jit_discover_search(job->jit, pid, job->symfs);
	return jit_has_names(job->jit, pid);
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
 * The process of a stack, or -1.  A pid in the metadata comes first.  A number
 * in the root frame may be something else, so it counts only if there are names
 * for it.
 */
static int64_t
find_pid(struct jitsym *job, const struct folded *f, struct str module)
{
	struct str rest = f->stack, root = str_cut(&rest, ';');
	int64_t pid = meta_pid(f), other;

	if (pid >= 0)
		return has_names(job, pid) ? pid : -1;
	other = unnamed_root_pid(root);
	if (has_names(job, other))
		return other;
	if (job->pid >= 0)
		return has_names(job, job->pid) ? job->pid : -1;
	pid = unnamed_module_pid(module);
	if (pid >= 0)
		return has_names(job, pid) ? pid : -1;
	return other < 0 ? jit_store_only(jit_files(job->jit)) : -1;
}

/* Times. */

/* The time of a stack; JIT_LAST if it is a sum of many samples. */
static uint64_t
find_time(struct jitsym *job, const struct folded *f)
{
	struct str clock = meta_get(&f->header, "clock");
	uint64_t time;

	if (!meta_ns(&f->own, "time", &time))
		return JIT_LAST;
	if (clock.len == 0 || str_eq(clock, STR("perf")) ||
	    str_eq(clock, STR("monotonic")))
		return time;
	if (!job->clock_noted)
		cmd_note(job->cmd, "the clocks of stream and jitdumps differ: "
				   "using the last code at each address");
	job->clock_noted = true;
	return JIT_LAST;
}

/* Frames. */

/*
 * Whether the address of a frame is where a call returns to, so that the call
 * is before it.  It is not in the leaf, or in code that the kernel interrupted.
 */
static bool
is_return(struct str callees)
{
	struct str callee = str_cut(&callees, ';');
	char suffix;

	folded_frame_name(callee, &suffix);
	return callee.len > 0 && suffix != 'k' &&
	       !str_starts(callee, STR("asm_"));
}

static void
add_frame(struct jitsym *job, const struct unnamed *parts, struct str frame,
	  struct str callees)
{
	struct unnamed_frame *u;

	job->frame = mem_grow(job->frame, &job->cap, job->n + 1,
			      sizeof(*job->frame));
	u = &job->frame[job->n++];
	*u = (struct unnamed_frame){ .frame = frame, .unnamed = *parts };
	u->place.is_call = parts->address > 0 && is_return(callees);
	u->place.address = parts->address - u->place.is_call;
	u->place.marked = job->mark || parts->suffix == 'j';
}

/* List the frames of a stack that have an address and no name. */
static void
find_frames(struct jitsym *job, struct str stack)
{
	struct str rest = stack, frame, after;
	struct unnamed parts;
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
		if (!unnamed_parse(frame, &parts))
			continue;
		if (parts.has_address)
			add_frame(job, &parts, frame, after);
		else
			job->bare++;
	}
}

/*
 * Find the names of all frames.  The first loop prefetches them from a large
 * table.
 */
static void
name_frames(struct jitsym *job, const struct folded *f)
{
	bool java = str_starts(f->stack, STR("java")), shared = false;
	int64_t pid = find_pid(job, f, job->frame[0].unnamed.module);
	uint64_t time = find_time(job, f);
	struct unnamed_frame *u, *end = job->frame + job->n;

	for (u = job->frame; u < end; u++) {
		u->place.java = java;
		u->place.pid = pid;
		u->place.time = time;
		jitnames_prepare(job->names, &u->place);
	}
	for (u = job->frame; u < end; u++) {
		u->text = jitnames_find(job->names, &u->place);
		shared |= u->place.shared;
		job->named += u->text != JITNAMES_NONE;
	}
	job->unnamed += job->n;
	job->shared_stacks += shared;
}

/* Append a frame with its name, if it has one now. */
static void
put_frame(struct jitsym *job, const struct unnamed_frame *u)
{
	if (u->text != JITNAMES_NONE) {
		buf_str(&job->line, jitnames_text(job->names, u->text));
	} else if (!job->drop_addrs) {
		buf_str(&job->line, u->frame);
	} else {
		name_missing(&job->line, u->unnamed.module, NULL);
		if (u->unnamed.suffix != 0)
			buf_printf(&job->line, "_[%c]", u->unnamed.suffix);
	}
}

/* The stack with names; valid until the next call. */
static struct str
name_stack(struct jitsym *job, const struct folded *f)
{
	const char *copied = f->stack.p, *end = copied + f->stack.len;
	const struct unnamed_frame *u;

	find_frames(job, f->stack);
	if (job->n == 0)
		return f->stack;
	name_frames(job, f);
	job->line.len = 0;
	for (u = job->frame; u < job->frame + job->n; u++) {
		buf_str(&job->line, str_range(copied, u->frame.p));
		put_frame(job, u);
		copied = u->frame.p + u->frame.len;
	}
	buf_str(&job->line, str_range(copied, end));
	return buf_slice(&job->line);
}

/* Output. */

static void
read_folded(struct input *in, void *arg)
{
	struct jitsym *job = arg;
	struct folded f = { .counts = job->counts };
	enum folded_kind kind;

	sorted_filter_begin(job->out);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			sorted_filter_stack(job->out, f.stack,
					    name_stack(job, &f), f.count,
					    f.counts);
		else if (kind == FOLDED_META)
			sorted_filter_meta(job->out, f.line, f.is_header);
		else if (kind == FOLDED_BLANK)
			sorted_filter_blank(job->out);
	}
	folded_free(&f);
}

/* Note the frames without names, and why. */
static void
add_notes(struct jitsym *job)
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
	if (job->named < job->unnamed)
		cmd_note(cmd, "%" PRIu64 " of %" PRIu64 " frame%s no name",
			 job->unnamed - job->named, job->unnamed,
			 str_plural(job->unnamed, " has", "s have"));
	if (job->shared_stacks > 0)
		cmd_note(cmd,
			 "%" PRIu64 " stack%s ran at an address that several "
			 "functions used: named after the last one; "
			 "fold with --samples for exact names",
			 job->shared_stacks,
			 str_plural(job->shared_stacks, "", "s"));
}

static void
parse_pid(struct jitsym *job, const char *s)
{
	uint64_t pid;

	if (!str_u64(str_of(s), &pid) || pid > INT32_MAX)
		cmd_usage(job->cmd, "--pid is a process id, not %s", s);
	job->pid = (int64_t)pid;
}

static void
set_option(struct jitsym *job, struct token_options *names, int value)
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
		job->drop_addrs = true;
		break;
	case OPT_COUNTS:
		job->counts = cmd_counts(c);
		break;
	default:
		if (!jitopt_set(&job->files, value, c->value))
			cmd_usage(c, "bad argument: %s", c->value);
	}
}

static void
begin(struct jitsym *job, const struct token_options *names)
{
	struct buf why = { 0 };

	job->jit = jitopt_open(&job->files, job->pid, &why);
	if (job->jit == NULL)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	if (job->pid >= 0 && job->search && job->symfs == NULL)
		job->is_running = jit_discover_jvm(job->jit, job->pid);
	job->names = jitnames_new(job->jit, names);
	job->out = sorted_filter_new(stdout);
}

static void
end(struct jitsym *job)
{
	jitnames_free(job->names);
	jit_free(job->jit);
	jitopt_free(&job->files);
	sorted_filter_free(job->out);
	free(job->frame);
	buf_free(&job->line);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .reads_all = true };
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Name the frames of JIT code in folded "
				      "text.",
			   .options = options,
			   .may = &may };
	struct jitsym job = { .cmd = &cmd, .search = true, .pid = -1 };
	struct token_options names = { .jit = true, .addrs = true };
	int value;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1)
		set_option(&job, &names, value);
	begin(&job, &names);
	/* For another map at the end. */
	if (job.is_running && !jvm_broker_start())
		err(CMD_ERROR, "fork");
	cmd_files(&cmd, read_folded, &job);
	sorted_filter_end(job.out);
	if (job.is_running)
		jit_discover_jvm(job.jit, job.pid);
	add_notes(&job);
	end(&job);
	return cmd_done(&cmd);
}
