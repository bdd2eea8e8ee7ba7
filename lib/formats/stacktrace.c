/* stacktrace.c - writes and reads the raw traces of stacksample. */
#include "formats/stacktrace.h"

#include "base/mem.h"
#include "base/table.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAGIC "#stacksample="

/* Version 2 has stacks with numbers, and samples that are as before. */
enum { TRACE_VERSION = 2 };

/* Longer stacks, in bytes, are never repeated by number. */
enum { MAX_REPEATED = 65536 };

struct str
stacktrace_state(const struct stacktrace *t)
{
	if (t->label.len > 0)
		return t->label;
	if (t->state == 'R')
		return STR("running");
	if (t->state == 'T')
		return STR("stopped");
	if (t->state == 't')
		return STR("traced");
	if (t->lock_waits)
		return STR("interpreter-lock");
	return t->call.len > 0 ? t->call : STR("waiting");
}

/* Writing. */

/* A word; "-" if it is empty. */
static void
print_word(struct buf *out, struct str s)
{
	if (s.len > 0)
		meta_encode(out, s);
	else
		buf_char(out, '-');
}

static void
print_bytes(struct buf *out, struct str bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++)
		buf_printf(out, "%02x", (unsigned)(unsigned char)bytes.p[i]);
	if (bytes.len == 0)
		buf_char(out, '-');
}

void
stacktrace_address(struct buf *stack, uint64_t address)
{
	buf_char(stack, ' ');
	buf_hex(stack, address);
}

void
stacktrace_loop(struct buf *stack, uint64_t address)
{
	buf_str(stack, STR(" ="));
	buf_hex(stack, address);
}

void
stacktrace_function(struct buf *stack, uint32_t function, uint32_t line)
{
	buf_str(stack, STR(" @"));
	buf_u64(stack, function);
	if (line > 0) {
		buf_char(stack, ':');
		buf_u64(stack, line);
	}
}

void
stacktrace_stack(struct buf *stack, uint64_t number)
{
	buf_str(stack, STR(" #"));
	buf_u64(stack, number);
}

void
stacktrace_print_stack(struct buf *out, uint64_t number, struct str stack)
{
	buf_str(out, STR("K "));
	buf_u64(out, number);
	buf_str(out, stack);
	buf_char(out, '\n');
}

/* "12.345678901" */
static void
print_time(struct buf *out, uint64_t time)
{
	const uint64_t second = 1000000000;
	size_t start;

	buf_u64(out, time / second);
	/* The first digit becomes the point. */
	start = out->len;
	buf_u64(out, second + time % second);
	out->p[start] = '.';
}

void
stacktrace_print_same(struct buf *out, uint64_t time, const uint64_t *id,
		      size_t n)
{
	size_t i, end;

	buf_str(out, STR("= "));
	print_time(out, time);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && id[end] == id[end - 1] + 1; end++)
			continue;
		buf_char(out, ' ');
		buf_u64(out, id[i]);
		if (end - i > 1) {
			buf_char(out, '-');
			buf_u64(out, id[end - 1]);
		}
	}
	buf_char(out, '\n');
}

/* The words with keys. */
static void
print_details(struct buf *out, const struct stacktrace *t)
{
	buf_str(out, STR(" id="));
	buf_u64(out, t->id);
	if (t->label.len > 0) {
		buf_str(out, STR(" as="));
		meta_encode(out, t->label);
	}
	if (t->owner != 0) {
		buf_str(out, STR(" by="));
		buf_u64(out, (uint64_t)t->owner);
	}
	if (t->file.len > 0) {
		buf_str(out, STR(" on="));
		meta_encode(out, t->file);
	}
}

static void
print_sample(struct buf *out, const struct stacktrace *t)
{
	size_t start;

	buf_str(out, STR("S "));
	buf_u64(out, (uint64_t)t->pid);
	buf_char(out, ' ');
	buf_u64(out, (uint64_t)t->tid);
	buf_char(out, ' ');
	print_time(out, t->time);
	buf_char(out, ' ');
	buf_char(out, t->state);
	buf_char(out, ' ');
	print_word(out, t->call);
	buf_char(out, ' ');
	print_word(out, t->wchan);
	buf_char(out, ' ');
	print_word(out, t->name);
	print_details(out, t);
	buf_char(out, '\n');
	start = out->len;
	buf_str(out, t->stack);
	buf_str(out, t->truncated ? STR(" !") : STR(""));
	buf_str(out, t->moving ? STR(" ~") : STR(""));
	buf_str(out, t->unmerged ? STR(" ?") : STR(""));
	buf_str(out, t->lock_held ? STR(" ^") : STR(""));
	buf_str(out, t->lock_waits ? STR(" &") : STR(""));
	buf_str(out, out->len == start ? STR(" \n") : STR("\n"));
}

void
stacktrace_print(struct buf *out, const struct stacktrace *t)
{
	switch (t->kind) {
	case STACKTRACE_PROCESS:
		buf_printf(out, "P %" PRId64 " %" PRIu64 " ", t->pid, t->start);
		break;
	case STACKTRACE_MAP:
		buf_printf(out,
			   "M %" PRId64 " %" PRIx64 "-%" PRIx64 " %" PRIx64
			   " %.*s ",
			   t->pid, t->start, t->end, t->offset,
			   (int)t->prot.len, t->prot.p);
		print_bytes(out, t->build_id);
		buf_char(out, ' ');
		break;
	case STACKTRACE_CODE:
		buf_printf(out, "J %" PRId64 " %" PRIx64 " %" PRIx64 " ",
			   t->pid, t->start, t->end - t->start);
		break;
	case STACKTRACE_FUNCTION:
		buf_printf(out, "F %" PRIu32 " ", t->function);
		print_word(out, t->language);
		buf_char(out, ' ');
		print_word(out, t->name);
		buf_char(out, ' ');
		print_word(out, t->file);
		buf_char(out, '\n');
		return;
	case STACKTRACE_SAMPLE:
		print_sample(out, t);
		return;
	default:
		buf_char(out, '\n');
		return;
	}
	print_word(out, t->name);
	buf_char(out, '\n');
}

void
stacktrace_print_header(struct buf *out, const struct meta *m)
{
	size_t i;

	buf_printf(out, MAGIC "%d", TRACE_VERSION);
	for (i = 0; i < m->n; i++) {
		buf_char(out, ';');
		buf_str(out, m->entry[i].key);
		buf_char(out, '=');
		buf_str(out, m->entry[i].value);
	}
	buf_char(out, '\n');
}

/* Reading. */

/* A line that later ones name by a number. */
struct repeated_line {
	uint64_t number;
	struct buf line, stack; /* stack is unused for stacks themselves */
	UT_hash_handle hh;
};

struct stacktrace_reader {
	struct meta meta;
	struct buf text; /* decoded words of one line */
	struct stacktrace_frame *frame;
	size_t cap;
	struct buf line; /* the next line, if it was read already */
	bool has_line;
	struct repeated_line *stacks, *samples;
	/* The rest of a line of samples that are as before: */
	struct buf same;
	size_t same_at;              /* offset of the next word */
	uint64_t same_id, same_last; /* ids that are left of the word before */
	bool has_same;
	uint64_t same_time;
};

struct stacktrace_reader *
stacktrace_new(void)
{
	return mem_zero(1, sizeof(struct stacktrace_reader));
}

static void
free_lines(struct repeated_line **lines)
{
	struct repeated_line *l, *next;

	HASH_ITER(hh, *lines, l, next)
	{
		HASH_DEL(*lines, l);
		buf_free(&l->line);
		buf_free(&l->stack);
		free(l);
	}
}

static struct repeated_line *
find_line(struct repeated_line *lines, uint64_t number)
{
	struct repeated_line *l;

	HASH_FIND(hh, lines, &number, sizeof(number), l);
	return l;
}

/* Keep a line by its number, in place of an earlier one. */
static void
keep_line(struct repeated_line **lines, uint64_t number, struct str line,
	  struct str stack)
{
	struct repeated_line *l = find_line(*lines, number);

	if (l == NULL) {
		l = mem_zero(1, sizeof(*l));
		l->number = number;
		HASH_ADD(hh, *lines, number, sizeof(l->number), l);
	}
	l->line.len = l->stack.len = 0;
	buf_str(&l->line, line);
	buf_str(&l->stack, stack);
}

void
stacktrace_free(struct stacktrace_reader *r)
{
	meta_free(&r->meta);
	buf_free(&r->text);
	buf_free(&r->line);
	buf_free(&r->same);
	free_lines(&r->stacks);
	free_lines(&r->samples);
	free(r->frame);
	free(r);
}

bool
stacktrace_magic(struct str text)
{
	return str_starts(text, STR(MAGIC));
}

const struct meta *
stacktrace_meta(const struct stacktrace_reader *r)
{
	return &r->meta;
}

static bool
cut_id(struct str *line, int64_t *id)
{
	uint64_t n;

	if (!str_u64(str_cut(line, ' '), &n) || n > INT32_MAX)
		return false;
	*id = (int64_t)n;
	return true;
}

/* A decoded word in r->text, which may still move. */
struct stacktrace_word {
	size_t at, len;
};

static struct stacktrace_word
cut_word(struct stacktrace_reader *r, struct str *line)
{
	struct str word = str_cut(line, ' ');
	struct stacktrace_word w = { r->text.len, 0 };

	if (!str_eq(word, STR("-")))
		meta_decode(&r->text, word);
	w.len = r->text.len - w.at;
	return w;
}

static struct str
word_str(const struct stacktrace_reader *r, struct stacktrace_word w)
{
	return w.len == 0 ? STR("") : (struct str){ r->text.p + w.at, w.len };
}

static struct stacktrace_word
cut_bytes(struct stacktrace_reader *r, struct str *line, bool *ok)
{
	struct str word = str_cut(line, ' ');
	struct stacktrace_word w = { r->text.len, 0 };
	int high, low;
	size_t i;

	if (str_eq(word, STR("-")))
		return w;
	*ok &= word.len % 2 == 0;
	for (i = 0; i + 1 < word.len; i += 2) {
		high = str_hexdigit(word.p[i]);
		low = str_hexdigit(word.p[i + 1]);
		*ok &= high >= 0 && low >= 0;
		buf_char(&r->text, (char)((unsigned)high << 4 | (unsigned)low));
	}
	w.len = r->text.len - w.at;
	return w;
}

/* Start to parse a line of a kind; false if it has another letter. */
static bool
begin_line(struct stacktrace_reader *r, struct str *line, struct str letter,
	   struct stacktrace *t, enum stacktrace_kind kind)
{
	r->text.len = 0;
	*t = (struct stacktrace){ .kind = kind };
	if (!str_starts(*line, letter))
		return false;
	*line = str_skip(*line, letter.len);
	return true;
}

bool
stacktrace_process(struct stacktrace_reader *r, struct str line,
		   struct stacktrace *t)
{
	if (!begin_line(r, &line, STR("P "), t, STACKTRACE_PROCESS) ||
	    !cut_id(&line, &t->pid) || !str_u64(str_cut(&line, ' '), &t->start))
		return false;
	t->name = word_str(r, cut_word(r, &line));
	return true;
}

static bool
read_map(struct stacktrace_reader *r, struct str line, struct stacktrace *t)
{
	struct stacktrace_word id, name;
	bool ok;

	t->kind = STACKTRACE_MAP;
	ok = cut_id(&line, &t->pid) &&
	     str_hex(str_cut(&line, '-'), &t->start) &&
	     str_hex(str_cut(&line, ' '), &t->end) && t->end > t->start &&
	     str_hex(str_cut(&line, ' '), &t->offset);
	t->prot = str_cut(&line, ' ');
	id = cut_bytes(r, &line, &ok);
	name = cut_word(r, &line);
	t->build_id = word_str(r, id);
	t->name = word_str(r, name);
	return ok && t->prot.len == 4 && t->build_id.len <= 20;
}

bool
stacktrace_code(struct stacktrace_reader *r, struct str line,
		struct stacktrace *t)
{
	uint64_t size;

	if (!begin_line(r, &line, STR("J "), t, STACKTRACE_CODE) ||
	    !cut_id(&line, &t->pid) ||
	    !str_hex(str_cut(&line, ' '), &t->start) ||
	    !str_hex(str_cut(&line, ' '), &size) || size == 0 ||
	    __builtin_add_overflow(t->start, size, &t->end))
		return false;
	t->name = word_str(r, cut_word(r, &line));
	return t->name.len > 0;
}

/* "12.345678901" */
static bool
cut_time(struct str *line, uint64_t *ns)
{
	struct str word = str_cut(line, ' ');
	uint64_t seconds, rest;

	return str_u64(str_cut(&word, '.'), &seconds) && word.len == 9 &&
	       str_u64(word, &rest) &&
	       !__builtin_mul_overflow(seconds, 1000000000, ns) &&
	       !__builtin_add_overflow(*ns, rest, ns);
}

/* Words of later versions are skipped. */
static bool
read_details(struct stacktrace_reader *r, struct str line, struct stacktrace *t,
	     struct stacktrace_word *label, struct stacktrace_word *file)
{
	struct str key, word;

	t->id = UINT64_MAX;
	while (line.len > 0) {
		word = str_cut(&line, ' ');
		key = str_cut(&word, '=');
		if (str_eq(key, STR("as")))
			*label = cut_word(r, &word);
		else if (str_eq(key, STR("on")))
			*file = cut_word(r, &word);
		else if ((str_eq(key, STR("by")) &&
			  !cut_id(&word, &t->owner)) ||
			 (str_eq(key, STR("id")) && !str_u64(word, &t->id)))
			return false;
	}
	return true;
}

static bool
read_thread(struct stacktrace_reader *r, struct str line, struct stacktrace *t)
{
	struct stacktrace_word call, wchan, name, label = { 0 }, file = { 0 };
	struct str state;

	t->kind = STACKTRACE_SAMPLE;
	if (!cut_id(&line, &t->pid) || !cut_id(&line, &t->tid) ||
	    !cut_time(&line, &t->time))
		return false;
	state = str_cut(&line, ' ');
	if (state.len != 1)
		return false;
	t->state = state.p[0];
	call = cut_word(r, &line);
	wchan = cut_word(r, &line);
	name = cut_word(r, &line);
	if (!read_details(r, line, t, &label, &file))
		return false;
	t->call = word_str(r, call);
	t->wchan = word_str(r, wchan);
	t->name = word_str(r, name);
	t->label = word_str(r, label);
	t->file = word_str(r, file);
	return true;
}

static bool
read_function(struct stacktrace_reader *r, struct str line,
	      struct stacktrace *t)
{
	struct stacktrace_word language, name, file;
	uint64_t number;

	t->kind = STACKTRACE_FUNCTION;
	if (!str_u64(str_cut(&line, ' '), &number) || number > UINT32_MAX)
		return false;
	t->function = (uint32_t)number;
	language = cut_word(r, &line);
	name = cut_word(r, &line);
	file = cut_word(r, &line);
	t->language = word_str(r, language);
	t->name = word_str(r, name);
	t->file = word_str(r, file);
	return true;
}

/* "7f12ab", "=7f12ab", "@3" or "@3:12" */
static bool
parse_frame(struct str word, struct stacktrace_frame *f)
{
	uint64_t number, line = 0;
	struct str left;

	*f = (struct stacktrace_frame){ 0 };
	if (!str_starts(word, STR("@"))) {
		f->is_loop = str_starts(word, STR("="));
		return str_hex(str_skip(word, f->is_loop), &f->address);
	}
	word = str_skip(word, 1);
	left = str_cut(&word, ':');
	if (!str_u64(left, &number) || number > UINT32_MAX ||
	    (word.len > 0 && !str_u64(word, &line)) || line > UINT32_MAX)
		return false;
	f->is_function = true;
	f->function = (uint32_t)number;
	f->line = (uint32_t)line;
	return true;
}

/* The frames of a stack that has a number; false if it is not known. */
static bool
read_numbered(struct stacktrace_reader *r, struct str word,
	      struct stacktrace *t)
{
	const struct repeated_line *l;
	struct str line;
	uint64_t number;

	l = str_u64(str_skip(word, 1), &number) ? find_line(r->stacks, number) :
						  NULL;
	if (l == NULL)
		return false;
	for (line = buf_slice(&l->line); line.len > 0;) {
		word = str_cut(&line, ' ');
		r->frame = mem_grow(r->frame, &r->cap, t->n + 1,
				    sizeof(*r->frame));
		if (word.len > 0 && !parse_frame(word, &r->frame[t->n++]))
			return false;
	}
	return true;
}

static bool
read_frames(struct stacktrace_reader *r, struct str line, struct stacktrace *t)
{
	struct str word;

	while (line.len > 0) {
		word = str_cut(&line, ' ');
		if (word.len == 0)
			continue;
		t->truncated |= str_eq(word, STR("!"));
		t->moving |= str_eq(word, STR("~"));
		t->unmerged |= str_eq(word, STR("?"));
		t->lock_held |= str_eq(word, STR("^"));
		t->lock_waits |= str_eq(word, STR("&"));
		if (word.len == 1 && strchr("!~?^&", *word.p) != NULL)
			continue;
		if (str_starts(word, STR("#"))) {
			if (!read_numbered(r, word, t))
				return false;
			continue;
		}
		r->frame = mem_grow(r->frame, &r->cap, t->n + 1,
				    sizeof(*r->frame));
		if (!parse_frame(word, &r->frame[t->n++]))
			return false;
	}
	t->frame = r->frame;
	return true;
}

/* Read the line of a thread and the stack, which is the next line. */
static bool
read_sample(struct stacktrace_reader *r, struct input *in, struct str line,
	    struct stacktrace *t)
{
	struct buf thread = { 0 };
	bool ok;

	/* The next line takes the place of this one in memory. */
	buf_str(&thread, line);
	ok = read_thread(r, line, t) && input_line(in, &line);
	if (ok && str_starts(line, STR(" ")) && t->id != UINT64_MAX &&
	    line.len <= MAX_REPEATED)
		keep_line(&r->samples, t->id, buf_slice(&thread), line);
	buf_free(&thread);
	if (!ok)
		return false;
	if (str_starts(line, STR(" ")))
		return read_frames(r, line, t);
	/* The stack is missing: the next call reads this line. */
	r->line.len = 0;
	buf_str(&r->line, line);
	r->has_line = true;
	return false;
}

/* A line that gives a stack a number. */
static bool
read_stack(struct stacktrace_reader *r, struct str line)
{
	uint64_t number;

	if (!str_u64(str_cut(&line, ' '), &number) || line.len > MAX_REPEATED)
		return false;
	keep_line(&r->stacks, number, line, STR(""));
	return true;
}

/* Begin a line of samples that are as before. */
static bool
begin_same(struct stacktrace_reader *r, struct str line)
{
	if (!cut_time(&line, &r->same_time))
		return false;
	r->same.len = r->same_at = 0;
	buf_str(&r->same, line);
	r->has_same = false;
	return true;
}

/* The next id of such a line; false at its end, or if it is malformed. */
static bool
next_same(struct stacktrace_reader *r, uint64_t *id, bool *ok)
{
	struct str rest, word;

	*ok = true;
	if (r->has_same && r->same_id < r->same_last) {
		*id = ++r->same_id;
		return true;
	}
	rest = str_skip(buf_slice(&r->same), r->same_at);
	r->has_same = false;
	if (rest.len == 0)
		return false;
	word = str_cut(&rest, ' ');
	r->same_at = r->same.len - rest.len;
	*ok = str_u64(str_cut(&word, '-'), &r->same_id);
	r->same_last = r->same_id;
	*ok = *ok && (word.len == 0 || str_u64(word, &r->same_last));
	r->has_same = *ok;
	*id = r->same_id;
	return *ok;
}

/*
 * The next sample that is as before; false if there is none.  The rest of a
 * line with an id that no sample had is skipped, however many ids there are.
 */
static bool
read_same(struct stacktrace_reader *r, struct input *in, struct stacktrace *t)
{
	const struct repeated_line *l;
	uint64_t id;
	bool ok;

	if (next_same(r, &id, &ok)) {
		l = find_line(r->samples, id);
		r->text.len = 0;
		*t = (struct stacktrace){ .kind = STACKTRACE_SAMPLE };
		ok = l != NULL && read_thread(r, buf_slice(&l->line), t) &&
		     read_frames(r, buf_slice(&l->stack), t);
		t->time = r->same_time;
		if (ok)
			return true;
	}
	if (!ok)
		input_bad(in, "not a repeated sample");
	r->same.len = r->same_at = 0;
	r->has_same = false;
	return false;
}

static bool
read_header(struct stacktrace_reader *r, struct input *in, struct str line)
{
	uint64_t version;

	if (!meta_parse(&r->meta, line))
		return false;
	if (meta_u64(&r->meta, "stacksample", &version) &&
	    (version == 0 || version > TRACE_VERSION))
		errx(2, "%s: traces of version %" PRIu64 " cannot be read",
		     in->name, version);
	return true;
}

static bool
read_kind(struct stacktrace_reader *r, struct input *in, struct str line,
	  struct stacktrace *t)
{
	struct str rest = str_skip(line, 2);

	if (str_starts(line, STR("S ")))
		return read_sample(r, in, rest, t);
	if (str_starts(line, STR("P ")))
		return stacktrace_process(r, line, t);
	if (str_starts(line, STR("M ")))
		return read_map(r, rest, t);
	if (str_starts(line, STR("J ")))
		return stacktrace_code(r, line, t);
	if (str_starts(line, STR("F ")))
		return read_function(r, rest, t);
	t->kind = STACKTRACE_ROUND;
	return line.len == 0;
}

static bool
next_line(struct stacktrace_reader *r, struct input *in, struct str *line)
{
	if (!r->has_line)
		return input_line(in, line);
	r->has_line = false;
	*line = buf_slice(&r->line);
	return true;
}

void
stacktrace_read(struct stacktrace_reader *r, struct input *in,
		struct stacktrace *t)
{
	struct str line;
	bool ok;

	if (read_same(r, in, t))
		return;
	while (next_line(r, in, &line)) {
		if (str_starts(line, STR("K ")) &&
		    read_stack(r, str_skip(line, 2)))
			continue;
		if (str_starts(line, STR("= ")) &&
		    begin_same(r, str_skip(line, 2))) {
			if (read_same(r, in, t))
				return;
			continue;
		}
		*t = (struct stacktrace){ .kind = STACKTRACE_HEADER };
		r->text.len = 0;
		ok = str_starts(line, STR("#")) ? read_header(r, in, line) :
						  read_kind(r, in, line, t);
		if (ok)
			return;
		input_bad(in, "not a line of a raw trace");
	}
	*t = (struct stacktrace){ .kind = STACKTRACE_END };
}
