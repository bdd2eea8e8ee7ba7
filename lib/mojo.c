/* mojo.c - MOJO, the binary format of austin, a sampler of CPython. */
#include "mojo.h"

#include "intern.h"
#include "map.h"
#include "mem.h"
#include "mojoevent.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC STR("MOJ")

enum { LATEST = 4, WINDOW = 1 << 16, LONGEST = 1 << 24 };

/*
 * Frames of a stack that is only said to be the same again: it takes a byte, so
 * that there is no end to what many of them are.  Austin keeps 2048.
 */
enum { MOST_REPEATED = 1 << 12 };

/* A frame that was told; native ones are of C. */
struct place {
	uint32_t token;
	bool native;
};

struct stack {
	uint32_t *token;
	size_t n, cap;
	size_t native; /* how many at its leaf */
};

/* Strings and frames are told by numbers of a process. */
struct process {
	struct map strings, frames;
};

struct mojo {
	struct input *in;
	struct sink *out;
	bool with_memory;
	uint64_t version;
	struct intern *text; /* strings */
	struct map pids;
	struct process *process;
	size_t nprocesses, process_cap;
	struct place *place;
	size_t nplaces, place_cap;
	struct intern *threads;
	struct stack *last; /* of a thread: its stack */
	size_t nlast, last_cap;

	/* The sample that comes. */
	bool is_open, is_task, repeats, collects;
	bool has_time, has_memory, memory_fell;
	struct process *now;
	uint32_t thread;
	uint64_t time, memory;
	struct stack stack;
	struct buf name;
};

bool
mojo_begins(struct str begin)
{
	return str_starts(begin, MAGIC) && begin.len > MAGIC.len &&
	       begin.p[MAGIC.len] > 0 && begin.p[MAGIC.len] < ' ';
}

static uint32_t
make_token(struct mojo *m, struct str name)
{
	return sink_token(m->out,
			  &(struct frame){ .name = name, .whole = true }, 0);
}

static void
push(struct stack *s, uint32_t token, bool native)
{
	s->token = mem_grow(s->token, &s->cap, s->n + 1, sizeof(*s->token));
	s->token[s->n++] = token;
	s->native = native ? s->native + 1 : 0;
}

/* What a number stands for; those below 2 are the same everywhere. */
static struct str
find_string(struct mojo *m, uint64_t key)
{
	uint32_t id;

	if (key < 2)
		return key == 0 ? STR("") : STR("<unknown>");
	if (map_get(&m->now->strings, key, &id))
		return intern_name(m->text, id);
	input_bad(m->in, "a string that is not there");
	return STR("<unknown>");
}

/* A frame of Python has a file of it, or no file, "<string>". */
static bool
is_native(struct str file)
{
	return !str_ends(file, STR(".py")) &&
	       !(str_starts(file, STR("<")) && str_ends(file, STR(">")));
}

/* "a.py:f:12", as Austin wrote it in text. */
static void
tell_frame(struct mojo *m, const struct mojo_event *e)
{
	struct str file = find_string(m, e->number[1]);
	uint32_t i = (uint32_t)m->nplaces;

	m->name.len = 0;
	buf_str(&m->name, file);
	buf_char(&m->name, ':');
	buf_str(&m->name, find_string(m, e->number[2]));
	buf_char(&m->name, ':');
	buf_u64(&m->name, e->number[3]);
	if (!map_get(&m->now->frames, e->number[0], &i)) {
		m->place = mem_grow(m->place, &m->place_cap, ++m->nplaces,
				    sizeof(*m->place));
		map_put(&m->now->frames, e->number[0], i);
	}
	m->place[i] = (struct place){ make_token(m, buf_slice(&m->name)),
				      is_native(file) };
}

static void
push_place(struct mojo *m, uint64_t key)
{
	uint32_t i;

	if (map_get(&m->now->frames, key, &i)) {
		push(&m->stack, m->place[i].token, m->place[i].native);
		return;
	}
	input_bad(m->in, "a frame that is not there");
	push(&m->stack, make_token(m, STR("")), false);
}

static void
push_kernel(struct mojo *m, struct str function)
{
	m->name.len = 0;
	buf_str(&m->name, STR("kernel:"));
	buf_str(&m->name, function);
	buf_str(&m->name, STR(":0"));
	push(&m->stack, make_token(m, buf_slice(&m->name)), true);
}

/*
 * The whole stack of the thread, which is kept for the next sample.  One that
 * repeats has only the frames of C that are called by Python's last one; those
 * that were there before are left out.
 */
static struct stack *
whole_stack(struct mojo *m)
{
	struct stack *s = &m->last[m->thread];
	size_t i;

	if (!m->repeats)
		s->n = s->native = 0;
	else if (m->stack.n > 0)
		s->n -= s->native;
	s->token = mem_grow(s->token, &s->cap, s->n + m->stack.n + 1,
			    sizeof(*s->token));
	for (i = 0; i < m->stack.n; i++)
		s->token[s->n++] = m->stack.token[i];
	if (!m->repeats)
		s->native = m->stack.native;
	else if (m->stack.n > 0)
		s->native = m->stack.n;
	return s;
}

/* What is given back is nothing that was taken. */
static bool
choose_value(const struct mojo *m, struct sample *sample, uint64_t *value)
{
	bool is_memory = m->with_memory || !m->has_time;

	*value = is_memory ? m->memory_fell ? 0 : m->memory : m->time;
	sample->unit = is_memory ? STR("bytes") : STR("us");
	if (is_memory || __builtin_mul_overflow(*value, 1000, &sample->ns))
		sample->ns = 0;
	return is_memory ? m->has_memory : m->has_time;
}

static void
push_name(struct mojo *m, struct str name)
{
	sink_frame(m->out, &(struct frame){ .name = name, .whole = true });
}

static void
push_thread(struct mojo *m)
{
	struct str thread = intern_name(m->threads, m->thread);

	push_name(m, str_cut(&thread, ';'));
	push_name(m, thread);
}

static void
end_sample(struct mojo *m)
{
	struct sample sample = SAMPLE_UNKNOWN;
	struct stack *s;
	uint64_t value;

	if (!m->is_open)
		return;
	m->is_open = false;
	s = whole_stack(m);
	if (!choose_value(m, &sample, &value)) {
		input_bad(m->in, m->with_memory ? "a sample without memory" :
						  "a sample without its time");
	} else if (m->repeats && s->n == 0) {
		input_bad(m->in, "a stack that repeats none");
	} else if (m->repeats && s->n > MOST_REPEATED) {
		input_bad(m->in, "a stack of more than %d frames that repeats",
			  MOST_REPEATED);
	} else if (value == 0) {
		m->in->tally->good++;
	} else if (sink_begin(m->out, &sample)) {
		push_thread(m);
		sink_push(m->out, s->token, s->n);
		if (m->collects)
			push_name(m, STR(":GC:"));
		sink_end(m->out, count_of(value));
	}
}

static void
add_process(struct mojo *m)
{
	m->process = mem_grow(m->process, &m->process_cap, m->nprocesses + 1,
			      sizeof(*m->process));
	m->process[m->nprocesses] = (struct process){ 0 };
	m->now = &m->process[m->nprocesses++];
}

/* What austinp tells before the first stack is of its process. */
static void
find_process(struct mojo *m, uint64_t pid)
{
	uint32_t i = 0;

	if (!map_get(&m->pids, pid, &i)) {
		if (m->pids.n > 0)
			add_process(m);
		i = (uint32_t)m->nprocesses - 1;
		map_put(&m->pids, pid, i);
	}
	m->now = &m->process[i];
}

/* "P12;T0:34", as in text: a thread's id is in hexadecimal, if no name. */
static void
begin_sample(struct mojo *m, const struct mojo_event *e)
{
	struct str thread = e->text[0];
	uint64_t id;

	m->in->line++;
	find_process(m, e->number[0]);
	m->name.len = 0;
	buf_printf(&m->name, "P%" PRIu64 ";T", e->number[0]);
	if (m->version >= 3)
		buf_printf(&m->name, "%" PRIu64 ":", e->number[1]);
	if (str_hex(thread, &id))
		buf_u64(&m->name, id);
	else
		buf_str(&m->name, thread);
	m->thread = intern_id(m->threads, buf_slice(&m->name));
	if (m->thread == m->nlast) {
		m->last = mem_grow(m->last, &m->last_cap, ++m->nlast,
				   sizeof(*m->last));
		m->last[m->thread] = (struct stack){ 0 };
	}
	m->stack.n = m->stack.native = 0;
	m->is_open = true;
	m->is_task = m->repeats = m->collects = false;
	m->has_time = m->has_memory = m->memory_fell = false;
}

/* What belongs to the stack of a sample. */
static void
add_to_sample(struct mojo *m, const struct mojo_event *e)
{
	switch (e->kind) {
	case MOJO_FRAME_REF:
		push_place(m, e->number[0]);
		break;
	case MOJO_FRAME_INVALID:
		push(&m->stack, make_token(m, STR(":INVALID:")), false);
		break;
	case MOJO_FRAME_KERNEL:
		push_kernel(m, e->text[0]);
		break;
	case MOJO_GC:
		m->collects = true;
		break;
	case MOJO_REPEAT:
		m->repeats = true;
		break;
	case MOJO_TIME:
		m->has_time = true;
		m->time = e->number[0];
		break;
	case MOJO_MEMORY:
		m->has_memory = true;
		m->memory = e->number[0];
		m->memory_fell = e->minus;
		break;
	}
}

/* Tasks that wait, of asyncio, have stacks of their own, and no sample. */
static void
take_event(struct mojo *m, const struct mojo_event *e)
{
	if (m->now == NULL)
		add_process(m);
	if (e->kind == MOJO_STACK) {
		end_sample(m);
		begin_sample(m, e);
	} else if (e->kind == MOJO_TASK_STACK) {
		end_sample(m);
		m->is_task = true;
	} else if (e->kind == MOJO_STRING) {
		map_put(&m->now->strings, e->number[0],
			intern_id(m->text, e->text[0]));
	} else if (e->kind == MOJO_FRAME) {
		tell_frame(m, e);
	} else if (!m->is_task) {
		add_to_sample(m, e);
	}
}

/* Read events; says what is wrong, or NULL. */
static const char *
read_events(struct mojo *m)
{
	size_t want = WINDOW;
	struct str all, rest;
	struct mojo_event e;

	for (;;) {
		all = rest = input_bytes(m->in, want);
		if (all.len == 0)
			return NULL;
		if (mojo_cut_event(&rest, m->version, &e)) {
			take_event(m, &e);
			input_take(m->in, all.len - rest.len);
			want = WINDOW;
		} else if (e.kind < MOJO_METADATA || e.kind >= MOJO_KINDS) {
			return "an event that is not known; the rest is left "
			       "out";
		} else if (all.len < want) {
			return "the file is cut short";
		} else if (want >= LONGEST) {
			return "an event that does not end; the rest is left "
			       "out";
		} else {
			want = 2 * all.len;
		}
	}
}

static bool
read_head(struct mojo *m)
{
	struct str all = input_bytes(m->in, WINDOW), rest;
	bool minus;

	if (!str_starts(all, MAGIC))
		return false;
	rest = str_skip(all, MAGIC.len);
	if (!mojo_cut_number(&rest, &m->version, &minus))
		return false;
	input_take(m->in, all.len - rest.len);
	return true;
}

void
mojo_read(struct input *in, struct sink *out, bool with_memory)
{
	struct mojo m = { .in = in, .out = out, .with_memory = with_memory };
	const char *wrong = NULL;
	size_t i;

	in->tally->bad_unit = "sample";
	m.text = intern_new();
	m.threads = intern_new();
	if (!read_head(&m))
		wrong = "not MOJO of austin";
	else if (m.version < 1 || m.version > LATEST)
		input_bad(in, "version %" PRIu64 " of MOJO, which is not known",
			  m.version);
	else
		wrong = read_events(&m);
	if (wrong == NULL || m.has_time || m.has_memory)
		end_sample(&m);
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	for (i = 0; i < m.nprocesses; i++) {
		map_free(&m.process[i].strings);
		map_free(&m.process[i].frames);
	}
	for (i = 0; i < m.nlast; i++)
		free(m.last[i].token);
	free(m.process);
	free(m.last);
	free(m.place);
	free(m.stack.token);
	map_free(&m.pids);
	intern_free(m.text);
	intern_free(m.threads);
	buf_free(&m.name);
}
