/*
 * austin_text.c - the text that austin, a sampler of CPython, writes.
 *
 * A line is one sample.
 *
 * Austin 1: "Thread 7f;f (a.py);L12;g (b.py);L3 2046".  The number is
 * microseconds, or kilobytes with -m.  With -f there are three numbers: time,
 * memory allocated and memory freed.
 *
 * Austin 2 and 3: "P12;T34;a.py:f:12 2046".  Memory is in bytes.  With -f the
 * number is "2046,1,-64": time, 1 if idle, and memory.
 */
#include "formats/austin_text.h"

#include "folded/script_name.h"
#include "formats/foldline.h"

/* Freed memory has a minus sign; it counts 0. */
static bool
parse_metric(struct str s, struct count *count)
{
	bool minus = str_starts(s, STR("-"));

	if (count_parse(str_skip(s, minus), count) != COUNT_OK)
		return false;
	if (minus)
		*count = count_of(0);
	return true;
}

static bool
cut_metric(struct str *line, struct count *count)
{
	struct str rest = *line, word = foldline_word(&rest);

	if (!parse_metric(word, count))
		return false;
	*line = rest;
	return true;
}

/* "2046,1,-64" */
static bool
cut_list(struct str *line, bool with_memory, struct count *count)
{
	struct str rest = *line, word = foldline_word(&rest), time;
	struct count memory;

	time = str_cut(&word, ',');
	str_cut(&word, ',');
	if (!parse_metric(time, count) || !parse_metric(word, &memory))
		return false;
	if (with_memory)
		*count = memory;
	*line = rest;
	return true;
}

/* Cut off the one number, or choose from the three. */
static bool
cut_metrics(struct str *line, bool with_memory, struct count *count)
{
	struct count c[3];
	struct str rest;
	int n = 1;

	if (!cut_metric(line, &c[0]))
		return cut_list(line, with_memory, count);
	for (rest = *line; n < 3 && cut_metric(&rest, &c[n]); n++)
		continue;
	if (n == 3)
		*line = rest;
	*count = n < 3 ? c[0] : with_memory ? c[1] : c[2];
	return true;
}

/* "L12", the line of the frame before it */
static bool
is_line(struct str s, struct str *number)
{
	uint64_t n;

	*number = str_skip(s, 1);
	return str_starts(s, STR("L")) && str_u64(*number, &n);
}

/* Lines of austin 1 begin with "Thread 7f" or "Process 12;Thread 7f". */
static struct str
memory_unit(struct str line)
{
	bool is_old = line.len < 2 || !str_isdigit(line.p[1]);

	return is_old ? STR("kB") : STR("bytes");
}

bool
austin_text_is_python(struct str file)
{
	return script_name_is_python(file) || str_starts(file, STR("<"));
}

void
austin_text_frame(struct frame *frame, struct buf *text, struct str file,
		  struct str name, struct str line)
{
	*frame = (struct frame){ .name = name, .module = file };
	if (austin_text_is_python(file)) {
		text->len = 0;
		script_name_print(text, name, file, line);
		frame->name = buf_slice(text);
		frame->whole = true;
	} else if (str_eq(file, STR("kernel"))) {
		frame->kind = FRAME_KERNEL;
	}
}

/* The end of the file in "a.py:f:12" or "<string>:f:12"; NULL of other files.
 */
static const char *
python_file_end(struct str text)
{
	static const struct {
		struct str mark;
		char first; /* what the file begins with, or 0 */
	} ends[] = { { STR(".py:"), 0 },
		     { STR(".pyw:"), 0 },
		     { STR(">:"), '<' } };
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		p = str_search(text, ends[i].mark);
		if (p != NULL &&
		    (ends[i].first == 0 || *text.p == ends[i].first))
			return p + ends[i].mark.len - 1;
	}
	return NULL;
}

/*
 * Split "a.py:f:12", where the file and the name may have colons.  False if it
 * is something else, as "T0:12".
 */
static bool
split(struct str text, struct str *file, struct str *name, struct str *line)
{
	const char *colon = memrchr(text.p, ':', text.len), *end;
	uint64_t n;

	if (colon == NULL)
		return false;
	*line = str_range(colon + 1, text.p + text.len);
	end = python_file_end(text);
	if (end == NULL)
		end = str_find(text, ':');
	if (end >= colon || end == text.p || !str_u64(*line, &n))
		return false;
	*file = str_range(text.p, end);
	*name = str_range(end + 1, colon);
	return name->len > 0;
}

static void
push_frames(struct sink *out, struct str stack, bool with_lines)
{
	struct str text, rest, next, number, file, name;
	struct buf scratch = { 0 };
	struct frame frame;

	while (stack.len > 0) {
		text = str_cut(&stack, ';');
		rest = stack;
		next = str_cut(&rest, ';');
		frame = (struct frame){ .name = text, .whole = true };
		if (is_line(next, &number)) {
			stack = rest;
			if (with_lines && str_ends(text, STR(")"))) {
				text.len--;
				scratch.len = 0;
				buf_str(&scratch, text);
				buf_char(&scratch, ':');
				buf_str(&scratch, number);
				buf_char(&scratch, ')');
				frame.name = buf_slice(&scratch);
			}
		} else if (!with_lines && str_ends(text, STR(")"))) {
			scratch.len = 0;
			if (script_name_strip_line(&scratch, text))
				frame.name = buf_slice(&scratch);
		} else if (split(text, &file, &name, &number)) {
			austin_text_frame(&frame, &scratch, file, name,
					  with_lines ? number : STR(""));
		}
		sink_frame(out, &frame);
	}
	buf_free(&scratch);
}

void
austin_text_read(struct input *in, struct sink *out,
		 const struct austin_options *wanted)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool is_memory = wanted->memory;
	struct count count;
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		is_memory |= str_eq(line, STR("# mode: memory"));
		if (line.len == 0 || *line.p == '#')
			continue;
		sample.unit = is_memory ? memory_unit(line) : STR("us");
		if (!cut_metrics(&line, wanted->memory, &count)) {
			input_bad(in, "no number at the end of the line");
			continue;
		}
		if (count_iszero(count)) {
			in->tally->good++;
			continue;
		}
		if (is_memory ||
		    __builtin_mul_overflow(count.units, 1000, &sample.ns))
			sample.ns = 0;
		if (!sink_begin(out, &sample))
			continue;
		push_frames(out, line, wanted->lines);
		sink_end(out, count);
	}
}
