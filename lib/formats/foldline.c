/* foldline.c - reads lines like folded text, as other tools write them. */
#include "formats/foldline.h"

struct str
foldline_word(struct str *line)
{
	struct str s = str_rtrim(str_without_cr(*line));
	const char *p = s.p + s.len;

	while (p > s.p && p[-1] != ' ' && p[-1] != '\t')
		p--;
	*line = str_rtrim(str_range(s.p, p));
	return str_range(p, s.p + s.len);
}

/*
 * Cut off the count at the end of a line, "a;b;c 12", "a;b;c;<TAB>12".  False,
 * with the line unchanged, if there is none.
 */
static bool
cut_count(struct str *line, struct count *count)
{
	struct str rest = *line;

	if (count_parse(foldline_word(&rest), count) != COUNT_OK)
		return false;
	*line = rest;
	return true;
}

void
foldline_read(struct input *in, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;
	struct frame frame = { .whole = true };
	struct count count;
	struct str line;

	while (input_line(in, &line)) {
		line = str_rtrim(str_without_cr(line));
		if (line.len == 0 || *line.p == '#')
			continue;
		if (!cut_count(&line, &count)) {
			input_bad(in, "no number at the end of the line");
			continue;
		}
		if (!sink_begin(out, &sample))
			continue;
		while (line.len > 0) {
			frame.name = str_cut(&line, ';');
			if (frame.name.len > 0)
				sink_frame(out, &frame);
		}
		sink_end(out, count);
	}
}
