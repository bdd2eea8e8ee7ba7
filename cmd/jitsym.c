/* jitsym - name the frames of JIT code in folded text. */
#include "cmd.h"
#include "folded.h"
#include "jitopt.h"
#include "mem.h"
#include "name.h"
#include "resort.h"
#include "tokens.h"
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

/* Ways to write one name: for Java or not, marked _[j] or not. */
enum { WAY_JAVA = 1, WAY_MARKED = 2, WAYS = 4 };

/* A recent answer about a sum of samples. */
struct recent {
	uint64_t address;
	int64_t pid;
	int way;         /* one more than the way, 0 for no answer */
	bool shared;     /* between owners */
	struct str text; /* empty if there is no name */
};

#define RECENT ((size_t)1 << 14)

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
	struct intern *names;
	struct tokens *tokens;
	struct str *text[WAYS]; /* by the numbers of symbols */
	size_t cap[WAYS];
	struct recent *recent;

	/* Of the stack. */
	bool known; /* whether this is: */
	uint64_t time;
	int64_t process;
	bool shared; /* it touched an address of several owners */

	struct buf line, name;
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

/* Names. */

/* The frames that a symbol's name stands for, with ';' between them. */
static struct str
make_text(struct job *job, const struct jit_symbol *symbol, int way)
{
	struct frame frame = { .name = symbol->name };
	struct ids ids = { 0 };
	uint32_t token;
	size_t i;

	frame.kind = way & WAY_MARKED ? FRAME_JIT : FRAME_USER;
	token = tokens_make(job->tokens, &frame, (way & WAY_JAVA) != 0);
	tokens_names(job->tokens, &ids, &token, 1, true);
	job->name.len = 0;
	for (i = 0; i < ids.n; i++) {
		if (i > 0)
			buf_char(&job->name, ';');
		buf_str(&job->name, intern_name(job->names, ids.id[i]));
	}
	free(ids.id);
	return intern_name(job->names,
			   intern_id(job->names, buf_slice(&job->name)));
}

static struct str
text_of(struct job *job, const struct jit_symbol *symbol, int way)
{
	struct str **text = &job->text[way];
	size_t old = job->cap[way];

	if (symbol->number >= old) {
		*text = mem_grow(*text, &job->cap[way],
				 (size_t)symbol->number + 1, sizeof(**text));
		memset(*text + old, 0, (job->cap[way] - old) * sizeof(**text));
	}
	if ((*text)[symbol->number].len == 0)
		(*text)[symbol->number] = make_text(job, symbol, way);
	return (*text)[symbol->number];
}

/* The name of what is at an address; empty if there is none. */
static struct str
ask(struct job *job, uint64_t address, int way)
{
	struct jit_symbol symbol;

	if (!jit_find(job->jit, job->process, job->time, address, &symbol))
		return STR("");
	return text_of(job, &symbol, way);
}

/* The same of a sum of samples, in which addresses come again and again. */
static struct str
ask_again(struct job *job, uint64_t address, int way)
{
	uint64_t hash = (address ^ (uint64_t)job->process << 40) *
			0x9e3779b97f4a7c15u;
	struct recent *r = &job->recent[hash >> 50 & (RECENT - 1)];

	if (r->address != address || r->pid != job->process ||
	    r->way != way + 1) {
		r->address = address;
		r->pid = job->process;
		r->way = way + 1;
		r->text = ask(job, address, way);
		r->shared = r->text.len > 0 &&
			    jit_is_shared(job->jit, job->process, address);
	}
	job->shared |= r->shared;
	return r->text;
}

/*
 * Whether a frame is where a call returns to, so that the call lies before
 * it: not if it is the leaf, or if the kernel interrupted it.
 */
static bool
is_return(struct str callee)
{
	char suffix;

	frame_name(callee, &suffix);
	return callee.len > 0 && suffix != 'k' &&
	       !str_starts(callee, STR("asm_"));
}

/* Append what a frame without a name becomes. */
static void
put_unnamed(struct job *job, const struct folded *f, struct str frame,
	    struct str callee, const struct unnamed *u)
{
	uint64_t address = u->address;
	struct str text;
	int way = str_starts(f->stack, STR("java")) ? WAY_JAVA : 0;

	if (!job->known) {
		job->known = true;
		job->time = time_of(job, f);
		job->process = pid_of(job, f, u->module);
	}
	if (job->mark || u->suffix == 'j')
		way |= WAY_MARKED;
	address -= address > 0 && is_return(callee);
	text = job->time == JIT_LAST ? ask_again(job, address, way) :
				       ask(job, address, way);
	job->frames++;
	job->named += text.len > 0;
	if (text.len > 0 || !job->drop) {
		buf_str(&job->line, text.len > 0 ? text : frame);
		return;
	}
	name_missing(&job->line, u->module, NULL);
	if (u->suffix != 0)
		buf_printf(&job->line, "_[%c]", u->suffix);
}

/* The stack with names, in job->line; false if it stays as it is. */
static bool
name_stack(struct job *job, const struct folded *f)
{
	struct str rest = f->stack, frame, after;
	const char *p;
	struct unnamed u;
	size_t copied = 0;

	job->line.len = 0;
	job->shared = job->known = false;
	while ((p = str_find(rest, '[')) != NULL) {
		rest = str_range(p, f->stack.p + f->stack.len);
		if (p > f->stack.p && p[-1] != ';') {
			rest = str_skip(rest, 1);
			continue;
		}
		after = rest;
		frame = str_cut(&after, ';');
		rest = str_skip(rest, frame.len);
		if (!unnamed_parse(frame, &u))
			continue;
		if (!u.has_address) {
			job->bare++;
			continue;
		}
		buf_add(&job->line, f->stack.p + copied,
			(size_t)(p - f->stack.p) - copied);
		put_unnamed(job, f, frame, str_cut(&after, ';'), &u);
		copied = (size_t)(p - f->stack.p) + frame.len;
	}
	if (copied == 0)
		return false;
	buf_str(&job->line, str_skip(f->stack, copied));
	job->shared_lines += job->shared;
	return true;
}

/* Output. */

static void
take_stack(struct job *job, const struct folded *f)
{
	struct str stack = f->stack;

	if (name_stack(job, f))
		stack = buf_slice(&job->line);
	resort_stack(job->out, f->stack, stack, f->count, f->counts);
}

static void
read_folded(struct input *in, void *arg)
{
	struct job *job = arg;
	struct folded f = { .counts = job->counts };
	enum folded_kind kind;

	resort_begin(job->out);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			take_stack(job, &f);
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
			 "%" PRIu64 " frames without a name have no address "
			 "either: fold with --addrs",
			 job->bare);
	if (job->named < job->frames)
		cmd_note(cmd, "%" PRIu64 " of %" PRIu64 " frames have no name",
			 job->frames - job->named, job->frames);
	if (job->shared_lines > 0)
		cmd_note(cmd,
			 "%" PRIu64 " stacks touched an address that several "
			 "functions had: the last one gave the name; fold with "
			 "--samples to know better",
			 job->shared_lines);
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
		if (strcmp(c->value, "1") != 0 && strcmp(c->value, "2") != 0)
			cmd_usage(c, "--counts is 1 or 2, not %s", c->value);
		job->counts = *c->value - '0';
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
	job->names = intern_new();
	job->tokens = tokens_new(job->names, names);
	job->recent = mem_zero(RECENT, sizeof(*job->recent));
	job->out = resort_new(stdout);
}

static void
end(struct job *job)
{
	int i;

	jit_free(job->jit);
	jitopt_free(&job->files);
	tokens_free(job->tokens);
	intern_free(job->names);
	for (i = 0; i < WAYS; i++)
		free(job->text[i]);
	free(job->recent);
	resort_free(job->out);
	buf_free(&job->line);
	buf_free(&job->name);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] [file ...]",
			   .summary = "Name the frames of JIT code in folded "
				      "text.",
			   .options = options };
	struct job job = { .cmd = &cmd, .search = true, .pid = -1 };
	struct token_options names = { .jit = true, .addrs = true };
	int value;

	cmd_begin(&cmd, argc, argv);
	while ((value = cmd_next(&cmd)) != -1)
		set_option(&job, &names, value);
	begin(&job, &names);
	cmd_files(&cmd, read_folded, &job);
	resort_end(job.out);
	if (job.asked)
		jit_ask_jvm(job.jit, job.pid);
	say_rest(&job);
	end(&job);
	return cmd_done(&cmd);
}
