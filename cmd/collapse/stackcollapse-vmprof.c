/*
 * stackcollapse-vmprof - fold a profile of vmprof, for CPython, PyPy and
 * Monte's Typhon.
 *
 * Sources: src/vmprof_common.c and vmprof/reader.py of vmprof-python.
 */
#include "base/mem.h"
#include "base/u64map.h"
#include "folded/script_name.h"
#include "reader/collapse.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPT_LINES = CMD_LONG };

static const struct cmd_option options[] = {
	{ "lines", OPT_LINES, NULL,
	  "add lines that ran, or first lines of functions", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_lines;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_lines |= value == OPT_LINES;
	return value == OPT_LINES;
}

/* The first byte of a record. */
enum {
	MARK_SAMPLE = 1,
	MARK_SYMBOL = 2,
	MARK_END = 3,
	MARK_OLD = 4, /* of PyPy before 2015, without a header */
	MARK_HEADER = 5,
	MARK_START = 6,
	MARK_META = 7,
	MARK_NATIVE = 8
};

/* Additional parts of samples.  Before version 4 the version implies them. */
enum { MODE_MEMORY = 1, MODE_LINES = 2, MODE_RPYTHON = 8 };
enum { VERSION_RPYTHON = 2, VERSION_MEMORY, VERSION_MODE };

/* The word before an address of PyPy. */
enum {
	KIND_CODE = 1,
	KIND_BLACKHOLE,
	KIND_JIT,
	KIND_JITTING,
	KIND_GC,
	KIND_ASSEMBLER,
	KIND_NATIVE
};

enum { TIME = 24 }; /* bytes of seconds, microseconds and a zone */

/* "py:function:line:file"; the token is for the last kind and line. */
struct vmprof_symbol {
	struct str text;
	uint32_t token, kind;
	uint64_t line;
	bool has_token;
};

struct vmprof {
	struct input *in;
	struct sink *out;
	struct str rest;
	unsigned word, address; /* sizes in bytes */
	unsigned version, mode;
	uint64_t period; /* us */
	struct u64map by_address;
	struct vmprof_symbol *symbol;
	size_t n, cap;
	uint32_t *stack;
	size_t depth, stack_cap;
	struct buf text;
};

/* Cut off a little-endian number of some bytes. */
static bool
cut_number(struct vmprof *p, unsigned bytes, uint64_t *n)
{
	unsigned i;

	if (p->rest.len < bytes)
		return false;
	*n = 0;
	for (i = bytes; i > 0; i--)
		*n = *n << 8 | (unsigned char)p->rest.p[i - 1];
	p->rest = str_skip(p->rest, bytes);
	return true;
}

static bool
cut_bytes(struct vmprof *p, uint64_t n, struct str *bytes)
{
	if (n > p->rest.len)
		return false;
	*bytes = (struct str){ p->rest.p, (size_t)n };
	p->rest = str_skip(p->rest, (size_t)n);
	return true;
}

static bool
cut_string(struct vmprof *p, struct str *s)
{
	uint64_t n;

	return cut_number(p, p->word, &n) && cut_bytes(p, n, s);
}

/*
 * Five words: 0, 3, 0, the period in microseconds, and 1 if words are shorter
 * than addresses, as on Windows.
 */
static bool
read_start(struct vmprof *p)
{
	static const char zeros[8];
	uint64_t word[5];
	int i;

	p->word = p->rest.len >= 8 && memcmp(p->rest.p, zeros, 8) == 0 ? 8 : 4;
	for (i = 0; i < 5; i++) {
		if (!cut_number(p, p->word, &word[i]))
			return false;
	}
	p->period = word[3];
	p->address = p->word == 4 && word[4] == 1 ? 8 : p->word;
	return word[0] == 0 && word[1] == 3 && word[2] == 0 && word[4] <= 1 &&
	       p->period < UINT32_MAX;
}

/* The version is in network byte order. */
static bool
read_header(struct vmprof *p)
{
	struct str name;
	uint64_t high, low, n;

	if (!cut_number(p, 1, &high) || !cut_number(p, 1, &low))
		return false;
	p->version = (unsigned)(high << 8 | low);
	n = p->version == VERSION_RPYTHON ? MODE_RPYTHON :
	    p->version == VERSION_MEMORY  ? MODE_MEMORY :
					    0;
	if (p->version >= VERSION_MODE && !cut_number(p, 1, &n))
		return false;
	p->mode = (unsigned)n;
	return cut_number(p, 1, &n) && cut_bytes(p, n, &name);
}

static bool
read_symbol(struct vmprof *p, bool store)
{
	struct vmprof_symbol symbol = { 0 };
	uint64_t address;

	if (!cut_number(p, p->address, &address) ||
	    !cut_string(p, &symbol.text))
		return false;
	if (!store)
		return true;
	u64map_put(&p->by_address, address, (uint32_t)p->n);
	p->symbol = mem_grow(p->symbol, &p->cap, p->n + 1, sizeof(symbol));
	p->symbol[p->n++] = symbol;
	return true;
}

/* The token of a frame without a symbol, by its kind. */
static uint32_t
unnamed(struct vmprof *p, uint64_t address, uint64_t kind)
{
	static const char *const names[] = {
		[KIND_BLACKHOLE] = "blackhole", [KIND_JIT] = "jit",
		[KIND_JITTING] = "jitting",     [KIND_GC] = "gc",
		[KIND_ASSEMBLER] = "jit",       [KIND_NATIVE] = "native"
	};
	struct frame frame = { .addr = address, .has_addr = true };

	if (kind > KIND_CODE && kind <= KIND_NATIVE)
		frame.module = str_of(names[kind]);
	else if (kind == 0 && (address & 1) != 0)
		frame.module = STR("native"); /* CPython marks them so */
	return sink_token(p->out, &frame, 0);
}

/* The token of "function (file:line)"; the function may contain colons. */
static uint32_t
named(struct vmprof *p, struct vmprof_symbol *s, uint32_t kind, uint64_t line)
{
	struct str name = s->text, file = { 0 }, first = { 0 };
	const char *colon;
	char number[32];

	if (s->has_token && s->kind == kind && s->line == line)
		return s->token;
	str_cut(&name, ':');
	if (name.len > 0 && (colon = memrchr(name.p, ':', name.len)) != NULL) {
		file = str_range(colon + 1, name.p + name.len);
		name = str_range(name.p, colon);
	}
	if (name.len > 0 && (colon = memrchr(name.p, ':', name.len)) != NULL) {
		first = str_range(colon + 1, name.p + name.len);
		name = str_range(name.p, colon);
	}
	if (str_eq(file, STR("-")))
		file.len = 0;
	snprintf(number, sizeof(number), "%" PRIu64, line);
	p->text.len = 0;
	script_name_print(&p->text, name.len > 0 ? name : s->text, file,
			  !with_lines ? STR("") :
			  line > 0    ? str_of(number) :
					first);
	s->token = sink_token(
	    p->out,
	    &(struct frame){ .name = buf_slice(&p->text),
			     .whole = true,
			     .kind = kind == KIND_JIT ||
					     kind == KIND_ASSEMBLER ?
					 FRAME_JIT :
					 FRAME_USER },
	    0);
	s->has_token = true;
	s->kind = kind;
	s->line = line;
	return s->token;
}

static void
push_frame(struct vmprof *p, uint64_t address, uint64_t kind, uint64_t line)
{
	uint32_t i, token;

	if (line > INT32_MAX || !with_lines)
		line = 0; /* -1 is an unknown line */
	if (kind > KIND_NATIVE)
		kind = 0;
	token = u64map_get(&p->by_address, address, &i) ?
		    named(p, &p->symbol[i], (uint32_t)kind, line) :
		    unnamed(p, address, kind);
	p->stack = mem_grow(p->stack, &p->stack_cap, p->depth + 1,
			    sizeof(*p->stack));
	p->stack[p->depth++] = token;
}

/* Read the words of a stack, leaf first; some modes have pairs of words. */
static bool
read_stack(struct vmprof *p, uint64_t n)
{
	bool pairs = (p->mode & (MODE_LINES | MODE_RPYTHON)) != 0;
	bool is_pypy = (p->mode & MODE_RPYTHON) != 0;
	uint64_t address = 0, what = 0, i;

	p->depth = 0;
	if (n > p->rest.len / p->address || (pairs && n % 2 != 0))
		return false;
	for (i = 0; i < n; i += 1 + pairs) {
		if (pairs)
			cut_number(p, p->address, &what);
		cut_number(p, p->address, &address);
		push_frame(p, address, is_pypy ? what : 0, is_pypy ? 0 : what);
	}
	return true;
}

static bool
read_sample(struct vmprof *p, bool push)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t count, depth, thread = 0, memory;
	struct str skipped;

	if (!cut_number(p, p->word, &count) || !cut_number(p, p->word, &depth))
		return false;
	if (push) {
		if (!read_stack(p, depth))
			return false;
	} else if (depth > p->rest.len / p->address ||
		   !cut_bytes(p, depth * p->address, &skipped)) {
		return false;
	}
	if (p->version >= 1 && !cut_number(p, p->address, &thread))
		return false;
	if ((p->mode & MODE_MEMORY) != 0 && !cut_number(p, p->address, &memory))
		return false;
	if (!push)
		return true;
	sample.tid = thread > 0 && thread <= INT64_MAX ? (int64_t)thread : -1;
	sample_repeat(&sample, count, p->period * 1000);
	if (!sink_begin(p->out, &sample))
		return true;
	sink_push(p->out, p->stack, p->depth);
	sink_end(p->out, count_of(count));
	return true;
}

static bool
read_record(struct vmprof *p, int mark, bool symbols)
{
	struct str skipped;

	switch (mark) {
	case MARK_SAMPLE:
		p->in->line += !symbols;
		return read_sample(p, !symbols);
	case MARK_SYMBOL:
	case MARK_NATIVE:
		return read_symbol(p, symbols);
	case MARK_HEADER:
		return read_header(p);
	case MARK_START:
		return cut_bytes(p, TIME, &skipped);
	case MARK_META:
		return cut_string(p, &skipped) && cut_string(p, &skipped);
	}
	return false;
}

/* Symbols follow the samples that need them, so the records are read twice. */
static const char *
read_records(struct vmprof *p, bool symbols)
{
	int mark;

	while (p->rest.len > 0) {
		mark = (unsigned char)*p->rest.p;
		p->rest = str_skip(p->rest, 1);
		if (mark == MARK_END)
			return NULL;
		if (mark == MARK_OLD)
			return "a profile of an old PyPy without a version";
		if (!read_record(p, mark, symbols))
			return "a malformed record; skipping the rest";
	}
	return "the file is truncated";
}

static void
read_vmprof(struct input *in, struct sink *out)
{
	struct vmprof p = { .in = in, .out = out };
	struct str all = input_bytes(in, SIZE_MAX);
	const char *wrong = "not a vmprof profile";

	if (all.len == 0)
		return;
	in->tally->bad_unit = "record";
	p.rest = all;
	if (read_start(&p)) {
		all = p.rest;
		read_records(&p, true);
		p.rest = all;
		p.version = p.mode = 0;
		wrong = read_records(&p, false);
	}
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	u64map_free(&p.by_address);
	free(p.symbol);
	free(p.stack);
	buf_free(&p.text);
}

int
main(int argc, char *argv[])
{
	static const struct reader vmprof = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of vmprof.",
		.options = options,
		.setopt = set_option,
		.read = read_vmprof
	};

	return collapse_main(argc, argv, &vmprof);
}
