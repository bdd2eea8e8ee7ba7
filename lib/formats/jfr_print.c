/* jfr_print.c - the text of jfr print. */
#include "formats/jfr_print.h"

#include "base/count.h"
#include "base/duration.h"
#include "formats/jfr_printed.h"

/* "jdk.ExecutionSample {" */
static bool
is_event(struct str line, struct str *name)
{
	*name = line;
	name->len -= name->len < 2 ? name->len : 2;
	return str_ends(line, STR(" {")) && *line.p != ' ' &&
	       str_find(*name, ' ') == NULL && str_find(*name, '.') != NULL;
}

/* "3.0 MB", "968 bytes": units of 1024. */
static bool
parse_bytes(struct str s, uint64_t *bytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	struct str number = str_cut(&s, ' ');
	struct count n;
	uint64_t size = 1;
	size_t i;

	if (count_parse(number, &n) != COUNT_OK)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++, size *= 1024) {
		if (!str_eq(s, str_of(units[i])))
			continue;
		*bytes = n.units * size + n.micro * size / 1000000;
		return n.units <= INT64_MAX / size - 1;
	}
	return false;
}

/* The value of the field that is counted: a number, a duration or bytes. */
static void
set_weight(struct jfr_printed *p, struct str value)
{
	if (duration_parse(value, &p->weight))
		p->unit = STR("ns");
	else if (parse_bytes(value, &p->weight))
		p->unit = STR("bytes");
	else if (!str_u64(value, &p->weight))
		p->is_bad = true;
	p->has_weight = true;
}

/* ""main" (javaThreadId = 1)" */
static void
set_thread(struct jfr_printed *p, struct str value)
{
	const char *end = value.len > 1 ? memrchr(value.p, '"', value.len) :
					  NULL;

	p->thread.len = 0;
	if (end != NULL && *value.p == '"' && end > value.p)
		buf_str(&p->thread, str_range(value.p + 1, end));
	if (p->thread.len == 0)
		buf_str(&p->thread, STR("[virtual]"));
}

static void
set_field(struct jfr_printed *p, struct str name, struct str value)
{
	const char *class_end = str_search(value, STR(" (classLoader"));

	if (jfr_printed_is_weight(p, name))
		set_weight(p, value);
	else if (str_eq(name, str_of(p->kind->thread)))
		set_thread(p, value);
	else if (str_eq(name, STR("failed")))
		p->is_failed = str_eq(value, STR("true"));
	if (p->kind->subject == NULL || !str_eq(name, str_of(p->kind->subject)))
		return;
	p->subject.len = 0;
	buf_str(&p->subject,
		class_end == NULL ? value : str_range(value.p, class_end));
}

/* "java/util/ArrayList.add(Object)" for java.util.ArrayList.add(Object). */
static struct str
with_owner(struct jfr_printed *p, struct str name)
{
	const char *end = str_find(name, '('), *dot;

	if (end == NULL)
		end = name.p + name.len;
	dot = memrchr(name.p, '.', (size_t)(end - name.p));
	if (dot == NULL)
		return name;
	p->text.len = 0;
	buf_str(&p->text, str_range(name.p, dot));
	jfr_kinds_owner(&p->text, 0);
	buf_str(&p->text, str_range(dot, name.p + name.len));
	return buf_slice(&p->text);
}

/* "    java.util.ArrayList.add(Object) line: 42", or "    ..." */
static void
add_frame(struct jfr_printed *p, struct str line)
{
	struct frame frame = { .name = str_trim(line) };
	const char *number = str_search(frame.name, STR(" line: "));

	if (str_eq(frame.name, STR("..."))) {
		p->is_truncated = true;
		return;
	}
	if (number != NULL) {
		frame.line = str_range(number + strlen(" line: "),
				       frame.name.p + frame.name.len);
		frame.name = str_range(frame.name.p, number);
	}
	frame.name = with_owner(p, frame.name);
	if (!p->opt->lines)
		frame.line = STR("");
	jfr_printed_frame(p, &frame);
}

/* Read an event to the line "}"; false at the end of the input. */
static bool
read_event(struct jfr_printed *p, struct input *in)
{
	bool in_stack = false;
	struct str line, name;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (str_eq(line, STR("}")))
			return true;
		if (in_stack && str_eq(line, STR("  ]"))) {
			in_stack = false;
		} else if (in_stack) {
			add_frame(p, line);
		} else if (str_eq(line, STR("  stackTrace = ["))) {
			in_stack = p->has_stack = true;
		} else if (str_starts(line, STR("  "))) {
			name = str_trim(str_cut(&line, '='));
			set_field(p, name, str_trim(line));
		}
	}
	return false;
}

void
jfr_print_read(struct input *in, struct sink *out,
	       const struct jfr_options *opt)
{
	struct jfr_printed p = { .in = in, .out = out, .opt = opt };
	struct str line, name;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (line.len == 0)
			continue;
		if (!is_event(line, &name)) {
			input_bad(in, "not the start of an event");
			continue;
		}
		jfr_printed_begin(&p, name);
		if (!read_event(&p, in)) {
			input_bad(in, "an event is truncated");
			break;
		}
		in->tally->good++;
		jfr_printed_end(&p);
	}
	jfr_printed_finish(&p);
}
