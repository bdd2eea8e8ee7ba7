/* jfr_json.c - the JSON of jfr print --json. */
#include "formats/jfr_json.h"

#include "codec/json.h"
#include "formats/jfr_printed.h"

#include <time.h>

#define SECOND UINT64_C(1000000000)

/* Read digits and up to nine decimals, as billionths; false if there is none.
 */
static bool
parse_number(struct str *s, uint64_t *n)
{
	uint64_t place = SECOND;
	bool any = false, decimals = false;

	*n = 0;
	while (s->len > 0 && (str_isdigit(*s->p) || *s->p == '.')) {
		if (*s->p == '.') {
			decimals = true;
		} else if (decimals) {
			place /= 10;
			*n += (uint64_t)(*s->p - '0') * place;
		} else if (*n >= SECOND * SECOND) {
			return false;
		} else {
			*n = *n * 10 + (uint64_t)(*s->p - '0') * SECOND;
		}
		any = true;
		*s = str_skip(*s, 1);
	}
	return any;
}

/* "PT1M2.5S", a duration of ISO 8601, as ns. */
static bool
parse_duration(struct str s, uint64_t *ns)
{
	uint64_t n, unit, sum = 0;

	if (!str_starts(s, STR("PT")))
		return false;
	s = str_skip(s, 2);
	while (parse_number(&s, &n) && s.len > 0) {
		unit = *s.p == 'H' ? 3600 : *s.p == 'M' ? 60 : 1;
		if ((unit == 1 && *s.p != 'S') ||
		    __builtin_mul_overflow(n, unit, &n) ||
		    __builtin_add_overflow(sum, n, &sum))
			return false;
		s = str_skip(s, 1);
	}
	*ns = sum;
	return s.len == 0 && sum <= INT64_MAX;
}

/* "2026-11-23T14:38:58.412185013Z", in UTC, as ns since 1970. */
static bool
parse_time(struct str s, uint64_t *ns)
{
	struct tm tm = { 0 };
	struct buf text = { 0 };
	uint64_t fraction = 0;
	const char *end;
	struct str rest;

	buf_str(&text, s);
	buf_char(&text, '\0');
	end = strptime(text.p, "%Y-%m-%dT%H:%M:%S", &tm);
	if (end != NULL && *end == '.') {
		rest = str_range(end, text.p + s.len);
		parse_number(&rest, &fraction);
		end = rest.p;
	}
	*ns = (uint64_t)timegm(&tm) * SECOND + fraction;
	s = end == NULL ? STR("") : str_of(end);
	buf_free(&text);
	return s.len > 0 && tm.tm_year >= 70;
}

/* Read the value of the field that is counted. */
static void
read_weight(struct jfr_printed *p, struct json *j, struct str field)
{
	struct str text;
	int64_t n = -1;

	p->has_weight = true;
	if (json_peek(j) == '"') {
		p->is_bad = !json_string(j, &text) ||
			    !parse_duration(text, &p->weight);
		p->unit = STR("ns");
		return;
	}
	p->is_bad = !json_integer(j, &n) || n < 0;
	p->weight = n < 0 ? 0 : (uint64_t)n;
	/* JSON has no units; these fields are known */
	if (str_eq(field, STR("weight")) || str_ends(field, STR("Size")) ||
	    str_eq(field, STR("size")))
		p->unit = STR("bytes");
}

static bool
read_true(struct json *j)
{
	const bool is_true = json_peek(j) == 't';

	json_skip(j);
	return is_true;
}

/* {"javaName": "main", "osName": "main", "osThreadId": 7, ...} */
static void
read_thread(struct jfr_printed *p, struct json *j)
{
	struct buf os_name = { 0 };
	bool is_virtual = false;
	struct str key;
	int64_t n;

	p->thread.len = 0;
	if (!json_expect(j, '{')) {
		buf_str(&p->thread, STR("[unknown]"));
		return;
	}
	while (json_key(j, &key)) {
		if (str_eq(key, STR("javaName")))
			json_text(j, &p->thread);
		else if (str_eq(key, STR("osName")))
			json_text(j, &os_name);
		else if (str_eq(key, STR("virtual")))
			is_virtual = read_true(j);
		else if (!str_eq(key, STR("osThreadId")))
			json_skip(j);
		else if (json_integer(j, &n) && n > 0)
			p->tid = n;
	}
	if (p->thread.len == 0)
		buf_str(&p->thread, os_name.len > 0 ? buf_slice(&os_name) :
				    is_virtual      ? STR("[virtual]") :
						      STR("[unknown]"));
	buf_free(&os_name);
}

/* {"name": "java\/lang\/String", ...} */
static void
read_class(struct json *j, struct buf *text)
{
	struct buf name = { 0 };
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("name")))
			json_text(j, &name);
		else
			json_skip(j);
	}
	jfr_kinds_class(text, buf_slice(&name));
	buf_free(&name);
}

/* {"type": CLASS, "name": "set", "descriptor": "(I)V", ...} */
static void
read_method(struct json *j, struct buf *name)
{
	struct buf method = { 0 }, descriptor = { 0 };
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("type")))
			read_class(j, name);
		else if (str_eq(key, STR("name")))
			json_text(j, &method);
		else if (str_eq(key, STR("descriptor")))
			json_text(j, &descriptor);
		else
			json_skip(j);
	}
	jfr_kinds_owner(name, 0);
	if (name->len > 0)
		buf_char(name, '.');
	buf_str(name, buf_slice(&method));
	jfr_kinds_arguments(name, buf_slice(&descriptor));
	buf_free(&method);
	buf_free(&descriptor);
}

/* {"method": METHOD, "lineNumber": 42, "type": "Interpreted", ...} */
static void
read_frame(struct jfr_printed *p, struct json *j)
{
	struct frame frame = { 0 };
	struct buf *text = &p->text, line = { 0 };
	struct str key, type;
	int64_t n;

	text->len = 0;
	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("method")))
			read_method(j, text);
		else if (str_eq(key, STR("type")))
			frame.kind = json_string(j, &type) ?
					 jfr_kinds_frame(type) :
					 FRAME_USER;
		else if (!str_eq(key, STR("lineNumber")))
			json_skip(j);
		else if (json_integer(j, &n) && n > 0 && p->opt->lines)
			buf_u64(&line, (uint64_t)n);
	}
	frame.name = buf_slice(text);
	frame.line = buf_slice(&line);
	jfr_printed_frame(p, &frame);
	buf_free(&line);
}

/* {"truncated": false, "frames": [FRAME, ...]}, or null */
static void
read_stack(struct jfr_printed *p, struct json *j)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	p->has_stack = true;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("truncated"))) {
			p->is_truncated = read_true(j);
		} else if (!str_eq(key, STR("frames"))) {
			json_skip(j);
		} else if (json_expect(j, '[')) {
			while (json_more(j))
				read_frame(p, j);
		}
	}
}

static void
read_values(struct jfr_printed *p, struct json *j)
{
	struct buf field = { 0 };
	struct str key, text;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		field.len = 0;
		buf_str(&field, key);
		key = buf_slice(&field);
		if (str_eq(key, STR("stackTrace")))
			read_stack(p, j);
		else if (str_eq(key, STR("startTime")))
			p->has_time = json_string(j, &text) &&
				      parse_time(text, &p->time);
		else if (str_eq(key, str_of(p->kind->thread)))
			read_thread(p, j);
		else if (str_eq(key, STR("failed")))
			p->is_failed = read_true(j);
		else if (jfr_printed_is_weight(p, key))
			read_weight(p, j, key);
		else if (p->kind->subject != NULL &&
			 str_eq(key, str_of(p->kind->subject)))
			read_class(j, &p->subject);
		else
			json_skip(j);
	}
	buf_free(&field);
}

/* {"type": "jdk.ExecutionSample", "values": {...}} */
static void
read_event(struct jfr_printed *p, struct json *j)
{
	struct str key, name;

	jfr_printed_begin(p, STR(""));
	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("values")))
			read_values(p, j);
		else if (!str_eq(key, STR("type")))
			json_skip(j);
		else if (json_string(j, &name))
			jfr_printed_begin(p, name);
	}
	if (json_bad(j) == NULL) {
		p->in->tally->good++;
		jfr_printed_end(p);
	}
}

static void
read_events(struct jfr_printed *p, struct json *j)
{
	struct str key;

	if (!json_expect(j, '{'))
		return;
	while (json_key(j, &key)) {
		if (!str_eq(key, STR("events"))) {
			json_skip(j);
		} else if (json_expect(j, '[')) {
			while (json_more(j))
				read_event(p, j);
		}
	}
}

void
jfr_json_read(struct input *in, struct sink *out, const struct jfr_options *opt)
{
	struct jfr_printed p = { .in = in, .out = out, .opt = opt };
	struct json *j = json_new(in);
	struct str key;
	const char *bad;

	if (json_expect(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("recording")))
				read_events(&p, j);
			else
				json_skip(j);
		}
	}
	bad = json_end(j);
	if (bad != NULL)
		input_bad(in, "%s", bad);
	json_free(j);
	jfr_printed_finish(&p);
}
