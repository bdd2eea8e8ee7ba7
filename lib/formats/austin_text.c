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

static void
push_frames(struct sink *out, struct str stack)
{
	struct frame frame = { .whole = true };
	struct str rest = stack, next, number;

	while (stack.len > 0) {
		frame.name = str_cut(&stack, ';');
		frame.line = (struct str){ 0 };
		rest = stack;
		next = str_cut(&rest, ';');
		if (is_line(next, &number)) {
			frame.line = number;
			stack = rest;
		}
		sink_frame(out, &frame);
	}
}

void
austin_text_read(struct input *in, struct sink *out, bool with_memory)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool is_memory = with_memory;
	struct count count;
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		is_memory |= str_eq(line, STR("# mode: memory"));
		if (line.len == 0 || *line.p == '#')
			continue;
		sample.unit = is_memory ? memory_unit(line) : STR("us");
		if (!cut_metrics(&line, with_memory, &count)) {
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
		push_frames(out, line);
		sink_end(out, count);
	}
}
