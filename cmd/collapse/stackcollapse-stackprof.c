/*
 * stackcollapse-stackprof - fold the output of "stackprof --json", for Ruby, of
 * a recording with raw: true.
 */
#include "base/mem.h"
#include "base/u64map.h"
#include "codec/json.h"
#include "reader/collapse.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPT_SRCLINE = CMD_LONG };

static const struct cmd_option options[] = {
	{ "srcline", OPT_SRCLINE, NULL, "add the first line of functions",
	  false },
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

struct stackprof {
	struct input *in;
	struct sink *out;
	struct u64map frames; /* tokens by number of the frame */
	uint32_t unknown;
	uint64_t interval; /* us, 0 if samples are no time */
	int64_t missed;    /* samples without a stack */
	uint32_t *stack;
	size_t stack_cap;
	bool is_time, has_raw;
	struct buf name, file; /* scratch */
};

/* {"name":"Object#f","file":"a.rb","line":7, ...} */
static uint32_t
read_frame(struct stackprof *p, struct json *j)
{
	struct frame frame = { .whole = true };
	struct str key;
	int64_t line = 0;
	bool has_line = false;

	p->name.len = p->file.len = 0;
	if (json_expect(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("name")))
				json_text(j, &p->name);
			else if (str_eq(key, STR("file")))
				json_text(j, &p->file);
			else if (str_eq(key, STR("line")))
				has_line = json_integer(j, &line);
			else
				json_skip(j);
		}
	}
	if (has_line)
		buf_printf(&p->file, ":%" PRId64, line);
	frame.name = buf_slice(&p->name);
	if (with_lines)
		frame.line = buf_slice(&p->file);
	return sink_token(p->out, &frame, 0);
}

/* {"140185":{...}, ...} */
static void
read_frames(struct stackprof *p, struct json *j)
{
	struct str key;
	uint64_t address;

	while (json_key(j, &key)) {
		if (!str_u64(key, &address)) {
			input_bad(p->in, "a frame has no number");
			json_skip(j);
			continue;
		}
		u64map_put(&p->frames, address, read_frame(p, j));
	}
}

static void
push(struct stackprof *p, size_t depth, int64_t count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	p->in->line++;
	if (count < 0) {
		input_bad(p->in, "a negative count");
		return;
	}
	sample_repeat(
	    &sample, (uint64_t)count,
	    p->is_time && p->interval < UINT32_MAX ? p->interval * 1000 : 0);
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, p->stack, depth);
	sink_end(p->out, count_of((uint64_t)count));
}

/* [depth, frame, ..., count, depth, ...], root first. */
static void
read_raw(struct stackprof *p, struct json *j)
{
	int64_t missing = -1, n; /* frames to come; -1 before the depth */
	size_t depth = 0;
	uint32_t token;

	p->has_raw = true;
	while (json_more(j)) {
		if (!json_integer(j, &n)) {
			input_bad(p->in, "raw samples are not numbers");
			continue;
		}
		if (missing > 0) {
			token = p->unknown;
			if (!u64map_get(&p->frames, (uint64_t)n, &token))
				input_bad(p->in,
					  "a sample refers to a missing frame");
			p->stack = mem_grow(p->stack, &p->stack_cap, depth + 1,
					    sizeof(token));
			p->stack[depth++] = token;
			missing--;
		} else if (missing == 0) {
			push(p, depth, n);
			depth = 0;
			missing = -1;
		} else {
			missing = n < 0 ? 0 : n;
		}
	}
	if (missing >= 0)
		input_bad(p->in, "a raw sample is truncated");
}

static void
read_member(struct stackprof *p, struct json *j, struct str key)
{
	int64_t interval;
	struct str mode;

	if (str_eq(key, STR("frames")) && json_enter(j, '{')) {
		read_frames(p, j);
	} else if (str_eq(key, STR("raw")) && json_enter(j, '[')) {
		read_raw(p, j);
	} else if (str_eq(key, STR("missed_samples"))) {
		json_integer(j, &p->missed);
	} else if (str_eq(key, STR("interval"))) {
		if (json_integer(j, &interval) && interval > 0)
			p->interval = (uint64_t)interval;
	} else if (str_eq(key, STR("mode"))) {
		p->is_time = json_string(j, &mode) &&
			     (str_eq(mode, STR("cpu")) ||
			      str_eq(mode, STR("wall")));
	} else {
		json_skip(j);
	}
}

/* Report samples for which stackprof could not read the stack. */
static void
note_missed(struct stackprof *p)
{
	if (p->missed <= 0)
		return;
	p->name.len = 0;
	buf_printf(&p->name, "%" PRId64 " sample%s missed and have no stack",
		   p->missed,
		   str_plural((uint64_t)p->missed, " was", "s were"));
	sink_note(p->out, buf_slice(&p->name));
}

static void
read_stackprof(struct input *in, struct sink *out)
{
	struct stackprof p = { .in = in, .out = out };
	struct json *j = json_new(in);
	struct str key;

	if (json_peek(j) == 4)
		input_bad(
		    in,
		    "Ruby's Marshal format; convert it with stackprof --json");
	in->tally->bad_unit = "sample";
	p.unknown = sink_token(out, &(struct frame){ 0 }, 0);
	if (json_enter(j, '{')) {
		while (json_key(j, &key))
			read_member(&p, j, key);
		if (json_end(j) != NULL)
			input_bad(in, "%s", json_bad(j));
		else if (!p.has_raw)
			input_bad(
			    in,
			    "the file has no stacks; record with raw: true");
		note_missed(&p);
	} else if (json_peek(j) != 0) {
		input_bad(in, "not a stackprof file in JSON");
	}
	json_free(j);
	u64map_free(&p.frames);
	free(p.stack);
	buf_free(&p.name);
	buf_free(&p.file);
}

int
main(int argc, char *argv[])
{
	static const struct reader stackprof = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of Ruby's stackprof, as JSON.",
		.options = options,
		.setopt = set_option,
		.read = read_stackprof
	};

	return collapse_main(argc, argv, &stackprof);
}
