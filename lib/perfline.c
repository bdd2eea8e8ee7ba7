/* perfline.c - single lines of perf script text. */
#include "perfline.h"

#include "name.h"

/* The next word of *s, and what follows it; empty at the end. */
static struct str
next_word(struct str *s)
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
to_id(struct str s, int64_t *id)
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
		return to_id(word, &h->tid);
	return to_id(pid, &h->pid) && to_id(tid, &h->tid);
}

/* "[002]" */
static bool
parse_cpu(struct str word, int64_t *cpu)
{
	if (word.len < 3 || *word.p != '[' || word.p[word.len - 1] != ']')
		return false;
	return to_id(str_range(word.p + 1, word.p + word.len - 1), cpu);
}

/* Set the comm, which is the line up to the ids. */
static bool
set_comm(struct str line, const char *ids, struct perfline_head *h)
{
	h->comm = str_trim(str_range(line.p, ids));
	return h->comm.len > 0;
}

/* The last word of s, without what precedes it; *before is the rest. */
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
 * What stands before the time or event: comm, ids, perhaps the cpu, and more of
 * perf script -F.  A comm may look like anything, so it is read from its end.
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

/* The same of a thread without a name: ids, and perhaps the cpu. */
static bool
parse_nameless(struct str line, const char *end, struct perfline_head *h)
{
	struct str rest = str_range(line.p, end), word = next_word(&rest);

	h->cpu = -1;
	h->comm = (struct str){ line.p, 0 };
	rest = str_trim(rest);
	return parse_ids(word, h) &&
	       (rest.len == 0 || parse_cpu(rest, &h->cpu));
}

/*
 * A period; *huge tells that it is one, but beyond 64 bits.  False if the word
 * is none.
 */
static bool
parse_period(struct str word, uint64_t *period, bool *huge)
{
	size_t i;

	*huge = false;
	if (str_u64(word, period))
		return true;
	for (i = 0; i < word.len; i++)
		if (!str_isdigit(word.p[i]))
			return false;
	*period = 0;
	*huge = word.len > 0;
	return *huge;
}

/* "event:" with the colon off; false if the word has none. */
static bool
parse_event(struct str word, struct str *event)
{
	if (word.len < 2 || word.p[word.len - 1] != ':')
		return false;
	*event = str_range(word.p, word.p + word.len - 1);
	return true;
}

/* What stands behind the time: period, event, and the rest. */
static void
parse_right(struct str right, struct perfline_head *h)
{
	struct str rest = right, word = next_word(&rest);
	uint64_t period;

	h->period = 0;
	h->period_text = str_range(word.p, word.p);
	h->rest = str_trim(right);
	h->event = (struct str){ word.p, 0 };
	if (parse_period(word, &period, &h->huge)) {
		h->period_text = word;
		word = next_word(&rest);
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

/* What stands before an event: the ids, or the ids and a period. */
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
 * A head without a time: "comm ids event: ...", or "comm ids " with nothing
 * behind but the blank that perf prints, which is cut off here.
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
	next_word(&rest); /* a comm has at least one word */
	while ((word = next_word(&rest)).len > 0) {
		if (!parse_event(word, &h->event))
			continue;
		h->rest = str_trim(rest);
		if (parse_before_event(line, word, h))
			return true;
	}
	h->event.len = h->rest.len = 0;
	return had_blank && parse_left(line, line.p + line.len, h);
}

/* A head whose time is one of so many words; parse() reads what is before. */
static bool
parse_timed(struct str line,
	    bool (*parse)(struct str, const char *, struct perfline_head *),
	    size_t words, struct perfline_head *h)
{
	struct perfline_head first = { 0 };
	struct str rest = line, word;
	uint64_t ns;

	next_word(&rest);
	while (words-- > 0 && (word = next_word(&rest)).len > 0) {
		if (!is_time(word) || !parse(line, word.p, h))
			continue;
		h->time_text = str_range(word.p, word.p + word.len - 1);
		h->has_time = perfline_time(h->time_text, &h->time);
		parse_right(rest, h);
		/* Without an event, all this may be of a comm. */
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
	struct str text = str_trim(line); /* once, not from each word */

	return parse_timed(text, parse_left, SIZE_MAX, h) ||
	       parse_timed(text, parse_nameless, 2, h) ||
	       parse_timeless(text, str_ends(line, STR(" ")), h);
}

/* The start of " (module)" at the end of s, matched by its parentheses. */
static const char *
module_start(struct str s)
{
	const char *p = s.p + s.len;
	int depth = 0;

	while (p > s.p) {
		p--;
		depth += (*p == ')') - (*p == '(');
		if (depth == 0)
			return p == s.p || p[-1] == ' ' ? p : NULL;
	}
	return NULL;
}

/*
 * The end of the name where it has an offset, "f+0x1f (": that cannot be
 * mistaken, whatever parentheses the name and the module hold.
 */
static const char *
offset_end(struct str s)
{
	const char *p = s.p, *end = s.p + s.len;

	while ((p = str_search(str_range(p, end), STR("+0x"))) != NULL) {
		for (p += 3; p < end && str_hexdigit(*p) >= 0;)
			p++;
		if (p[-1] != 'x' && end - p > 2 && p[0] == ' ' && p[1] == '(')
			return p;
	}
	return NULL;
}

/* Split "name+0x1f (module)"; false if there is no module. */
static bool
split_module(struct str s, struct perfline_frame *f)
{
	const char *p;

	if (s.len < 2 || s.p[s.len - 1] != ')')
		return false;
	p = offset_end(s);
	p = p != NULL ? p + 1 : module_start(s);
	if (p == NULL) /* unbalanced: perhaps "(/a/b) c)" */
		p = str_search(s, STR(" (/"));
	if (p == NULL)
		return false;
	p += *p == ' ';
	f->name = str_trim(str_range(s.p, p));
	/* perf script -F +dsoff adds where in the file it is: "/bin/x+0x1f" */
	f->module = name_strip_offset(str_range(p + 1, s.p + s.len - 1));
	return true;
}

/* "[kernel.kallsyms]", "/lib/.../x.ko.xz", "vmlinux-5.4", "bpf_prog_1f_x" */
static bool
is_kernel(struct str module)
{
	static const char *const user[] = {
		"[unknown]", "[heap]",    "[stack",   "[vdso",
		"[vvar",     "[vsyscall", "[anon",    "[uprobes",
		"[JIT",      "[vectors]", "[sigpage]"
	};
	static const char *const ends[] = { ".ko", ".ko.gz", ".ko.xz",
					    ".ko.zst", ".ko.bz2" };
	struct str base = str_basename(module);
	size_t i;

	if (str_starts(module, STR("["))) {
		for (i = 0; i < sizeof(user) / sizeof(*user); i++)
			if (str_starts(module, str_of(user[i])))
				return false;
		return true;
	}
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (str_ends(base, str_of(ends[i])))
			return true;
	return str_eq(base, STR("vmlinux")) ||
	       str_starts(base, STR("vmlinux-")) ||
	       str_starts(module, STR("bpf_")); /* no path: of KSYMBOL */
}

/* "/tmp/perf-123.map", "jitted-1-2.so", "[JIT] tid 1", "[JIT app cache]" */
static bool
is_jit(struct str module)
{
	struct str base = str_basename(module);
	uint64_t pid;

	if (str_starts(module, STR("[JIT")))
		return true;
	if (str_starts(base, STR("jitted-")))
		return str_ends(base, STR(".so"));
	return str_starts(base, STR("perf-")) && str_ends(base, STR(".map")) &&
	       str_u64(str_range(base.p + 5, base.p + base.len - 4), &pid);
}

enum perfline_kind
perfline_kind(struct str module)
{
	if (str_eq(module, STR("inlined")))
		return PERFLINE_INLINE;
	if (is_kernel(module))
		return PERFLINE_KERNEL;
	return is_jit(module) ? PERFLINE_JIT : PERFLINE_USER;
}

bool
perfline_frame(struct str line, bool strict, struct perfline_frame *f)
{
	struct str name, rest = line, addr = next_word(&rest);
	uint64_t offset;

	if (!str_hex(addr, &f->addr))
		return false;
	rest = str_trim(rest);
	f->module = (struct str){ rest.p, 0 };
	if (!split_module(rest, f)) {
		if (strict)
			return false;
		f->name = rest;
	}
	name = name_strip_offset(f->name);
	f->offset = NO_OFFSET;
	if (name.len < f->name.len)
		str_hex(str_skip(f->name, name.len + 3), &f->offset);
	f->name = name;
	/* What a JIT gave no name, perf prints as the offset alone. */
	if (str_starts(f->name, STR("+0x")) && is_jit(f->module) &&
	    str_hex(str_skip(f->name, 3), &offset))
		f->name.len = 0;
	return true;
}

bool
perfline_only_frame(struct str rest, struct perfline_frame *f)
{
	enum { DIGITS = 6 }; /* of an address, at least */
	struct str left = rest, last = rest, word = next_word(&left);
	uint64_t n;

	if (!str_hex(word, &n))
		return false;
	while ((word = next_word(&left)).len > 0)
		if (word.len >= DIGITS && str_hex(word, &n) && left.len > 0)
			last = str_range(word.p, rest.p + rest.len);
	return perfline_frame(last, true, f) || perfline_frame(rest, true, f);
}

bool
perfline_source(struct str line, struct str *source)
{
	struct str s = str_trim(line);
	const char *p, *bracket;
	uint64_t n;

	*source = s;
	if (s.len == 0 || *line.p != ' ')
		return false;
	/* "libc-2.33.so[27b25]": no line, the module */
	if (s.p[s.len - 1] == ']' && (bracket = str_find(s, '[')) != NULL) {
		*source = str_range(s.p, bracket);
		return true;
	}
	p = memrchr(s.p, ':', s.len);
	if (p == NULL)
		return false;
	return str_u64(str_range(p + 1, s.p + s.len), &n);
}

/* "0x1f", or "0"; what stands before end is taken. */
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
