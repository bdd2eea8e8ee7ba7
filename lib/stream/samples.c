/* samples.c - fast reader of sample streams. */
#include "stream/samples.h"

#include "base/mem.h"
#include "folded/folded.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Arguments of probes make a new text for each call: start anew then. */
#define MAX_ORIGINS 65536

static void
forget_origins(struct samples *s)
{
	intern_free(s->texts);
	s->texts = intern_new();
	s->norigins = 0;
}

/* Where to find a key: in the sample's own metadata or in the header. */
static const struct meta *
with_key(const struct samples *s, const struct meta *own, const char *key)
{
	return meta_has(own, key) ? own : &s->header;
}

static int64_t
meta_number(const struct samples *s, const struct meta *own, const char *key)
{
	uint64_t n;

	return meta_u64(with_key(s, own, key), key, &n) && n <= INT64_MAX ?
		   (int64_t)n :
		   -1;
}

static uint32_t
thread_number(struct samples *s, int64_t id)
{
	uint32_t thread;

	if (!u64map_get(&s->threads, (uint64_t)id, &thread)) {
		thread = s->nthreads++;
		u64map_put(&s->threads, (uint64_t)id, thread);
	}
	return thread;
}

static void
set_origin(struct samples *s, struct origin *o, const struct meta *own)
{
	struct str args = meta_get(own, "args"), text;

	*o = (struct origin){ .pid = meta_number(s, own, "pid"),
			      .tid = meta_number(s, own, "tid"),
			      .cpu = meta_number(s, own, "cpu") };
	o->thread = thread_number(s, o->tid >= 0 ? o->tid : o->pid);
	meta_u64(with_key(s, own, "lost"), "lost", &o->lost);
	s->scratch.len = 0;
	meta_decode(&s->scratch, meta_get(with_key(s, own, "event"), "event"));
	o->event = intern_id(s->events, buf_slice(&s->scratch));
	/* A slice of the text lives as long as the origin. */
	text = intern_name(s->texts, (uint32_t)s->norigins);
	if (args.len > 0)
		o->args = (struct str){ str_search(text, args), args.len };
	if (o->args.p == NULL)
		o->args.len = 0;
}

/* Add the keys of a line to m; false if it is not metadata. */
static bool
add_keys(const struct samples *s, struct meta *m, struct str line)
{
	if (m->n + meta_keys(line) > META_MAX)
		errx(2, "%s:%" PRIu64 ": more than %d keys of metadata",
		     s->in->name, s->in->line, META_MAX);
	return meta_parse(m, line);
}

/* The same for a text, which is a line without '#' and may be empty. */
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

/* Add a new text and its origin; false if it is not metadata. */
static bool
add_origin(struct samples *s, struct str text)
{
	struct meta m = { 0 };
	bool good;

	good = add_text(s, &m, text) && !meta_has(&m, "fold");
	if (good) {
		s->origin = mem_grow(s->origin, &s->origin_cap, s->norigins + 1,
				     sizeof(*s->origin));
		s->text = intern_id(s->texts, text);
		set_origin(s, &s->origin[s->norigins], &m);
		s->norigins++;
	}
	meta_free(&m);
	return good;
}

/* The place of a text in the cache of recent texts: a fast hash. */
static uint32_t *
recent_place(struct samples *s, struct str text)
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

/* Make a text the metadata of the next stack; false if it is malformed. */
static bool
set_text(struct samples *s, struct str text)
{
	uint32_t *last = recent_place(s, text);

	if (*last < s->norigins && str_eq(intern_name(s->texts, *last), text)) {
		s->text = *last;
		return true;
	}
	if (!intern_find(s->texts, text, &s->text) && !add_origin(s, text))
		return false;
	*last = s->text;
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
		errx(2,
		     "%s:%" PRIu64 ": samples have one count per line, not two",
		     s->in->name, s->in->line);
}

/* Set the header of all later samples. */
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
	s->pending = s->malformed = s->has_time = false;
}

/* Add the keys of a line to those of earlier lines for the same stack. */
static void
add_own(struct samples *s, struct str line)
{
	struct meta m = { 0 };
	struct buf text = { 0 };

	if (s->pending)
		add_text(s, &m, intern_name(s->texts, s->text));
	add_keys(s, &m, line);
	s->pending = true;
	s->has_time |= meta_ns(&m, "time", &s->time);
	meta_unset(&m, "time");
	meta_print(&text, &m);
	set_text(s, text.len == 0 ?
			STR("") :
			str_range(text.p + 1, text.p + text.len - 1));
	buf_free(&text);
	meta_free(&m);
}

/*
 * Parse any other line that begins with '#'.  A header after samples of the
 * batch changes nothing and returns false: it has to begin the next batch.
 */
static bool
parse_other_meta(struct samples *s, struct str line)
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
		add_own(s, line);
	return !is_header;
}

/* Parse eight digits at once; false if a byte is not a digit. */
static bool
parse_digits(const char *p, uint64_t *n)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		v = __builtin_bswap64(v);
	/* Digits are 0x30 to 0x39: the high half is 3, also after adding 6. */
	if (((v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0) !=
	    0x3030303030303030)
		return false;
	/* The first digit is the lowest byte: combine pairs, fours, eights. */
	v = (v & 0x0f0f0f0f0f0f0f0f) * (1 + (10 << 8)) >> 8;
	v = (v & 0x00ff00ff00ff00ff) * (1 + (100 << 16)) >> 16;
	*n = (v & 0x0000ffff0000ffff) * (1 + (UINT64_C(10000) << 32)) >> 32;
	return true;
}

/*
 * Cut seconds with nine decimals, and the ';' after them, off *s; false if
 * malformed.  Reading beyond the end is safe: see INPUT_PAD.
 */
static bool
cut_time(struct str *s, uint64_t *time)
{
	const char *p = s->p, *end = p + s->len;
	uint64_t seconds = 0, ns;
	int i;

	for (i = 0; i < 10 && p < end && str_isdigit(*p); i++, p++)
		seconds = 10 * seconds + (uint64_t)(*p - '0');
	if (i == 0 || end - p < 10 || *p != '.' || !parse_digits(p + 1, &ns) ||
	    !str_isdigit(p[9]))
		return false;
	*time = 1000000000 * seconds + 10 * ns + (uint64_t)(p[9] - '0');
	p += 10;
	if (p < end && *p++ != ';')
		return false;
	*s = str_range(p, end);
	return true;
}

/* Parse a line that begins with '#'; most are a time and a known text. */
static bool
parse_meta(struct samples *s, struct str line)
{
	struct str rest = str_skip(line, 6);
	uint64_t time;

	if (s->malformed && meta_keys(line) > 0)
		s->pending = s->malformed = s->has_time = false;
	if (!s->pending && str_starts(line, STR("#time=")) &&
	    cut_time(&rest, &time) && set_text(s, rest)) {
		s->pending = s->has_time = true;
		s->time = time;
		return true;
	}
	return parse_other_meta(s, line);
}

/* Cut any other count off the end of a line; false if malformed. */
static bool
cut_other_count(const struct samples *s, struct str *line, struct count *count)
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

/* Cut a count off the end of a line; most are a blank and a few digits. */
static bool
cut_count(const struct samples *s, struct str *line, struct count *count)
{
	const char *p = line->p + line->len;
	uint64_t n = 0, place = 1;
	int digits;

	for (digits = 0; digits < 18 && p > line->p && str_isdigit(p[-1]);
	     digits++, place *= 10)
		n += (uint64_t)(*--p - '0') * place;
	if (digits == 0 || p - line->p < 2 || p[-1] != ' ' || p[-2] == ' ')
		return cut_other_count(s, line, count);
	*count = count_of(n);
	*line = str_range(line->p, p - 1);
	return true;
}

/* Input that is not a stream mostly lacks an option of stackcollapse. */
static void
report_no_sample(struct samples *s, const char *reason)
{
	input_bad(s->in, "%s", reason);
	s->in->tally->advice = "to make a stream of samples from the output of "
			       "a profiler, use stackcollapse --samples";
}

static void
parse_stack(struct samples *s, struct str line)
{
	struct samples_batch *b = &s->batch;
	struct samples_head *head = &b->head[b->n];

	s->malformed = true; /* until the end of this function */
	if (!cut_count(s, &line, &head->count)) {
		report_no_sample(s, "no count at the end of the line");
		return;
	}
	line = folded_trim(line);
	if (line.len == 0) {
		input_bad(s->in, "a count without a stack");
		return;
	}
	if (!s->has_time) {
		report_no_sample(s, "a sample has no time");
		return;
	}
	s->in->tally->good++;
	head->origin = s->text;
	head->time = s->time;
	head->line = s->in->line;
	b->text[b->n++] = line;
	s->pending = s->malformed = s->has_time = false;
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
 * Read a batch.  It ends with the block, because slices of the block end there,
 * and before a header, because the header changes all origins.
 */
static void
fill_batch(struct samples *s)
{
	struct samples_batch *b = &s->batch;
	struct str line;

	b->n = b->next = 0;
	if (s->norigins > MAX_ORIGINS && !s->pending)
		forget_origins(s);
	while (b->n < SAMPLES_BATCH && s->next < s->lines.n) {
		line = next_line(s);
		if (line.len > 0 && *line.p != '#') {
			parse_stack(s, line);
		} else if (line.len > 0 && !parse_meta(s, line)) {
			s->next--;
			s->in->line--;
			break;
		}
	}
	intern_ids(s->stacks, b->text, b->n, b->stack);
}

/* Read the next batch that is not empty; false at the end of the input. */
static bool
read_batch(struct samples *s)
{
	do {
		if (s->next == s->lines.n) {
			if (!input_block(s->in, &s->block))
				return false;
			lines_find(&s->lines, s->block);
			s->next = 0;
		}
		fill_batch(s);
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
	u64map_free(&s->threads);
	s->nthreads = 0;
	forget_origins(s);
	s->pending = s->malformed = s->has_time = false;
}

bool
samples_next(struct samples *s, struct sample_line *sample)
{
	struct samples_batch *b = &s->batch;
	const struct samples_head *head;

	if (b->next == b->n && !read_batch(s))
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
	u64map_free(&s->threads);
	free(s->origin);
	buf_free(&s->scratch);
	buf_free(&s->clock);
	*s = (struct samples){ 0 };
}
