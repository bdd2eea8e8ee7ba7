/*
 * stackcollapse-bpftrace - fold the maps by kstack and ustack that bpftrace
 * prints:
 *
 *	@samples[bash,
 *	    read+17
 *	    main+5
 *	, 4242]: 3
 */
#include "base/mem.h"
#include "formats/tracer_stack.h"
#include "reader/collapse.h"

#include <stdlib.h>

struct map_entry {
	uint32_t *token; /* of frames, leaf first, then of keys */
	size_t n, cap;
	struct buf name; /* of the map, as "@" */
	struct buf keys; /* text before the stack */
	bool is_open;
};

static void
push(struct map_entry *e, struct sink *out, const struct frame *frame)
{
	e->token = mem_grow(e->token, &e->cap, e->n + 1, sizeof(*e->token));
	e->token[e->n++] = sink_token(out, frame, 0);
}

/* Push keys, separated by commas, as frames at the root. */
static void
push_keys(struct map_entry *e, struct sink *out, struct str keys)
{
	struct frame frame = { .whole = true };

	while (keys.len > 0) {
		frame.name = str_trim(str_cut(&keys, ','));
		if (frame.name.len > 0)
			push(e, out, &frame);
	}
}

/* Whether a key is empty: a stack without frames. */
static bool
has_empty_key(struct str keys)
{
	const char *comma;

	do {
		comma = str_find(keys, ',');
		if (str_trim(str_cut(&keys, ',')).len == 0)
			return true;
	} while (comma != NULL);
	return false;
}

/* Parse the end of an entry, "]: 3", perhaps with keys before it. */
static bool
is_end(struct str line, struct str *keys, struct count *count)
{
	struct str at = line;
	const char *p, *last = NULL;

	while ((p = str_search(at, STR("]: "))) != NULL) {
		last = p;
		at = str_skip(at, (size_t)(p + 1 - at.p));
	}
	if (last == NULL)
		return false;
	*keys = str_range(line.p, last);
	return count_parse(str_range(last + 3, line.p + line.len), count) ==
	       COUNT_OK;
}

static void
end_entry(struct map_entry *e, struct sink *out, struct str keys,
	  struct count count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	/* Maps count different things, as events do. */
	sample.event = buf_slice(&e->name);
	push_keys(e, out, keys);
	push_keys(e, out, buf_slice(&e->keys));
	if (e->n == 0)
		push(e, out, &(struct frame){ 0 });
	if (sink_begin(out, &sample)) {
		sink_push(out, e->token, e->n);
		sink_end(out, count);
	}
	e->n = 0;
	e->is_open = false;
}

/* Begin an entry with "@name["; *line is then the rest.  False if it is none.
 */
static bool
begin_entry(struct map_entry *e, struct str *line)
{
	if (!str_starts(*line, STR("@")) || str_find(*line, '[') == NULL)
		return false;
	e->name.len = e->keys.len = 0;
	buf_str(&e->name, str_cut(line, '['));
	e->n = 0;
	e->is_open = true;
	return true;
}

/*
 * "main+5" of "main+5@/src/c++17/a.c:41", and "f" of "f@/src/a.c:12".  Names
 * and paths may contain an '@'.
 */
static struct str
without_source(struct str s)
{
	const char *end = s.p + s.len, *at = str_find(s, '@'), *p = s.p;
	const char *colon = s.len == 0 ? NULL : memrchr(s.p, ':', s.len);
	uint64_t n;

	if (at == NULL || colon == NULL || colon < at ||
	    !str_u64(str_range(colon + 1, end), &n))
		return s;
	while ((p = str_find(str_range(p, end), '+')) != NULL) {
		for (p++; p < end && str_isdigit(*p); p++)
			continue;
		if (p < end && *p == '@' && str_isdigit(p[-1]))
			return str_range(s.p, p);
	}
	return str_range(s.p, at);
}

/*
 * Parse a frame:
 * - "    main+5";
 * - ustack(perf): a tab, the address, "main+5 (/bin/a)" or "f (inlined)";
 * - ustack(raw): the address at the start of the line;
 * - with debug information: "    main+5@/src/a.c:41", and for a function
 * inlined into it "    [inlined] f@/src/a.c:12".
 */
static void
parse_frame(struct str line, struct frame *frame)
{
	const struct str mark = STR("[inlined] ");
	struct str s = str_trim(line), rest = s;
	const char *module;

	if (!str_starts(line, STR("\t")) && !str_starts(line, STR(" "))) {
		frame->has_addr = str_hex(s, &frame->addr);
		if (frame->has_addr)
			return;
	}
	if (str_starts(line, STR("\t")) &&
	    str_hex(str_cut(&rest, ' '), &frame->addr)) {
		frame->has_addr = true;
		s = rest;
		module = s.len == 0 ? NULL : memrchr(s.p, '(', s.len);
		if (module != NULL && str_ends(s, STR(")"))) {
			frame->module = str_range(module + 1, s.p + s.len - 1);
			s = str_rtrim(str_range(s.p, module));
			if (str_eq(frame->module, STR("inlined")))
				frame->kind = FRAME_INLINE;
		}
	} else {
		s = without_source(s);
	}
	if (str_starts(s, mark)) {
		frame->kind = FRAME_INLINE;
		s = str_skip(s, mark.len);
	}
	tracer_stack_frame(s, frame);
}

/* "Attaching 1 probe...", "@name: 5", "@name[" */
static bool
is_of_bpftrace(struct str line)
{
	return str_starts(line, STR("Attach")) ||
	       (str_starts(line, STR("@")) &&
		(str_find(line, ':') != NULL || str_find(line, '[') != NULL));
}

static void
read_line(struct map_entry *e, struct input *in, struct sink *out,
	  struct str line)
{
	struct frame frame = { 0 };
	struct count count;
	struct str keys, whole = line;
	bool begins = str_starts(line, STR("@"));

	if (begins && e->is_open)
		input_bad(in, "an entry is not terminated");
	if (begins && !begin_entry(e, &line))
		return; /* a map without a stack */
	if (!e->is_open)
		return; /* other output of the script */
	line = str_trim(line);
	if (is_end(line, &keys, &count)) {
		if (begins && !has_empty_key(keys))
			e->is_open = false; /* a map without a stack */
		else
			end_entry(e, out, keys, count);
	} else if (begins) {
		buf_str(&e->keys, line);
	} else if (line.len > 0 && !str_eq(line, STR(","))) {
		parse_frame(whole, &frame);
		push(e, out, &frame);
	}
}

static void
read_bpftrace(struct input *in, struct sink *out)
{
	struct map_entry e = { 0 };
	bool is_known = false, is_other = false;
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		is_known |= is_of_bpftrace(line);
		is_other |= str_trim(line).len > 0;
		read_line(&e, in, out, line);
	}
	if (e.is_open)
		input_bad(in, "an entry is not terminated");
	else if (is_other && !is_known)
		input_bad(in, "not a map printed by bpftrace");
	free(e.token);
	buf_free(&e.name);
	buf_free(&e.keys);
}

int
main(int argc, char *argv[])
{
	static const struct reader bpftrace = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the maps of stacks that bpftrace prints.",
		.read = read_bpftrace
	};

	return collapse_main(argc, argv, &bpftrace);
}
