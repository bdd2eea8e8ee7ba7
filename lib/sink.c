/* sink.c - where samples become folded text. */
#include "sink.h"

#include "event.h"
#include "mem.h"
#include "meta.h"
#include "name.h"
#include "utf8.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A token is the number of a frame's name, or of a sequence of names where
 * one frame of the trace stands for several, "a->b".
 */
#define TOKEN_SEQUENCE 0x80000000u
#define TOKEN_NAMELESS 0x40000000u
#define TOKEN_NUMBER 0x3fffffffu

struct ids {
	uint32_t *id;
	size_t n, cap;
};

struct sequence {
	uint32_t start, n; /* of sink.parts, root first */
};

struct event {
	struct buf name;
	bool wanted;
	uint64_t samples;
};

struct sink {
	struct sink_options opt;
	const struct reader *reader;
	struct cmd *cmd;
	struct fold *fold;
	struct intern *names;

	struct ids stack; /* of the sample, in the reader's order */
	struct ids line;  /* the same from root to leaf, roots first */
	struct ids parts;
	struct sequence *sequence;
	size_t nsequence, sequence_cap;
	uint32_t all_tokens; /* of the sample, and-ed */
	bool truncated;

	/* The sample between its begin and its end; slices are copies. */
	struct sample sample;
	struct buf comm, cgroup;
	struct ids root;
	uint32_t truncated_id;
	struct buf host;

	struct event *event;
	size_t nevent, event_cap, current;

	uint64_t samples, nameless, ntruncated;
	uint64_t first_time, last_time;
	bool has_time, wrote_header, same_count;
	struct count one; /* of the first sample */
	struct buf unit;  /* of the counts; empty where they differ */
	bool mixed_units;
	struct buf text; /* scratch */
};

static void
push(struct ids *ids, uint32_t id)
{
	if (ids->n == ids->cap)
		ids->id = mem_grow(ids->id, &ids->cap, ids->n + 1, sizeof(id));
	ids->id[ids->n++] = id;
}

static void
set(struct buf *b, struct str s)
{
	b->len = 0;
	buf_str(b, s);
}

struct sink *
sink_new(const struct sink_options *options, const struct reader *reader,
	 struct cmd *cmd)
{
	struct sink *s = mem_zero(1, sizeof(*s));
	char host[256] = "";

	s->opt = *options;
	s->reader = reader;
	s->cmd = cmd;
	s->fold = fold_new(1);
	s->names = fold_names(s->fold);
	s->truncated_id = intern_id(s->names, STR("[truncated]"));
	s->sample = SAMPLE_UNKNOWN;
	s->same_count = true;
	gethostname(host, sizeof(host) - 1);
	buf_str(&s->host, str_of(host));
	return s;
}

void
sink_free(struct sink *s)
{
	size_t i;

	fold_free(s->fold);
	free(s->stack.id);
	free(s->line.id);
	free(s->parts.id);
	free(s->root.id);
	free(s->sequence);
	for (i = 0; i < s->nevent; i++)
		buf_free(&s->event[i].name);
	free(s->event);
	buf_free(&s->comm);
	buf_free(&s->cgroup);
	buf_free(&s->host);
	buf_free(&s->unit);
	buf_free(&s->text);
	free(s);
}

/* Frames. */

/* The suffix of a frame as the options have it, or 0. */
static char
suffix(const struct sink_options *opt, enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
		return 0;
	case FRAME_KERNEL:
		return opt->kernel ? 'k' : 0;
	case FRAME_JIT:
		return opt->jit ? 'j' : 0;
	case FRAME_INTERP:
		return opt->jit ? '0' : 0;
	case FRAME_LOWJIT:
		return opt->jit ? '1' : 0;
	case FRAME_INLINE:
		return 'i';
	case FRAME_WAKER:
		return 'w';
	}
	return 0;
}

static bool
has_suffix(struct str s)
{
	const char *tail = s.p + s.len - 4;

	return s.len > 4 && memcmp(tail, "_[", 2) == 0 && tail[3] == ']' &&
	       tail[2] != '\0' && strchr("kjiw01", tail[2]) != NULL;
}

static bool
is_missing(struct str name)
{
	return name.len == 0 || str_eq(name, STR("[unknown]"));
}

/* Write the frame's text, without its suffix; whether it has a name. */
static bool
print_name(const struct sink *s, struct buf *out, const struct frame *f,
	   struct str name, int flavour)
{
	int flags = s->opt.args ? NAME_ARGS : 0;
	struct str module = f->module;

	if (flavour == 1)
		flags |= NAME_JAVA;
	if (!is_missing(name))
		name_clean(out, name, flags);
	if (out->len > 0)
		return true;
	module = is_missing(module) ? STR("") : name_module(module);
	name_missing(out, module,
		     s->opt.addrs && f->has_addr ? &f->addr : NULL);
	return false;
}

/* The token of one name of a frame. */
static uint32_t
one_token(struct sink *s, const struct frame *f, struct str name, int flavour,
	  char mark)
{
	struct buf *out = &s->text;
	uint32_t token = 0;

	out->len = 0;
	if (!print_name(s, out, f, name, flavour))
		token = TOKEN_NAMELESS;
	if (mark != 0 && !has_suffix(buf_slice(out)))
		buf_printf(out, "_[%c]", mark);
	if (f->line.len > 0) {
		buf_char(out, ':');
		utf8_escape(out, f->line);
	}
	return token | intern_id(s->names, buf_slice(out));
}

/*
 * Cut *rest at the arrow behind an inlining caller.  An arrow with blanks is
 * a return type, and "operator->" is a name.
 */
static struct str
cut_arrow(struct str *rest)
{
	struct str s = *rest, head;
	const char *p, *from = s.p;

	for (;;) {
		p = str_search(str_range(from, s.p + s.len), STR("->"));
		if (p == NULL)
			break;
		head = str_range(s.p, p);
		if (head.len > 0 && p + 2 < s.p + s.len && p[-1] != ' ' &&
		    p[2] != ' ' && !str_ends(head, STR("operator"))) {
			*rest = str_range(p + 2, s.p + s.len);
			return head;
		}
		from = p + 2;
	}
	*rest = str_skip(s, s.len);
	return s;
}

uint32_t
sink_token(struct sink *s, const struct frame *f, int flavour)
{
	struct str rest = f->name, name = cut_arrow(&rest);
	char mark = suffix(&s->opt, f->kind);
	uint32_t token = one_token(s, f, name, flavour, mark);
	struct sequence *q;

	if (intern_size(s->names) > TOKEN_NUMBER)
		errx(2, "more than %u names", TOKEN_NUMBER);
	if (rest.len == 0)
		return token;
	s->sequence = mem_grow(s->sequence, &s->sequence_cap, s->nsequence + 1,
			       sizeof(*s->sequence));
	q = &s->sequence[s->nsequence++];
	*q = (struct sequence){ (uint32_t)s->parts.n, 1 };
	push(&s->parts, token & TOKEN_NUMBER);
	while (rest.len > 0) {
		name = cut_arrow(&rest);
		push(&s->parts,
		     one_token(s, f, name, flavour, 'i') & TOKEN_NUMBER);
		q->n++;
	}
	return TOKEN_SEQUENCE | (uint32_t)(s->nsequence - 1);
}

static void
push_sequence(struct sink *s, uint32_t number)
{
	const struct sequence *q = &s->sequence[number];
	uint32_t i;

	for (i = 0; i < q->n; i++) {
		push(&s->stack,
		     s->parts.id[s->reader->order == ROOT_FIRST ?
					 q->start + i :
					 q->start + q->n - 1 - i]);
	}
}

void
sink_push(struct sink *s, const uint32_t *token, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		s->all_tokens &= token[i];
		if ((token[i] & TOKEN_SEQUENCE) != 0)
			push_sequence(s, token[i] & TOKEN_NUMBER);
		else
			push(&s->stack, token[i] & TOKEN_NUMBER);
	}
}

void
sink_frame(struct sink *s, const struct frame *f)
{
	uint32_t token =
		sink_token(s, f, sink_flavour(buf_slice(&s->comm)));

	sink_push(s, &token, 1);
}

int
sink_flavour(struct str comm)
{
	return str_starts(comm, STR("java"));
}

bool
sink_shows_addrs(const struct sink *s)
{
	return s->opt.addrs;
}

void
sink_truncated(struct sink *s)
{
	s->truncated = true;
}

/* Events. */

static bool
is_all(const struct sink_options *opt)
{
	return opt->mix ||
	       (opt->event != NULL && strcmp(opt->event, "all") == 0);
}

static bool
is_wanted(const struct sink *s, struct str event)
{
	if (is_all(&s->opt))
		return true;
	if (s->opt.event != NULL)
		return event_matches(event, str_of(s->opt.event));
	return s->nevent == 0 ||
	       event_same(event, buf_slice(&s->event[0].name));
}

/* Make the event the current one. */
static void
find_event(struct sink *s, struct str name)
{
	struct event *e;
	size_t i;

	if (s->nevent > 0 && str_eq(buf_slice(&s->event[s->current].name), name))
		return;
	for (i = 0; i < s->nevent; i++) {
		if (str_eq(buf_slice(&s->event[i].name), name)) {
			s->current = i;
			return;
		}
	}
	s->event = mem_grow(s->event, &s->event_cap, s->nevent + 1, sizeof(*e));
	e = &s->event[s->nevent];
	*e = (struct event){ .wanted = is_wanted(s, name) };
	buf_str(&e->name, name);
	s->current = s->nevent++;
}

/* Roots. */

/* Append a name as FlameGraph has process names: without blanks. */
static void
print_comm(struct buf *out, struct str comm)
{
	size_t i = out->len;

	utf8_escape(out, comm);
	for (; i < out->len; i++) {
		if (out->p[i] == ' ')
			out->p[i] = '_';
		else if (out->p[i] == ';')
			out->p[i] = ':';
	}
}

static void
print_number(struct buf *out, int64_t n)
{
	if (n < 0)
		buf_char(out, '?');
	else
		buf_u64(out, (uint64_t)n);
}

/* Append the text of a root frame; nothing if it is not known. */
static void
print_root(const struct sink *s, struct buf *out, enum root root)
{
	const struct sample *p = &s->sample;
	struct str comm = buf_slice(&s->comm);

	switch (root) {
	case ROOT_COMM_PID:
	case ROOT_COMM_TID:
		print_comm(out, comm);
		if (comm.len == 0 && p->pid < 0 && p->tid < 0)
			break;
		buf_char(out, '-');
		print_number(out, p->pid);
		if (root == ROOT_COMM_PID)
			break;
		buf_char(out, '/');
		print_number(out, p->tid);
		break;
	case ROOT_COMM:
		print_comm(out, comm);
		break;
	case ROOT_PID:
		if (p->pid >= 0)
			buf_printf(out, "pid-%" PRId64, p->pid);
		break;
	case ROOT_TID:
		if (p->tid >= 0)
			buf_printf(out, "tid-%" PRId64, p->tid);
		break;
	case ROOT_CPU:
		if (p->cpu >= 0)
			buf_printf(out, "cpu-%" PRId64, p->cpu);
		break;
	case ROOT_CGROUP:
		print_comm(out, buf_slice(&s->cgroup));
		break;
	case ROOT_HOST:
		print_comm(out, buf_slice(&s->host));
		break;
	}
}

static void
push_root(struct sink *s, struct str name)
{
	struct buf escaped = { 0 };

	if (name.len == 0)
		return;
	if (s->root.n > 0 || *name.p != '#') {
		push(&s->root, intern_id(s->names, name));
		return;
	}
	/* A first '#' would make the line a comment. */
	buf_str(&escaped, STR("\\x23"));
	buf_str(&escaped, str_skip(name, 1));
	push(&s->root, intern_id(s->names, buf_slice(&escaped)));
	buf_free(&escaped);
}

static void
make_roots(struct sink *s)
{
	int i;

	s->root.n = 0;
	if (is_all(&s->opt) && !s->opt.mix && !s->opt.samples) {
		s->text.len = 0;
		print_comm(&s->text, buf_slice(&s->event[s->current].name));
		push_root(s, buf_slice(&s->text));
	}
	for (i = 0; i < s->opt.nroot; i++) {
		s->text.len = 0;
		print_root(s, &s->text, s->opt.root[i]);
		push_root(s, buf_slice(&s->text));
	}
}

/* Whether the roots differ between two samples of one command. */
static bool
roots_differ(const struct sink *s, const struct sample *a,
	     const struct sample *b)
{
	bool differ = false;
	int i;

	for (i = 0; i < s->opt.nroot; i++) {
		switch (s->opt.root[i]) {
		case ROOT_COMM:
		case ROOT_CGROUP:
		case ROOT_HOST:
			break;
		case ROOT_PID:
		case ROOT_COMM_PID:
			differ |= a->pid != b->pid;
			break;
		case ROOT_TID:
		case ROOT_COMM_TID:
			differ |= a->pid != b->pid || a->tid != b->tid;
			break;
		case ROOT_CPU:
			differ |= a->cpu != b->cpu;
			break;
		}
	}
	return differ;
}

bool
sink_begin(struct sink *s, const struct sample *p)
{
	size_t event = s->current;
	bool changed;

	s->cmd->tally.good++;
	find_event(s, p->event);
	s->event[s->current].samples++;
	if (!s->event[s->current].wanted)
		return false;
	changed = s->samples == 0 || event != s->current ||
		  roots_differ(s, &s->sample, p) ||
		  !str_eq(p->comm, buf_slice(&s->comm)) ||
		  !str_eq(p->cgroup, buf_slice(&s->cgroup));
	s->sample = *p;
	if (changed) {
		set(&s->comm, p->comm);
		set(&s->cgroup, p->cgroup);
		make_roots(s);
	}
	if (s->samples == 0)
		set(&s->unit, p->unit);
	else if (!str_eq(p->unit, buf_slice(&s->unit)))
		s->mixed_units = true;
	s->stack.n = 0;
	s->all_tokens = TOKEN_NAMELESS;
	s->truncated = false;
	return true;
}

/* The end of a sample. */

/* Whether a frame is one after which callers are dropped. */
static bool
is_last(const struct sink *s, uint32_t id)
{
	struct str name = intern_name(s->names, id);
	int i;

	if (has_suffix(name))
		name.len -= 4;
	for (i = 0; i < s->opt.nskip; i++) {
		if (str_eq(name, str_of(s->opt.skip_after[i])))
			return true;
	}
	return false;
}

/* Put the stack into root-first order, behind its roots. */
static void
make_line(struct sink *s)
{
	const struct ids *from = &s->stack;
	size_t i, roots = s->root.n;
	uint32_t *to;

	s->line.n = 0;
	s->line.id = mem_grow(s->line.id, &s->line.cap, roots + from->n + 2,
			      sizeof(*s->line.id));
	to = s->line.id;
	for (i = 0; i < roots; i++)
		*to++ = s->root.id[i];
	if (s->truncated)
		*to++ = s->truncated_id;
	if (s->reader->order == ROOT_FIRST && from->n > 0)
		memcpy(to, from->id, from->n * sizeof(*to));
	for (i = from->n; s->reader->order == LEAF_FIRST && i > 0; i--)
		*to++ = from->id[i - 1];
	s->line.n = roots + s->truncated + from->n;
	for (i = s->line.n; s->opt.nskip > 0 && i > 0; i--) {
		if (!is_last(s, s->line.id[i - 1]))
			continue;
		s->line.n -= i - 1;
		memmove(s->line.id, s->line.id + i - 1,
			s->line.n * sizeof(*s->line.id));
		break;
	}
}

static struct count
weigh(const struct sink *s, struct count count)
{
	uint64_t ns = s->sample.ns;

	switch (s->opt.count) {
	case COUNT_PERIOD:
		return count;
	case COUNT_SAMPLES:
		return count_of(1);
	case COUNT_TIME:
		break;
	}
	if (ns == 0 && str_eq(s->sample.unit, STR("ns")))
		return count;
	if (ns == 0)
		errx(2, "--count time: it is not known how long a sample of %s "
			"stands for; record cpu-clock, or a frequency with "
			"perf script --header",
		     s->event[s->current].name.len > 0 ? "this event" :
							 "this trace");
	return count_of(ns);
}

static struct str
unit(const struct sink *s)
{
	if (s->opt.count == COUNT_SAMPLES)
		return STR("samples");
	if (s->opt.count == COUNT_TIME)
		return STR("ns");
	if (s->mixed_units)
		return STR("");
	return s->unit.len > 0 ? buf_slice(&s->unit) : STR("samples");
}

/* What is known before the first sample, or of all of them. */
static void
set_header(const struct sink *s, struct meta *m)
{
	struct str u = unit(s), event;

	meta_set(m, "fold", STR("1"));
	meta_set(m, "counts", STR("1"));
	if (u.len > 0 && !is_all(&s->opt))
		meta_set(m, "unit", u);
	if (s->reader->clock != NULL && (s->has_time || s->opt.samples))
		meta_set(m, "clock", str_of(s->reader->clock));
	event = s->nevent > 0 ? buf_slice(&s->event[s->current].name) : STR("");
	if (event.len > 0 && !is_all(&s->opt))
		meta_set(m, "event", event);
}

static void
print_header(struct sink *s)
{
	struct meta m = { 0 };

	set_header(s, &m);
	s->text.len = 0;
	meta_print(&s->text, &m);
	buf_write(&s->text, stdout);
	meta_free(&m);
	s->wrote_header = true;
}

static void
print_sample_meta(const struct sink *s, struct buf *out)
{
	const struct sample *p = &s->sample;
	struct meta m = { 0 };

	if (p->has_time)
		meta_set_ns(&m, "time", p->time);
	if (p->pid >= 0)
		meta_set_u64(&m, "pid", (uint64_t)p->pid);
	if (p->tid >= 0)
		meta_set_u64(&m, "tid", (uint64_t)p->tid);
	if (p->cpu >= 0)
		meta_set_u64(&m, "cpu", (uint64_t)p->cpu);
	if (is_all(&s->opt))
		meta_set(&m, "event", buf_slice(&s->event[s->current].name));
	meta_print(out, &m);
	meta_free(&m);
}

/* One sample of a stream. */
static void
print_sample(struct sink *s, struct count count)
{
	struct buf *out = &s->text;
	size_t i;

	if (!s->wrote_header)
		print_header(s);
	out->len = 0;
	print_sample_meta(s, out);
	for (i = 0; i < s->line.n; i++) {
		if (i > 0)
			buf_char(out, ';');
		buf_str(out, intern_name(s->names, s->line.id[i]));
	}
	buf_char(out, ' ');
	count_print(out, count);
	buf_char(out, '\n');
	buf_write(out, stdout);
}

static void
note_time(struct sink *s)
{
	uint64_t time = s->sample.time;

	if (!s->sample.has_time)
		return;
	if (!s->has_time || time < s->first_time)
		s->first_time = time;
	if (!s->has_time || time > s->last_time)
		s->last_time = time;
	s->has_time = true;
}

void
sink_end(struct sink *s, struct count count)
{
	count = weigh(s, count);
	if (s->samples++ == 0)
		s->one = count;
	else if (count_cmp(s->one, count) != 0)
		s->same_count = false;
	note_time(s);
	s->ntruncated += s->truncated;
	s->nameless += s->stack.n > 0 && s->all_tokens == TOKEN_NAMELESS;
	make_line(s);
	if (s->line.n == 0)
		return; /* neither a process nor a frame is known */
	if (s->opt.samples)
		print_sample(s, count);
	else
		fold_add(s->fold, s->line.id, s->line.n, &count);
}

/* The end of all. */

static void
print_meta(struct sink *s)
{
	struct meta m = { 0 };

	set_header(s, &m);
	meta_set_u64(&m, "n", s->samples);
	if (s->same_count && s->samples > 0 && s->one.micro == 0)
		meta_set_u64(&m, "quantum", s->one.units);
	if (s->has_time) {
		meta_set_ns(&m, "time", s->first_time);
		meta_set_ns(&m, "dur", s->last_time - s->first_time);
	}
	if (s->ntruncated > 0)
		meta_set_u64(&m, "broken", s->ntruncated);
	s->text.len = 0;
	meta_print(&s->text, &m);
	buf_write(&s->text, stdout);
	meta_free(&m);
}

/* Which events were left out. */
static void
say_events(const struct sink *s)
{
	struct buf out = { 0 };
	size_t i;

	for (i = 0; i < s->nevent; i++) {
		if (s->event[i].wanted)
			continue;
		buf_str(&out, out.len > 0 ? STR(", ") : STR(""));
		utf8_escape(&out, buf_slice(&s->event[i].name));
		buf_printf(&out, " (%" PRIu64 " samples)", s->event[i].samples);
	}
	if (out.len == 0)
		return;
	buf_char(&out, '\0');
	if (s->samples == 0)
		cmd_note(s->cmd, "no samples of event %s; there are %s",
			 s->opt.event, out.p);
	else if (s->opt.event == NULL)
		cmd_note(s->cmd,
			 "only event %.*s is counted; left out: %s "
			 "(see --event-filter)",
			 (int)s->event[0].name.len, s->event[0].name.p, out.p);
	buf_free(&out);
}

static void
say_share(const struct sink *s, uint64_t n, const char *what)
{
	double share = 100 * (double)n / (double)s->samples;

	if (n > 0)
		cmd_note(s->cmd, "%.1f %% of the stacks %s", share, what);
}

void
sink_finish(struct sink *s)
{
	struct count none = count_of(0);

	if (s->opt.samples) {
		if (!s->wrote_header)
			print_header(s);
	} else {
		if (s->opt.meta)
			print_meta(s);
		if (!fold_write(s->fold, none, stdout))
			errx(2, "the sum of a stack's counts is beyond 64 bits");
	}
	say_events(s);
	say_share(s, s->ntruncated, "are truncated");
	say_share(s, s->nameless, "have no names");
}
