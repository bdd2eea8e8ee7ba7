/*
 * stackcollapse-pmp - fold raw traces of stacksample, or the output of poor
 * man's profilers.
 */
#include "base/arena.h"
#include "base/table.h"
#include "formats/pmptext.h"
#include "formats/stacktrace.h"
#include "interp/interp_plumbing.h"
#include "interp/interp_text.h"
#include "io/spool.h"
#include "jit/jit.h"
#include "perf/codetokens.h"
#include "reader/collapse.h"
#include "symbols/process.h"
#include "symbols/resolve.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	OPT_DEBUG_DIR = CMD_LONG,
	OPT_NATIVE,
	OPT_NO_INLINE,
	OPT_NO_NATIVE,
	OPT_SRCLINE,
	OPT_STATE,
	OPT_SYMFS
};

static const struct cmd_option options[] = {
	{ "state", OPT_STATE, NULL,
	  "add a leaf frame to raw traces: the thread's state", false },
	{ "symfs", OPT_SYMFS, "DIR", "find binaries of raw traces below DIR",
	  false },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR",
	  "find debug files below DIR, not /usr/lib/debug", false },
	{ "native", OPT_NATIVE, NULL, "omit interpreter frames of raw traces",
	  false },
	{ "no-native", OPT_NO_NATIVE, NULL,
	  "keep only interpreter frames of raw traces", false },
	{ "srcline", OPT_SRCLINE, NULL,
	  "add source lines to interpreter frames", false },
	{ "no-inline", OPT_NO_INLINE, NULL, "omit inlined frames of raw traces",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static struct resolve_options resolving;
static bool with_state, native, no_native, with_lines;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_STATE:
		with_state = true;
		break;
	case OPT_SYMFS:
		resolving.places.symfs = arg;
		break;
	case OPT_DEBUG_DIR:
		resolving.places.debug_dir = arg;
		break;
	case OPT_NATIVE:
		native = true;
		break;
	case OPT_NO_NATIVE:
		no_native = true;
		break;
	case OPT_SRCLINE:
		with_lines = true;
		break;
	case OPT_NO_INLINE:
		resolving.no_inlines = true;
		break;
	default:
		return false;
	}
	return true;
}

/* Raw traces. */

/* A function of an interpreted language, by its number in the trace. */
struct trace_function {
	uint32_t number, token;
	struct str language, name, file;
	UT_hash_handle hh;
};

struct raw_trace {
	struct processes *processes;
	struct perf_features features;
	struct resolver *resolver;
	struct jit *jit;
	bool read_ahead; /* the jit has all code of the trace */
	struct codetokens codes;
	struct trace_function *functions;
	struct arena arena; /* of functions */
	uint64_t left_out;  /* samples without functions */
	uint64_t line;      /* used as the time; real times may go back */
	struct buf text;    /* scratch */
};

static void
read_trace_header(struct raw_trace *raw, const struct meta *m)
{
	raw->text.len = 0;
	meta_decode(&raw->text, meta_get(m, "release"));
	raw->features.osrelease = arena_str(&raw->features.arena,
					    buf_slice(&raw->text));
}

/* Turn a process or a mapping into a record of perf. */
static void
add_process(struct raw_trace *raw, const struct stacktrace *t)
{
	struct perf_record r = { .type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = t->pid,
				 .tid = t->pid,
				 .name = t->name };

	if (t->kind == STACKTRACE_MAP) {
		r.type = PERF_RECORD_MMAP2;
		r.misc = PERF_RECORD_MISC_USER;
		r.start = t->start;
		r.len = t->end - t->start;
		r.pgoff = t->offset;
		r.build_id = t->build_id;
		if (r.name.len == 0)
			r.name = STR("//anon");
	}
	process_add(raw->processes, &r, raw->line);
}

/* Add code of a JIT.  A new program of a process ends its old code. */
static void
add_code(struct raw_trace *raw, const struct stacktrace *t)
{
	if (t->kind == STACKTRACE_CODE)
		jit_add_code(raw->jit, t->pid, raw->line, t->start, t->end,
			     t->name);
	else if (jit_has_names(raw->jit, t->pid))
		jit_add_code(raw->jit, t->pid, raw->line, 0, UINT64_MAX,
			     STR(""));
}

/* Make the token of a function, with a line where it is not 0. */
static uint32_t
make_token(struct raw_trace *raw, struct sink *out,
	   const struct trace_function *f, uint32_t line)
{
	struct frame frame = { .whole = true, .kind = FRAME_INTERP };

	raw->text.len = 0;
	interp_text_frame(&raw->text, f->name, f->file, line);
	frame.name = buf_slice(&raw->text);
	return sink_token(out, &frame, 0);
}

/* Add a function, instead of one that had the same number. */
static void
add_function(struct raw_trace *raw, struct sink *out,
	     const struct stacktrace *t)
{
	struct trace_function *f;

	HASH_FIND(hh, raw->functions, &t->function, sizeof(t->function), f);
	if (f == NULL) {
		f = arena_alloc(&raw->arena, sizeof(*f));
		f->number = t->function;
		HASH_ADD(hh, raw->functions, number, sizeof(f->number), f);
	}
	f->language = arena_str(&raw->arena, t->language);
	f->name = arena_str(&raw->arena, t->name);
	f->file = arena_str(&raw->arena, t->file);
	f->token = make_token(raw, out, f, 0);
}

/*
 * A name may come after the first stack that needs it.  So read all names
 * first, unless samples are written while they come.
 */
static void
read_names(struct raw_trace *raw, struct input *in, const struct sink *out)
{
	struct stacktrace_reader *reader;
	struct stacktrace t;
	struct str line;

	if (in->size == 0 && sink_is_stream(out))
		return;
	if (in->size == 0)
		spool(in);
	reader = stacktrace_new();
	while (input_line(in, &line)) {
		raw->line = in->line;
		if (stacktrace_code(reader, line, &t) ||
		    stacktrace_process(reader, line, &t))
			add_code(raw, &t);
	}
	stacktrace_free(reader);
	input_seek(in, 0);
	in->line = 0;
	raw->read_ahead = true;
}

static void
push_word(struct raw_trace *raw, struct sink *out, struct str before,
	  struct str word)
{
	raw->text.len = 0;
	buf_str(&raw->text, before);
	buf_str(&raw->text, word);
	sink_frame(out, &(struct frame){ .name = buf_slice(&raw->text) });
}

static void
push_function(struct raw_trace *raw, struct sink *out,
	      const struct stacktrace_frame *frame)
{
	const struct trace_function unknown = { .name = STR("[unknown]") };
	const struct trace_function *f;
	uint32_t token;

	HASH_FIND(hh, raw->functions, &frame->function, sizeof(frame->function),
		  f);
	if (f == NULL)
		token = make_token(raw, out, &unknown, 0);
	else if (with_lines && frame->line > 0)
		token = make_token(raw, out, f, frame->line);
	else
		token = f->token;
	sink_push(out, &token, 1);
}

/* What kinds of frames a stack has. */
struct stack_kinds {
	bool interpreted; /* functions of an interpreter somewhere, */
	bool callee;      /* and already among the frames that were pushed; */
	bool embedded;    /* native ones that called the last of them, too */
	struct str language; /* of these functions; empty if unknown */
};

static struct stack_kinds
find_kinds(const struct raw_trace *raw, const struct stacktrace *t)
{
	struct stack_kinds kinds = { .language = STR("") };
	const struct trace_function *f;
	size_t i;

	for (i = 0; i < t->n && !native && kinds.language.len == 0; i++) {
		if (!t->frame[i].is_function)
			continue;
		kinds.interpreted = true;
		HASH_FIND(hh, raw->functions, &t->frame[i].function,
			  sizeof(t->frame[i].function), f);
		if (f != NULL)
			kinds.language = f->language;
	}
	return kinds;
}

static void
push_code(struct raw_trace *raw, struct sink *out, const struct code *code,
	  uint64_t address, int flavour, struct stack_kinds *kinds)
{
	enum interp_plumbing_kind kind;
	uint32_t token;

	for (; code != NULL; code = code->outer) {
		kind = interp_plumbing_find(kinds->language, code->name,
					    code->module, kinds->callee);
		if (kind == INTERP_PLUMBING_CALLS ||
		    (kind == INTERP_PLUMBING_START && !kinds->embedded))
			continue;
		token = codetokens_of(&raw->codes, out, code, address, flavour);
		sink_push(out, &token, 1);
		kinds->embedded = kinds->callee;
	}
}

/* The next frame was interrupted by a signal: it did not call this one. */
static bool
is_signal_return(const struct code *code)
{
	return str_eq(code->name, STR("__restore_rt")) ||
	       str_eq(code->name, STR("__restore"));
}

static void
push_thread(struct raw_trace *raw, struct sink *out, const struct stacktrace *t)
{
	const struct stacktrace_frame *f;
	struct stack_kinds kinds = find_kinds(raw, t);
	const struct code *code;
	int flavour = sink_flavour(t->name);
	bool is_return = false;
	size_t i;

	if (with_state)
		push_word(raw, out, STR("state:"), stacktrace_state(t));
	if (t->moving)
		push_word(raw, out, STR("[moving]"), STR(""));
	resolve_at(raw->resolver, t->pid, raw->line);
	for (i = 0; i < t->n; i++) {
		f = &t->frame[i];
		if (f->is_function) {
			if (!native)
				push_function(raw, out, f);
			kinds.callee = true;
			kinds.embedded = false;
			continue;
		}
		code = resolve(raw->resolver, RESOLVE_USER, f->address,
			       is_return);
		is_return = !is_signal_return(code);
		if (!no_native && (native || !f->is_loop))
			push_code(raw, out, code, f->address, flavour, &kinds);
	}
	if (t->unmerged && !native)
		push_word(raw, out, STR("[unmerged]"), STR(""));
	if (t->truncated && !no_native)
		sink_truncated(out);
}

static void
read_thread(struct raw_trace *raw, struct sink *out, const struct stacktrace *t)
{
	struct sample sample = SAMPLE_UNKNOWN;

	sample.time = t->time;
	sample.has_time = true;
	sample.pid = t->pid;
	sample.tid = t->tid;
	sample.comm = t->name;
	sample.unit = STR("samples");
	if (no_native && !find_kinds(raw, t).interpreted) {
		raw->left_out++;
		return;
	}
	if (!sink_begin(out, &sample))
		return;
	push_thread(raw, out, t);
	sink_end(out, (struct count){ 1, 0 });
}

static void
read_line(struct raw_trace *raw, struct sink *out, const struct stacktrace *t,
	  const struct meta *header)
{
	switch (t->kind) {
	case STACKTRACE_HEADER:
		read_trace_header(raw, header);
		break;
	case STACKTRACE_PROCESS:
	case STACKTRACE_MAP:
		add_process(raw, t);
		break;
	case STACKTRACE_FUNCTION:
		add_function(raw, out, t);
		break;
	case STACKTRACE_SAMPLE:
		read_thread(raw, out, t);
		break;
	default:
		break;
	}
	if (!raw->read_ahead &&
	    (t->kind == STACKTRACE_CODE || t->kind == STACKTRACE_PROCESS))
		add_code(raw, t);
}

static void
read_raw(struct input *in, struct sink *out)
{
	struct stacktrace_reader *reader = stacktrace_new();
	struct raw_trace raw = { .processes = process_new(),
				 .jit = jit_new(
				     &(struct jit_options){ .grace = 0 }) };
	struct stacktrace t;
	struct buf line = { 0 };

	resolving.jit = raw.jit;
	raw.resolver = resolve_new(&resolving, raw.processes, &raw.features,
				   &line);
	if (raw.resolver == NULL)
		errx(2, "%.*s", (int)line.len, line.p);
	read_names(&raw, in, out);
	do {
		stacktrace_read(reader, in, &t);
		raw.line = in->line;
		read_line(&raw, out, &t, stacktrace_meta(reader));
	} while (t.kind != STACKTRACE_END);
	if (raw.left_out > 0)
		buf_printf(
		    &line,
		    "%" PRIu64
		    " sample%s without frames of an interpreter, and skipped",
		    raw.left_out, str_plural(raw.left_out, " is", "s are"));
	if (line.len > 0)
		sink_note(out, buf_slice(&line));
	line.len = 0;
	for (; resolve_note(raw.resolver, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	buf_free(&raw.text);
	codetokens_free(&raw.codes);
	HASH_CLEAR(hh, raw.functions);
	arena_free(&raw.arena);
	resolve_free(raw.resolver);
	jit_free(raw.jit);
	process_free(raw.processes);
	perffeat_free(&raw.features);
	stacktrace_free(reader);
}

static void
read_pmp(struct input *in, struct sink *out)
{
	if (stacktrace_magic(input_peek(in, 16)))
		read_raw(in, out);
	else
		pmptext_read(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .reads_all = true, .spills = true };
	static const struct reader pmp = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold raw traces of stacksample, or what poor man's "
			   "profilers print.",
		.clock = "monotonic",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_pmp
	};

	return collapse_main(argc, argv, &pmp);
}
