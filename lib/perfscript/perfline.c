/* perfline.c - parses single lines of perf script text. */
#include "perfscript/perfline.h"

struct str
perfline_word(struct str *s)
{
	struct str word = { s->p, 0 };

	while (s->len > 0 && (*s->p == ' ' || *s->p == '\t'))
		*s = str_skip(*s, 1);
	word.p = s->p;
	while (word.len < s->len && word.p[word.len] != ' ' &&
	       word.p[word.len] != '\t')
		word.len++;
	*s = str_skip(*s, word.len);
	return word;
}

bool
perfline_time(struct str s, uint64_t *ns)
{
	const char *p = s.p, *end = p + s.len, *point;
	uint64_t n = 0;

	while (p < end && str_isdigit(*p))
		n = 10 * n + (uint64_t)(*p++ - '0');
	point = p;
	/* 10 digits of seconds and 9 of nanoseconds fit into 64 bits. */
	if (p == s.p || p == end || *p++ != '.' || point - s.p > 10 ||
	    p == end || end - p > 9)
		return false;
	while (p < end && str_isdigit(*p))
		n = 10 * n + (uint64_t)(*p++ - '0');
	if (p < end)
		return false;
	for (; p - point <= 9; p++)
		n *= 10;
	*ns = n;
	return true;
}

static bool
is_time(struct str word)
{
	uint64_t ns;

	if (word.len < 4 || word.p[word.len - 1] != ':' ||
	    !str_isdigit(*word.p))
		return false;
	word.len--;
	return perfline_time(word, &ns);
}

static bool
parse_id(struct str s, int64_t *id)
{
	uint64_t n;

	if (str_starts(s, STR("-"))) { /* the idle task of some versions */
		if (!str_eq(s, STR("-1")))
			return false;
		*id = -1;
		return true;
	}
	if (!str_u64(s, &n) || n > INT32_MAX)
		return false;
	*id = (int64_t)n;
	return true;
}

/* "tid" or "pid/tid" */
static bool
parse_ids(struct str word, struct perfline_head *h)
{
	struct str tid = word, pid = str_cut(&tid, '/');

	h->pid = -1;
	if (str_find(word, '/') == NULL)
		return parse_id(word, &h->tid);
	return parse_id(pid, &h->pid) && parse_id(tid, &h->tid);
}

/* "[002]" */
static bool
parse_cpu(struct str word, int64_t *cpu)
{
	if (word.len < 3 || *word.p != '[' || word.p[word.len - 1] != ']')
		return false;
	return parse_id(str_range(word.p + 1, word.p + word.len - 1), cpu);
}

/* Set the comm: the line up to the ids. */
static bool
set_comm(struct str line, const char *ids, struct perfline_head *h)
{
	h->comm = str_trim(str_range(line.p, ids));
	return h->comm.len > 0;
}

/* The last word of s; *before is what precedes the word. */
static struct str
last_word(struct str s, struct str *before)
{
	const char *p;

	s = str_rtrim(s);
	for (p = s.p + s.len; p > s.p && p[-1] != ' ' && p[-1] != '\t';)
		p--;
	*before = str_range(s.p, p);
	return str_range(p, s.p + s.len);
}

/*
 * Parse the part before the time or event: comm, ids, perhaps the cpu and other
 * fields of perf script -F.  A comm may look like any field, so parsing starts
 * at the end.
 */
static bool
parse_left(struct str line, const char *end, struct perfline_head *h)
{
	struct str rest = str_range(line.p, end), before, word;
	int words;

	h->cpu = -1;
	for (words = 0; words < 5; words++) {
		word = last_word(rest, &before);
		if (words < 4 && parse_cpu(word, &h->cpu)) {
			rest = before;
			continue;
		}
		if (parse_ids(word, h))
			return set_comm(line, word.p, h);
		rest = before; /* "d..2", flags; "U", misc; a date and time */
	}
	return false;
}

/* Parse the same part of a thread without a name: ids, perhaps the cpu. */
static bool
parse_nameless(struct str line, const char *end, struct perfline_head *h)
{
	struct str rest = str_range(line.p, end), word = perfline_word(&rest);

	h->cpu = -1;
	h->comm = (struct str){ line.p, 0 };
	rest = str_trim(rest);
	return parse_ids(word, h) &&
	       (rest.len == 0 || parse_cpu(rest, &h->cpu));
}

/*
 * Parse a period; *huge is set if it exceeds 64 bits.  False if the word is no
 * number.
 */
static bool
parse_period(struct str word, uint64_t *period, bool *huge)
{
	size_t i;

	*huge = false;
	if (str_u64(word, period))
		return true;
	for (i = 0; i < word.len; i++) {
		if (!str_isdigit(word.p[i]))
			return false;
	}
	*period = 0;
	*huge = word.len > 0;
	return *huge;
}

/* "event:", without the colon; false if the word has no colon. */
static bool
parse_event(struct str word, struct str *event)
{
	if (word.len < 2 || word.p[word.len - 1] != ':')
		return false;
	*event = str_range(word.p, word.p + word.len - 1);
	return true;
}

/* Parse the part after the time: period, event, and the rest. */
static void
parse_right(struct str right, struct perfline_head *h)
{
	struct str rest = right, word = perfline_word(&rest);
	uint64_t period;

	h->period = 0;
	h->period_text = str_range(word.p, word.p);
	h->rest = str_trim(right);
	h->event = (struct str){ word.p, 0 };
	if (parse_period(word, &period, &h->huge)) {
		h->period_text = word;
		word = perfline_word(&rest);
		if (!parse_event(word, &h->event)) {
			/* no event: the digits may be a frame's address */
			h->period_text.len = 0;
			h->huge = false;
			return;
		}
		h->period = period;
		h->rest = str_trim(rest);
	} else if (parse_event(word, &h->event)) {
		h->rest = str_trim(rest);
	}
}

/* Parse the part before an event: the ids, or the ids and a period. */
static bool
parse_before_event(struct str line, struct str event, struct perfline_head *h)
{
	struct str left = str_range(line.p, event.p), before, word;
	uint64_t n;

	word = last_word(left, &before);
	h->period = 0;
	h->period_text = (struct str){ event.p, 0 };
	/* The last number is the period where another one precedes it. */
	if (parse_period(word, &n, &h->huge) &&
	    parse_left(line, before.p + before.len, h)) {
		h->period = n;
		h->period_text = word;
		return true;
	}
	h->huge = false;
	return parse_left(line, event.p, h);
}

/*
 * Parse a head without a time: "comm ids event: ...", or "comm ids " with the
 * blank that perf prints, which the caller has cut off.
 */
static bool
parse_timeless(struct str line, bool had_blank, struct perfline_head *h)
{
	struct str rest = line, word;

	h->has_time = false;
	h->time_text = h->period_text = h->rest = h->event =
	    (struct str){ line.p + line.len, 0 };
	h->period = 0;
	h->huge = false;
	perfline_word(&rest); /* a comm has at least one word */
	while ((word = perfline_word(&rest)).len > 0) {
		if (!parse_event(word, &h->event))
			continue;
		h->rest = str_trim(rest);
		if (parse_before_event(line, word, h))
			return true;
	}
	h->event.len = h->rest.len = 0;
	return had_blank && parse_left(line, line.p + line.len, h);
}

/*
 * Parse a head whose time is one of the first words after the first one;
 * parse() reads the part before the time.
 */
static bool
parse_timed(struct str line,
	    bool (*parse)(struct str, const char *, struct perfline_head *),
	    size_t words, struct perfline_head *h)
{
	struct perfline_head first = { 0 };
	struct str rest = line, word;
	uint64_t ns;

	perfline_word(&rest);
	while (words-- > 0 && (word = perfline_word(&rest)).len > 0) {
		if (!is_time(word) || !parse(line, word.p, h))
			continue;
		h->time_text = str_range(word.p, word.p + word.len - 1);
		h->has_time = perfline_time(h->time_text, &h->time);
		parse_right(rest, h);
		/* Without an event, all of this may belong to a comm. */
		if (h->event.len > 0 && !perfline_time(h->event, &ns))
			return true;
		if (!first.has_time)
			first = *h;
	}
	*h = first;
	return first.has_time;
}

bool
perfline_head(struct str line, struct perfline_head *h)
{
	struct str text = str_trim(line);

	return parse_timed(text, parse_left, SIZE_MAX, h) ||
	       parse_timed(text, parse_nameless, 2, h) ||
	       parse_timeless(text, str_ends(line, STR(" ")), h);
}

/* Cut a number off, "0x1f" or "0", and the end character after it. */
static bool
cut_hex(struct str *s, char end, uint64_t *n)
{
	struct str word = str_cut(s, end);

	if (str_starts(word, STR("0x")))
		word = str_skip(word, 2);
	return str_hex(word, n);
}

bool
perfline_map(struct str text, struct perfline_map *m)
{
	struct str word = str_cut(&text, ' '), tail;
	uint64_t pid;

	if (!str_eq(word, STR("PERF_RECORD_MMAP2")) &&
	    !str_eq(word, STR("PERF_RECORD_MMAP")))
		return false;
	if (!str_u64(str_cut(&text, '/'), &pid) || pid > INT32_MAX)
		return false;
	m->pid = (int64_t)pid;
	str_cut(&text, '[');
	if (!cut_hex(&text, '(', &m->start) || !cut_hex(&text, ')', &m->size) ||
	    !str_starts(text, STR(" @ ")))
		return false;
	text = str_skip(text, 3);
	tail = str_cut(&text, ']');
	if (!cut_hex(&tail, ' ', &m->offset) || !str_starts(text, STR(": ")))
		return false;
	text = str_skip(text, 2);
	word = str_cut(&text, ' ');
	m->path = text;
	return str_find(word, 'x') != NULL;
}

bool
perfline_lost(struct str text, uint64_t *lost)
{
	const struct str begin = STR("PERF_RECORD_LOST lost ");

	return str_starts(text, begin) &&
	       str_u64(str_skip(text, begin.len), lost);
}
