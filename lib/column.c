/* column.c - stacks as tracers print them: a frame a line. */
#include "column.h"

#include "mem.h"

#include <stdlib.h>

void
column_frame(struct str s, struct frame *frame)
{
	const char *plus = s.len == 0 ? NULL : memrchr(s.p, '+', s.len);

	if (str_starts(s, STR("0x")) && str_hex(str_skip(s, 2), &frame->addr)) {
		frame->has_addr = true;
		return;
	}
	if (plus != NULL && plus > s.p && plus + 1 < s.p + s.len &&
	    str_isdigit(plus[1]))
		s = str_range(s.p, plus);
	frame->name = s;
}

void
column_read(struct input *in, struct sink *out,
	    bool (*take)(struct str line, struct frame *frame))
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint32_t *token = NULL;
	size_t n = 0, cap = 0;
	struct str line;
	uint64_t count;

	while (input_line(in, &line)) {
		struct frame frame = { 0 };

		line = str_without_cr(line);
		line = str_trim(line);
		if (line.len == 0)
			continue;
		if (str_u64(line, &count)) {
			if (sink_begin(out, &sample)) {
				sink_push(out, token, n);
				sink_end(out, count_of(count));
			}
			n = 0;
		} else if (take(line, &frame)) {
			token = mem_grow(token, &cap, n + 1, sizeof(*token));
			token[n++] = sink_token(out, &frame, 0);
		}
	}
	if (n > 0)
		input_bad(in, "a stack without a count");
	free(token);
}
