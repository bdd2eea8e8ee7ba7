/* austin_mojo.c - MOJO, the binary format of austin, a sampler of CPython. */
#include "formats/austin_mojo.h"

#include "base/intern.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/u64map.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC STR("MOJ")

enum { LATEST = 4, WINDOW = 1 << 16, LONGEST = 1 << 24 };

enum mojo_kind {
	MOJO_METADATA = 1,
	MOJO_STACK,
	MOJO_FRAME,
	MOJO_FRAME_INVALID,
	MOJO_FRAME_REF,
	MOJO_FRAME_KERNEL,
	MOJO_GC,
	MOJO_IDLE,
	MOJO_TIME,
	MOJO_MEMORY,
	MOJO_STRING,
	MOJO_STRING_REF,
	MOJO_REPEAT,
	MOJO_TASK_STACK,
	MOJO_TASK_WAITER,
	MOJO_KINDS
};

/* An event; the strings point into the input. */
struct mojo_event {
	int kind;
	uint64_t number[7];
	bool minus; /* the last number is negative */
	struct str text[2];
};

/*
 * Cut a number off s.  The first byte has six bits and the sign, each following
 * byte has seven.  False if the number does not end in s.
 */
static bool
cut_number(struct str *s, uint64_t *n, bool *minus)
{
	unsigned shift;
	size_t i;

	if (s->len == 0)
		return false;
	*n = (uint64_t)(*s->p & 0x3f);
	*minus = (*s->p & 0x40) != 0;
	for (i = 1, shift = 6; (s->p[i - 1] & 0x80) != 0; i++, shift += 7) {
		if (i == s->len || shift >= 64)
			return false;
		*n |= (uint64_t)(s->p[i] & 0x7f) << shift;
	}
	*s = str_skip(*s, i);
	return true;
}

/* The number of numbers and of strings in an event. */
static void
shape(uint64_t version, int kind, int *numbers, int *strings)
{
	static const struct {
		uint8_t numbers, strings;
	} shapes[MOJO_KINDS] = {
		[MOJO_METADATA] = { 0, 2 },   [MOJO_STACK] = { 2, 1 },
		[MOJO_FRAME] = { 7, 0 },      [MOJO_FRAME_REF] = { 1, 0 },
		[MOJO_STRING] = { 1, 1 },     [MOJO_FRAME_KERNEL] = { 0, 1 },
		[MOJO_TIME] = { 1, 0 },       [MOJO_MEMORY] = { 1, 0 },
		[MOJO_STRING_REF] = { 1, 0 }, [MOJO_TASK_STACK] = { 2, 0 },
		[MOJO_TASK_WAITER] = { 2, 0 }
	};

	*numbers = shapes[kind].numbers;
	*strings = shapes[kind].strings;
	if (kind == MOJO_STACK && version < 3) /* has no interpreter */
		*numbers = 1;
	if (kind == MOJO_FRAME && version < 2) /* has no columns */
		*numbers = 4;
}

/*
 * Cut an event off *rest, which has at least one byte.  False if the event is
 * incomplete or its kind, which is set in any case, is unknown.
 */
static bool
cut_event(struct str *rest, uint64_t version, struct mojo_event *e)
{
	int i, numbers, strings;

	*e = (struct mojo_event){ .kind = (unsigned char)*rest->p };
	*rest = str_skip(*rest, 1);
	if (e->kind < MOJO_METADATA || e->kind >= MOJO_KINDS)
		return false;
	shape(version, e->kind, &numbers, &strings);
	for (i = 0; i < numbers; i++) {
		if (!cut_number(rest, &e->number[i], &e->minus))
			return false;
	}
	for (i = 0; i < strings; i++) {
		if (str_find(*rest, '\0') == NULL)
			return false;
		e->text[i] = str_cut(rest, '\0');
	}
	return true;
}

/*
 * Limit of frames of a repeated stack.  An event of one byte repeats a stack,
 * so a small file could ask for any number of frames.  Austin records up to
 * 2048.
 */
enum { MAX_REPEATED = 1 << 12 };

/* A frame that the file has defined. */
struct mojo_frame {
	uint32_t token;
	bool native; /* a function of C */
};

struct mojo_stack {
	uint32_t *token;
	size_t n, cap;
	size_t native; /* number of native frames at the leaf */
};

/* Each process numbers its own strings and frames. */
struct mojo_process {
	uint64_t pid;
	struct u64map strings, frames;
	UT_hash_handle hh;
};

struct mojo {
	struct input *in;
	struct sink *out;
	bool with_memory, with_lines;
	uint64_t version;
	struct intern *text;            /* strings */
	struct mojo_process *processes; /* by pid */
	struct mojo_process *process;   /* of the current event */
	struct mojo_frame *frame;
	size_t nframes, frame_cap;
	struct intern *threads;
	struct mojo_stack *last; /* stack of each thread */
	size_t nlast, last_cap;

	/* The sample that is being read. */
	bool is_open, is_task, repeats, in_gc;
	bool has_time, has_memory, memory_fell;
	uint32_t thread;
	uint64_t time, memory;
	struct mojo_stack stack;
	struct buf name;
};

bool
austin_mojo_begins(struct str begin)
{
	return str_starts(begin, MAGIC) && begin.len > MAGIC.len &&
	       begin.p[MAGIC.len] > 0 && begin.p[MAGIC.len] < ' ';
}

static uint32_t
make_frame(struct mojo *m, struct str file, struct str name, uint64_t line)
{
	struct frame frame;
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64, line);
	austin_text_frame(&frame, &m->name, file, name,
			  m->with_lines ? str_of(number) : STR(""));
	return sink_token(m->out, &frame, 0);
}

static uint32_t
make_token(struct mojo *m, struct str name)
{
	return sink_token(m->out,
			  &(struct frame){ .name = name, .whole = true }, 0);
}

static void
push(struct mojo_stack *s, uint32_t token, bool native)
{
	s->token = mem_grow(s->token, &s->cap, s->n + 1, sizeof(*s->token));
	s->token[s->n++] = token;
	s->native = native ? s->native + 1 : 0;
}

/* The string with a number; 0 and 1 have a fixed meaning. */
static struct str
find_string(struct mojo *m, uint64_t key)
{
	uint32_t id;

	if (key < 2)
		return key == 0 ? STR("") : STR("<unknown>");
	if (u64map_get(&m->process->strings, key, &id))
		return intern_name(m->text, id);
	input_bad(m->in, "an event refers to a missing string");
	return STR("<unknown>");
}

static void
define_frame(struct mojo *m, const struct mojo_event *e)
{
	struct str file = find_string(m, e->number[1]);
	uint32_t i = (uint32_t)m->nframes;

	if (!u64map_get(&m->process->frames, e->number[0], &i)) {
		m->frame = mem_grow(m->frame, &m->frame_cap, ++m->nframes,
				    sizeof(*m->frame));
		u64map_put(&m->process->frames, e->number[0], i);
	}
	m->frame[i] = (struct mojo_frame){
		make_frame(m, file, find_string(m, e->number[2]), e->number[3]),
		!austin_text_is_python(file)
	};
}

static void
push_frame(struct mojo *m, uint64_t key)
{
	uint32_t i;

	if (u64map_get(&m->process->frames, key, &i)) {
		push(&m->stack, m->frame[i].token, m->frame[i].native);
		return;
	}
	input_bad(m->in, "a sample refers to a missing frame");
	push(&m->stack, make_token(m, STR("")), false);
}

static void
push_kernel(struct mojo *m, struct str function)
{
	push(&m->stack, make_frame(m, STR("kernel"), function, 0), true);
}

/*
 * The whole stack of the thread, which is stored for its next sample.  A sample
 * that repeats the stack has only the native frames at the leaf: these replace
 * the previous native frames.
 */
static struct mojo_stack *
whole_stack(struct mojo *m)
{
	struct mojo_stack *s = &m->last[m->thread];
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

/* The time or the memory of a sample.  Freed memory counts 0. */
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
	struct mojo_stack *s;
	uint64_t value;

	if (!m->is_open)
		return;
	m->is_open = false;
	s = whole_stack(m);
	if (!choose_value(m, &sample, &value)) {
		input_bad(m->in, m->with_memory ? "a sample has no memory" :
						  "a sample has no time");
	} else if (m->repeats && s->n == 0) {
		input_bad(m->in, "a repeated stack without an earlier one");
	} else if (m->repeats && s->n > MAX_REPEATED) {
		input_bad(m->in, "a repeated stack of more than %d frames",
			  MAX_REPEATED);
	} else if (value == 0) {
		m->in->tally->good++;
	} else if (sink_begin(m->out, &sample)) {
		push_thread(m);
		sink_push(m->out, s->token, s->n);
		if (m->in_gc)
			push_name(m, STR(":GC:"));
		sink_end(m->out, count_of(value));
	}
}

static void
free_process(struct mojo_process *process)
{
	u64map_free(&process->strings);
	u64map_free(&process->frames);
	free(process);
}

static void
free_processes(struct mojo *m)
{
	struct mojo_process *process, *next;

	if (m->processes == NULL && m->process != NULL)
		free_process(m->process);
	HASH_ITER(hh, m->processes, process, next)
	{
		HASH_DEL(m->processes, process);
		free_process(process);
	}
}

/* Definitions before the first stack belong to the process of that stack. */
static void
set_process(struct mojo *m, uint64_t pid)
{
	struct mojo_process *process;

	HASH_FIND(hh, m->processes, &pid, sizeof(pid), process);
	if (process == NULL) {
		process = m->processes == NULL ? m->process :
						 mem_zero(1, sizeof(*process));
		process->pid = pid;
		HASH_ADD(hh, m->processes, pid, sizeof(pid), process);
	}
	m->process = process;
}

/*
 * Name the thread "P12;T0:34", as the text of Austin does.  The thread is a
 * hexadecimal id or a name.
 */
static void
begin_sample(struct mojo *m, const struct mojo_event *e)
{
	struct str thread = e->text[0];
	uint64_t id;

	m->in->line++;
	set_process(m, e->number[0]);
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
		m->last[m->thread] = (struct mojo_stack){ 0 };
	}
	m->stack.n = m->stack.native = 0;
	m->is_open = true;
	m->is_task = m->repeats = m->in_gc = false;
	m->has_time = m->has_memory = m->memory_fell = false;
}

/* Add an event to the sample that is being read. */
static void
add_to_sample(struct mojo *m, const struct mojo_event *e)
{
	switch (e->kind) {
	case MOJO_FRAME_REF:
		push_frame(m, e->number[0]);
		break;
	case MOJO_FRAME_INVALID:
		push(&m->stack, make_token(m, STR(":INVALID:")), false);
		break;
	case MOJO_FRAME_KERNEL:
		push_kernel(m, e->text[0]);
		break;
	case MOJO_GC:
		m->in_gc = true;
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

/* A waiting task of asyncio has a stack, but is no sample. */
static void
handle_event(struct mojo *m, const struct mojo_event *e)
{
	if (m->process == NULL)
		m->process = mem_zero(1, sizeof(*m->process));
	if (e->kind == MOJO_STACK) {
		end_sample(m);
		begin_sample(m, e);
	} else if (e->kind == MOJO_TASK_STACK) {
		end_sample(m);
		m->is_task = true;
	} else if (e->kind == MOJO_STRING) {
		u64map_put(&m->process->strings, e->number[0],
			   intern_id(m->text, e->text[0]));
	} else if (e->kind == MOJO_FRAME) {
		define_frame(m, e);
	} else if (!m->is_task) {
		add_to_sample(m, e);
	}
}

/* Read all events.  Returns what is wrong, or NULL. */
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
		if (cut_event(&rest, m->version, &e)) {
			handle_event(m, &e);
			input_take(m->in, all.len - rest.len);
			want = WINDOW;
		} else if (e.kind < MOJO_METADATA || e.kind >= MOJO_KINDS) {
			return "an unknown event; skipping the rest";
		} else if (all.len < want) {
			return "the file is truncated";
		} else if (want >= LONGEST) {
			return "an event does not end; skipping the rest";
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
	if (!cut_number(&rest, &m->version, &minus))
		return false;
	input_take(m->in, all.len - rest.len);
	return true;
}

void
austin_mojo_read(struct input *in, struct sink *out,
		 const struct austin_options *wanted)
{
	struct mojo m = { .in = in,
			  .out = out,
			  .with_memory = wanted->memory,
			  .with_lines = wanted->lines };
	const char *wrong = NULL;
	size_t i;

	in->tally->bad_unit = "sample";
	m.text = intern_new();
	m.threads = intern_new();
	if (!read_head(&m))
		wrong = "not austin's MOJO format";
	else if (m.version < 1 || m.version > LATEST)
		input_bad(in, "version %" PRIu64 " of MOJO is not supported",
			  m.version);
	else
		wrong = read_events(&m);
	if (wrong == NULL || m.has_time || m.has_memory)
		end_sample(&m);
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	free_processes(&m);
	for (i = 0; i < m.nlast; i++)
		free(m.last[i].token);
	free(m.last);
	free(m.frame);
	free(m.stack.token);
	intern_free(m.text);
	intern_free(m.threads);
	buf_free(&m.name);
}
