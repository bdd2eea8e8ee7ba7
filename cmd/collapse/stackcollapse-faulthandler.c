/*
 * stackcollapse-faulthandler - fold the tracebacks of Python's faulthandler,
 * from dump_traceback_later(), register() or a crash:
 *
 *	Thread 0x00007f1b2c (most recent call first):
 *	  File "/a.py", line 12 in f
 */
#include "base/mem.h"
#include "formats/pyframe.h"
#include "reader/collapse.h"

#include <stdlib.h>

enum { OPT_SRCLINE = CMD_LONG };

static const struct cmd_option options[] = {
	{ "srcline", OPT_SRCLINE, NULL, "add source lines to frames", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_lines;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_lines |= value == OPT_SRCLINE;
	return value == OPT_SRCLINE;
}

/* Limit of frames in a traceback; since 3.13 no line marks that it was cut. */
enum { MAX_FRAMES = 100 };

struct traceback {
	bool is_open, is_truncated;
	int64_t thread;
	uint32_t *token;
	size_t n, cap;
	size_t nfiles; /* frames with a file */
	struct buf text;
};

/*
 * "Thread 0x00007f1b2c [name] (most recent call first):", "Current thread ...",
 * "Stack ...".  PyPy adds ", approximate line numbers):".
 */
static bool
is_head(struct str line, int64_t *thread)
{
	const char *p;
	struct str rest;
	uint64_t n;

	*thread = -1;
	if (!str_starts(line, STR("Thread 0x")) &&
	    !str_starts(line, STR("Current thread 0x")) &&
	    !str_starts(line, STR("Stack (most recent call first")))
		return false;
	p = str_search(line, STR(" 0x"));
	if (p != NULL) {
		rest = str_range(p + 3, line.p + line.len);
		if (str_hex(str_cut(&rest, ' '), &n) && n <= INT64_MAX)
			*thread = (int64_t)n;
	}
	return true;
}

static void
end_traceback(struct traceback *t, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;

	sample.tid = t->thread;
	if (t->is_open && sink_begin(out, &sample)) {
		sink_push(out, t->token, t->n);
		if (t->is_truncated || t->nfiles == MAX_FRAMES)
			sink_truncated(out);
		sink_end(out, count_of(1));
	}
	t->is_open = t->is_truncated = false;
	t->n = t->nfiles = 0;
}

static void
add_frame(struct traceback *t, struct input *in, struct sink *out,
	  struct str line)
{
	struct frame frame = { .whole = true };

	if (str_eq(line, STR("...")) || str_starts(line, STR("<"))) {
		/* "<no Python frame>" or "<freed frame>" */
		t->is_truncated = t->nfiles > 0;
		return;
	}
	if (str_eq(line, STR("Garbage-collecting"))) {
		frame.name = STR("[gc]");
	} else if (pyframe_print(&t->text, line, with_lines)) {
		frame.name = buf_slice(&t->text);
		t->nfiles++;
	} else {
		input_bad(in, "not a Python frame");
		return;
	}
	t->token = mem_grow(t->token, &t->cap, t->n + 1, sizeof(*t->token));
	t->token[t->n++] = sink_token(out, &frame, 0);
}

static void
read_faulthandler(struct input *in, struct sink *out)
{
	const uint64_t good = in->tally->good;
	struct traceback t = { 0 };
	int64_t thread;
	struct str line;

	while (input_line(in, &line)) {
		line = str_rtrim(str_without_cr(line));
		if (is_head(line, &thread)) {
			end_traceback(&t, out);
			t.is_open = true;
			t.thread = thread;
		} else if (t.is_open && str_starts(line, STR("  "))) {
			add_frame(&t, in, out, str_trim(line));
		} else {
			end_traceback(&t, out); /* "Timeout (0:00:01)!" */
		}
	}
	end_traceback(&t, out);
	if (in->tally->good == good && in->line > 0)
		input_bad(in, "not a faulthandler traceback");
	free(t.token);
	buf_free(&t.text);
}

int
main(int argc, char *argv[])
{
	static const struct reader faulthandler = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the tracebacks of Python's faulthandler.",
		.options = options,
		.setopt = set_option,
		.read = read_faulthandler
	};

	return collapse_main(argc, argv, &faulthandler);
}
