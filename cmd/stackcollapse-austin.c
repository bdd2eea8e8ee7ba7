/*
 * stackcollapse-austin - fold what austin, a sampler of CPython, writes.
 *
 * A line is one sample.  Of austin 1: "Thread 7f;f (a.py);L12;g (b.py);L3
 * 2046", where the number is microseconds, or kilobytes with -m, or three of
 * time, memory taken and given back with -f.  Of 2 and 3: "P12;T34;a.py:f:12
 * 2046", with bytes, or "2046,1,-64" of time, whether idle, and memory.  Of 4,
 * and of 3 with --binary, it is MOJO.
 */
#include "foldline.h"
#include "mojo.h"

enum { OPT_MEMORY = CMD_LONG };

static const struct cmd_option options[] = {
	{ "memory", OPT_MEMORY, NULL, "of austin -f or -m: kilobytes taken",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_memory;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_memory |= value == OPT_MEMORY;
	return value == OPT_MEMORY;
}

/* What is given back has a minus: it is nothing that was taken. */
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
cut_list(struct str *line, struct count *count)
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

/* The time, and the memory where there are three numbers. */
static bool
cut_metrics(struct str *line, struct count *count)
{
	struct count c[3];
	struct str rest;
	int n = 1;

	if (!cut_metric(line, &c[0]))
		return cut_list(line, count);
	for (rest = *line; n < 3 && cut_metric(&rest, &c[n]); n++)
		continue;
	if (n == 3)
		*line = rest;
	*count = n < 3 ? c[0] : with_memory ? c[1] : c[2];
	return true;
}

/* "L12" is the line of the frame before it. */
static bool
is_line(struct str s, struct str *number)
{
	uint64_t n;

	*number = str_skip(s, 1);
	return str_starts(s, STR("L")) && str_u64(*number, &n);
}

/* Of austin 1 a line begins with "Thread 7f" or "Process 12;Thread 7f". */
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

static void
read_text(struct input *in, struct sink *out)
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
		if (!cut_metrics(&line, &count)) {
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

static void
read_austin(struct input *in, struct sink *out)
{
	if (mojo_begins(input_peek(in, 4)))
		mojo_read(in, out, with_memory);
	else
		read_text(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct reader austin = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the samples of austin.",
		.options = options,
		.setopt = set_option,
		.read = read_austin
	};

	return collapse_main(argc, argv, &austin);
}
