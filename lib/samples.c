/* samples.c - the samples of a stream, one after another, read fast. */
#include "samples.h"

#include "folded.h"
#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Texts that differ in arguments are as many as there are calls. */
#define MAX_ORIGINS 65536

static void
forget_origins(struct samples *s)
{
	intern_free(s->texts);
	s->texts = intern_new();
	s->norigins = 0;
}

/* What has the value of a key: a sample's own metadata, or the header. */
static const struct meta *
with_key(const struct samples *s, const struct meta *own, const char *key)
{
	return meta_has(own, key) ? own : &s->header;
}

static int64_t
number(const struct samples *s, const struct meta *own, const char *key)
{
	uint64_t n;

	return meta_u64(with_key(s, own, key), key, &n) && n <= INT64_MAX ?
		   (int64_t)n :
		   -1;
}

static uint32_t
thread_of(struct samples *s, int64_t id)
{
	uint32_t thread;

	if (!map_get(&s->threads, (uint64_t)id, &thread)) {
		thread = s->nthreads++;
		map_put(&s->threads, (uint64_t)id, thread);
	}
	return thread;
}

static void
set_origin(struct samples *s, struct origin *o, const struct meta *own)
{
	struct str args = meta_get(own, "args"), text;

	*o = (struct origin){ .pid = number(s, own, "pid"),
			      .tid = number(s, own, "tid"),
			      .cpu = number(s, own, "cpu") };
	o->thread = thread_of(s, o->tid >= 0 ? o->tid : o->pid);
	meta_u64(with_key(s, own, "lost"), "lost", &o->lost);
	s->scratch.len = 0;
	meta_decode(&s->scratch, meta_get(with_key(s, own, "event"), "event"));
	o->event = intern_id(s->events, buf_slice(&s->scratch));
	/* The slice has to live as long as the text does. */
	text = intern_name(s->texts, (uint32_t)s->norigins);
	if (args.len > 0)
		o->args = (struct str){ str_search(text, args), args.len };
	if (o->args.p == NULL)
		o->args.len = 0;
}

/* Set the keys of a line on top of those there are; false if it has none. */
static bool
add_keys(const struct samples *s, struct meta *m, struct str line)
{
	if (m->n + meta_keys(line) > META_MAX)
		errx(2, "%s:%" PRIu64 ": more than %d keys of metadata",
		     s->in->name, s->in->line, META_MAX);
	return meta_parse(m, line);
}

/* The same of a text, which is a line without '#' and may be empty. */
static bool
add_text(const struct samples *s, struct meta *m, struct str text)
{
	struct buf line = { 0 };
	bool good = true;

	if (text.len > 0) {
		buf_char(&line, '#');
		buf_str(&line, text);
		good = add_keys(s, m, buf_slice(&line));
	}
	buf_free(&line);
	return good;
}

/* Let a text hold that is not known yet; false if it is no metadata. */
static bool
enter_new(struct samples *s, struct str text)
{
	struct meta m = { 0 };
	bool good;

	good = add_text(s, &m, text) && !meta_has(&m, "fold");
	if (good) {
		s->origin = mem_grow(s->origin, &s->origin_cap, s->norigins + 1,
				     sizeof(*s->origin));
		s->now = intern_id(s->texts, text);
		set_origin(s, &s->origin[s->norigins], &m);
		s->norigins++;
	}
	meta_free(&m);
	return good;
}

/* Where a text is among those that came last: some bytes tell most apart. */
static uint32_t *
recent(struct samples *s, struct str text)
{
	uint64_t part[4] = { 0 };

	if (text.len >= sizeof(part)) {
		memcpy(part, text.p, 3 * sizeof(*part));
		memcpy(part + 3, text.p + text.len - sizeof(*part),
		       sizeof(*part));
	}
	part[0] ^= part[1] << 7 ^ part[2] << 15 ^ part[3] << 23 ^ text.len;
	return &s->recent[part[0] * 0x9e3779b97f4a7c15 >>
			  (64 - SAMPLES_RECENT_BITS)];
}

/* Let a text hold; false if it is no metadata. */
static bool
enter(struct samples *s, struct str text)
{
	uint32_t *last = recent(s, text);

	if (*last < s->norigins && str_eq(intern_name(s->texts, *last), text)) {
		s->now = *last;
		return true;
	}
	if (!intern_find(s->texts, text, &s->now) && !enter_new(s, text))
		return false;
	*last = s->now;
	return true;
}

static void
check_header(const struct samples *s)
{
	uint64_t counts = 1;

	if (!str_eq(meta_get(&s->header, "fold"), STR("1")))
		errx(2, "%s:%" PRIu64 ": folded text of version %s, not 1",
		     s->in->name, s->in->line, meta_get(&s->header, "fold").p);
	meta_u64(&s->header, "counts", &counts);
	if (counts != 1)
		errx(2, "%s:%" PRIu64 ": two counts a line are no samples",
		     s->in->name, s->in->line);
}

/* What holds for all samples to come. */
static void
begin_header(struct samples *s, struct meta *m)
{
	const struct str clock = meta_get(m, "clock");

	meta_free(&s->header);
	s->header = *m;
	s->headers++;
	check_header(s);
	if (s->clock.len == 0)
		buf_str(&s->clock, clock);
	else if (clock.len > 0 && !str_eq(clock, buf_slice(&s->clock)))
		s->mixes_clocks = true;
	forget_origins(s);
	s->pending = s->old = s->has_time = false;
}

/* Let a line's keys hold, on top of those that came for the same stack. */
static void
hold(struct samples *s, struct str line)
{
	struct meta m = { 0 };
	struct buf text = { 0 };

	if (s->pending)
		add_text(s, &m, intern_name(s->texts, s->now));
	add_keys(s, &m, line);
	s->pending = true;
	s->has_time |= meta_ns(&m, "time", &s->time);
	meta_unset(&m, "time");
	meta_print(&text, &m);
	enter(s, text.len == 0 ? STR("") :
				 str_range(text.p + 1, text.p + text.len - 1));
	buf_free(&text);
	meta_free(&m);
}

/*
 * Metadata that are not only a time and a text, or that are no metadata.
 * False, and nothing done, of a header when samples before it wait.
 */
static bool
take_odd_meta(struct samples *s, struct str line)
{
	struct meta m = { 0 };
	bool is_header;

	if (!add_keys(s, &m, line))
		return true;
	is_header = meta_has(&m, "fold");
	if (is_header && s->batch.n == 0) {
		begin_header(s, &m);
		return true;
	}
	meta_free(&m);
	if (!is_header)
		hold(s, line);
	return !is_header;
}

/* Eight digits at once; false if one of the bytes is none. */
static bool
take_digits(const char *p, uint64_t *n)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		v = __builtin_bswap64(v);
	/* Digits are 0x30 to 0x39: a 6 more, and they still begin with 3. */
	if (((v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0) !=
	    0x3030303030303030)
		return false;
	/* The first is the lowest: add up neighbours, pairs, and fours. */
	v = (v & 0x0f0f0f0f0f0f0f0f) * (1 + (10 << 8)) >> 8;
	v = (v & 0x00ff00ff00ff00ff) * (1 + (100 << 16)) >> 16;
	*n = (v & 0x0000ffff0000ffff) * (1 + (UINT64_C(10000) << 32)) >> 32;
	return true;
}

/*
 * Seconds with nine decimals, up to the ';' behind them; false if it is not.
 * There are bytes behind the block.
 */
static bool
take_time(struct str *s, uint64_t *time)
{
	const char *p = s->p, *end = p + s->len;
	uint64_t seconds = 0, ns;
	int i;

	for (i = 0; i < 10 && p < end && str_isdigit(*p); i++, p++)
		seconds = 10 * seconds + (uint64_t)(*p - '0');
	if (i == 0 || end - p < 10 || *p != '.' || !take_digits(p + 1, &ns) ||
	    !str_isdigit(p[9]))
		return false;
	*time = 1000000000 * seconds + 10 * ns + (uint64_t)(p[9] - '0');
	p += 10;
	if (p < end && *p++ != ';')
		return false;
	*s = str_range(p, end);
	return true;
}

static bool
take_meta(struct samples *s, struct str line)
{
	struct str rest = str_skip(line, 6);
	uint64_t time;

	if (s->old && meta_keys(line) > 0)
		s->pending = s->old = s->has_time = false;
	if (!s->pending && str_starts(line, STR("#time=")) &&
	    take_time(&rest, &time) && enter(s, rest)) {
		s->pending = s->has_time = true;
		s->time = time;
		return true;
	}
	return take_odd_meta(s, line);
}

/* A count that is not just a few digits behind a blank. */
static bool
take_odd_count(const struct samples *s, struct str *line, struct count *count)
{
	const char *p = line->p + line->len;
	enum count_error e;

	while (p > line->p && p[-1] != ' ' && p[-1] != '\t')
		p--;
	e = p == line->p ?
		COUNT_BAD :
		count_parse(str_range(p, line->p + line->len), count);
	if (e == COUNT_OVERFLOW)
		errx(2, "%s:%" PRIu64 ": count beyond 64 bits", s->in->name,
		     s->in->line);
	*line = str_range(line->p, p);
	return e == COUNT_OK;
}

static bool
take_count(const struct samples *s, struct str *line, struct count *count)
{
	const char *p = line->p + line->len;
	uint64_t n = 0, place = 1;
	int digits;

	for (digits = 0; digits < 18 && p > line->p && str_isdigit(p[-1]);
	     digits++, place *= 10)
		n += (uint64_t)(*--p - '0') * place;
	if (digits == 0 || p - line->p < 2 || p[-1] != ' ' || p[-2] == ' ')
		return take_odd_count(s, line, count);
	*count = count_of(n);
	*line = str_range(line->p, p - 1);
	return true;
}

/* Most who give us what is no stream have left out an option. */
static void
no_sample(struct samples *s, const char *reason)
{
	input_bad(s->in, "%s", reason);
	s->in->tally->advice = "stackcollapse --samples makes a stream of "
			       "samples of what a profiler wrote";
}

static void
take_stack(struct samples *s, struct str line)
{
	struct samples_batch *b = &s->batch;
	struct samples_head *head = &b->head[b->n];

	s->old = true; /* unless it is understood */
	if (!take_count(s, &line, &head->count)) {
		no_sample(s, "no count at the end of the line");
		return;
	}
	line = folded_trim(line);
	if (line.len == 0) {
		input_bad(s->in, "a count without a stack");
		return;
	}
	if (!s->has_time) {
		no_sample(s, "a sample without its time");
		return;
	}
	s->in->tally->good++;
	head->origin = s->now;
	head->time = s->time;
	head->line = s->in->line;
	b->text[b->n++] = line;
	s->pending = s->old = s->has_time = false;
}

static struct str
next_line(struct samples *s)
{
	const size_t *begin = s->lines.begin + s->next++;
	struct str line = str_range(s->block.p + begin[0],
				    s->block.p + begin[1] - 1);

	s->in->line++;
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	return line;
}

/*
 * Read samples of one block, for a text lives no longer; and what begins a
 * batch may change what all have in common.
 */
static void
fill(struct samples *s)
{
	struct samples_batch *b = &s->batch;
	struct str line;

	b->n = b->next = 0;
	if (s->norigins > MAX_ORIGINS && !s->pending)
		forget_origins(s);
	while (b->n < SAMPLES_BATCH && s->next < s->lines.n) {
		line = next_line(s);
		if (line.len > 0 && *line.p != '#') {
			take_stack(s, line);
		} else if (line.len > 0 && !take_meta(s, line)) {
			s->next--;
			s->in->line--;
			break;
		}
	}
	intern_ids(s->stacks, b->text, b->n, b->stack);
}

/* Read on; false at the end of the input. */
static bool
read_on(struct samples *s)
{
	do {
		if (s->next == s->lines.n) {
			if (!input_block(s->in, &s->block))
				return false;
			lines_find(&s->lines, s->block);
			s->next = 0;
		}
		fill(s);
	} while (s->batch.n == 0);
	return true;
}

void
samples_begin(struct samples *s, struct input *in)
{
	if (s->stacks == NULL) {
		s->stacks = intern_new();
		s->events = intern_new();
	}
	s->in = in;
	s->lines.n = s->next = s->batch.n = s->batch.next = 0;
	meta_free(&s->header);
	s->headers++;
	map_free(&s->threads);
	s->nthreads = 0;
	forget_origins(s);
	s->pending = s->old = s->has_time = false;
}

bool
samples_next(struct samples *s, struct sample_line *sample)
{
	struct samples_batch *b = &s->batch;
	const struct samples_head *head;

	if (b->next == b->n && !read_on(s))
		return false;
	head = &b->head[b->next];
	sample->time = head->time;
	sample->line = head->line;
	sample->origin = &s->origin[head->origin];
	sample->stack = b->stack[b->next++];
	sample->count = head->count;
	return true;
}

void
samples_free(struct samples *s)
{
	intern_free(s->stacks);
	intern_free(s->events);
	intern_free(s->texts);
	meta_free(&s->header);
	lines_free(&s->lines);
	map_free(&s->threads);
	free(s->origin);
	buf_free(&s->scratch);
	buf_free(&s->clock);
	*s = (struct samples){ 0 };
}
