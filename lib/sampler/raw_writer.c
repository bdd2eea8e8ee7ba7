/* raw_writer.c - write samples as a raw trace. */
#include "sampler/raw_writer.h"

#include "base/mem.h"
#include "base/table.h"
#include "formats/stacktrace.h"

#include <stdlib.h>
#include <sys/utsname.h>

/* JIT code that has been written and was not overwritten since. */
struct written_code {
	int64_t pid;
	uint64_t start, end;
	uint32_t name;
};

/* Stacks, and threads, that are named by number; then both begin anew. */
enum { MAX_NUMBERED = 16384 };

struct written_stack {
	uint64_t number;
	struct buf text;
	UT_hash_handle hh;
};

struct written_thread {
	struct written_thread_key {
		int64_t pid, tid;
	} key;
	uint64_t id;
	uint64_t flush;    /* before which a sample was to be repeated */
	struct buf sample; /* the last one, without its time */
	UT_hash_handle hh;
};

/* Samples whose times differ by less are repeated together. */
#define SAME_TIME_NS 1000000

struct raw_writer {
	struct buf text; /* of the round */
	struct raw_writer_options options;
	bool *written; /* by the number of the function */
	size_t nwritten;
	struct written_code *code; /* sorted; none overlaps another */
	size_t n, cap;
	struct written_stack *stacks;
	struct written_thread *threads;
	struct buf sample; /* scratch */
	/* Samples that are as before, to be written: */
	uint64_t *same;
	size_t nsame, same_cap;
	uint64_t same_time; /* of the first */
	uint64_t flushes;   /* how often they were written, plus 1 */
};

struct raw_writer *
raw_writer_new(const struct raw_writer_options *options)
{
	struct raw_writer *w = mem_zero(1, sizeof(*w));
	struct meta m = { 0 };
	struct utsname u;
	char number[32];

	snprintf(number, sizeof(number), "%g", options->hz);
	meta_set(&m, "clock", STR("monotonic"));
	meta_set(&m, "hz", str_of(number));
	if (uname(&u) == 0) {
		meta_set(&m, "arch", str_of(u.machine));
		meta_set(&m, "release", str_of(u.release));
		meta_set(&m, "host", str_of(u.nodename));
	}
	w->options = *options;
	w->flushes = 1;
	stacktrace_print_header(&w->text, &m);
	meta_free(&m);
	return w;
}

static void
forget_numbers(struct raw_writer *w)
{
	struct written_thread *t, *next_thread;
	struct written_stack *k, *next_stack;

	HASH_ITER(hh, w->threads, t, next_thread)
	{
		HASH_DEL(w->threads, t);
		buf_free(&t->sample);
		free(t);
	}
	HASH_ITER(hh, w->stacks, k, next_stack)
	{
		HASH_DEL(w->stacks, k);
		buf_free(&k->text);
		free(k);
	}
}

void
raw_writer_free(struct raw_writer *w)
{
	if (w == NULL)
		return;
	forget_numbers(w);
	buf_free(&w->sample);
	free(w->same);
	buf_free(&w->text);
	free(w->code);
	free(w->written);
	free(w);
}

/* Samples that are as before. */

/* Write them before a line that would change what their addresses mean. */
static void
flush_same(struct raw_writer *w)
{
	if (w->nsame > 0)
		stacktrace_print_same(&w->text, w->same_time, w->same,
				      w->nsame);
	w->nsame = 0;
	w->flushes++;
}

static void
add_same(struct raw_writer *w, uint64_t time, struct written_thread *t)
{
	if (w->nsame > 0 && time - w->same_time >= SAME_TIME_NS)
		flush_same(w);
	if (w->nsame == 0)
		w->same_time = time;
	w->same = mem_grow(w->same, &w->same_cap, w->nsame + 1,
			   sizeof(*w->same));
	w->same[w->nsame++] = t->id;
	t->flush = w->flushes;
}

/* The number of a stack, which is written if it is new. */
static uint64_t
number_stack(struct raw_writer *w, struct str text)
{
	struct written_stack *k;

	HASH_FIND(hh, w->stacks, text.p, text.len, k);
	if (k != NULL)
		return k->number;
	k = mem_zero(1, sizeof(*k));
	k->number = HASH_COUNT(w->stacks);
	buf_str(&k->text, text);
	HASH_ADD_KEYPTR(hh, w->stacks, k->text.p, k->text.len, k);
	stacktrace_print_stack(&w->text, k->number, text);
	return k->number;
}

static struct written_thread *
find_thread(struct raw_writer *w, const struct thread_sample *s)
{
	const struct written_thread_key key = { s->pid, s->tid };
	struct written_thread *t;

	HASH_FIND(hh, w->threads, &key, sizeof(key), t);
	if (t != NULL)
		return t;
	t = mem_zero(1, sizeof(*t));
	t->key = key;
	t->id = HASH_COUNT(w->threads);
	HASH_ADD(hh, w->threads, key, sizeof(t->key), t);
	return t;
}

/* Whether the thread's last sample was the same, but for its time; keep it. */
static bool
is_same(struct raw_writer *w, struct written_thread *t,
	const struct stacktrace *line)
{
	struct stacktrace timeless = *line;
	struct buf spare = t->sample;

	timeless.time = 0;
	w->sample.len = 0;
	stacktrace_print(&w->sample, &timeless);
	if (str_eq(buf_slice(&w->sample), buf_slice(&t->sample)))
		return true;
	t->sample = w->sample;
	w->sample = spare;
	return false;
}

/* JIT code. */

/* The first written code of a process that ends after an address. */
static size_t
find_code(const struct raw_writer *w, int64_t pid, uint64_t address)
{
	size_t low = 0, high = w->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (w->code[mid].pid < pid ||
		    (w->code[mid].pid == pid && w->code[mid].end <= address))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A process that executes another program loses all of its code. */
static void
remove_code(struct raw_writer *w, int64_t pid)
{
	const size_t begin = find_code(w, pid, 0);
	const size_t end = find_code(w, pid + 1, 0);

	if (end > begin)
		memmove(&w->code[begin], &w->code[end],
			(w->n - end) * sizeof(*w->code));
	w->n -= end - begin;
}

/* Replace all code that this overlaps; false if it was written already. */
static bool
replace_code(struct raw_writer *w, const struct written_code *code)
{
	const size_t i = find_code(w, code->pid, code->start);
	size_t end = i;

	while (end < w->n && w->code[end].pid == code->pid &&
	       w->code[end].start < code->end)
		end++;
	if (end == i + 1 && w->code[i].start == code->start &&
	    w->code[i].end == code->end && w->code[i].name == code->name)
		return false;
	w->code = mem_grow(w->code, &w->cap, w->n + 1, sizeof(*w->code));
	memmove(&w->code[i + 1], &w->code[end],
		(w->n - end) * sizeof(*w->code));
	w->code[i] = *code;
	w->n = w->n + 1 - (end - i);
	return true;
}

static void
write_code(struct raw_writer *w, int64_t pid, const struct jit_symbol *symbol)
{
	const struct written_code code = { pid, symbol->start, symbol->end,
					   symbol->number };
	const struct stacktrace line = { .kind = STACKTRACE_CODE,
					 .pid = pid,
					 .start = symbol->start,
					 .end = symbol->end,
					 .name = symbol->name };

	if (symbol->end > symbol->start && replace_code(w, &code)) {
		flush_same(w);
		stacktrace_print(&w->text, &line);
	}
}

/* Lines. */

void
raw_writer_process(void *arg, const struct live_process *p)
{
	struct raw_writer *w = arg;
	const struct stacktrace line = { .kind = STACKTRACE_PROCESS,
					 .pid = p->pid,
					 .start = p->start_time,
					 .name = buf_slice(&p->name) };

	remove_code(w, p->pid);
	flush_same(w);
	stacktrace_print(&w->text, &line);
}

void
raw_writer_map(void *arg, const struct live_process *p,
	       const struct proc_map *m, struct str build_id)
{
	struct raw_writer *w = arg;
	const struct stacktrace line = { .kind = STACKTRACE_MAP,
					 .pid = p->pid,
					 .start = m->start,
					 .end = m->end,
					 .offset = m->offset,
					 .prot = m->prot,
					 .build_id = build_id,
					 .name = m->path };

	flush_same(w);
	stacktrace_print(&w->text, &line);
}

/* Write what a number stands for, once. */
static void
write_function(struct raw_writer *w, uint32_t number)
{
	const struct interp_function f = interp_functions_get(
	    w->options.functions, number);
	const struct stacktrace line = { .kind = STACKTRACE_FUNCTION,
					 .function = number,
					 .language = f.language,
					 .name = f.name,
					 .file = f.file };
	const size_t old = w->nwritten;

	if (number >= old) {
		w->written = mem_grow(w->written, &w->nwritten,
				      (size_t)number + 1, sizeof(*w->written));
		memset(w->written + old, 0,
		       (w->nwritten - old) * sizeof(*w->written));
	}
	if (!w->written[number])
		stacktrace_print(&w->text, &line);
	w->written[number] = true;
}

/*
 * Format the functions that stand before a native frame, from number from on;
 * returns the number after them.
 */
static size_t
format_functions(struct raw_writer *w, const struct thread_sample *s,
		 size_t from, size_t at)
{
	const struct interp_entry *e;

	for (; from < s->vm->n && s->vm->entry[from].at == at; from++) {
		e = &s->vm->entry[from];
		write_function(w, e->function);
		stacktrace_function(s->text, e->function, e->line);
	}
	return from;
}

/* Format a stack, and write the functions and the JIT code it is in. */
static void
format_stack(struct raw_writer *w, const struct thread_sample *s)
{
	const struct unwind_frame *f;
	struct jit_symbol code;
	enum jit_refresh_result found;
	size_t i, entry = 0;

	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		entry = format_functions(w, s, entry, i);
		if (w->options.no_native)
			continue;
		if (entry > 0 && s->vm->entry[entry - 1].at == i &&
		    s->vm->entry[entry - 1].replaces)
			stacktrace_loop(s->text, f->pc);
		else
			stacktrace_address(s->text, f->pc);
		if (entry > 0 && s->vm->entry[entry - 1].at == i)
			continue;
		found = jit_refresh_find(w->options.jit, s->pid, s->time,
					 f->pc - !f->exact, &code);
		if (found == JIT_REFRESH_NAMED)
			write_code(w, s->pid, &code);
		if (found != JIT_REFRESH_OTHER)
			*s->text_key = 0;
	}
	format_functions(w, s, entry, s->n);
}

void
raw_writer_sample(struct raw_writer *w, const struct thread_sample *s)
{
	struct stacktrace line = { .kind = STACKTRACE_SAMPLE,
				   .pid = s->pid,
				   .tid = s->tid,
				   .time = s->time,
				   .state = s->state,
				   .call = s->call,
				   .wchan = s->wchan,
				   .label = s->label,
				   .owner = s->owner,
				   .file = s->file,
				   .name = s->name,
				   .truncated = s->truncated,
				   .moving = s->moving,
				   .unmerged = s->vm->unmerged,
				   .lock_held = s->lock == INTERP_LOCK_HELD,
				   .lock_waits = s->lock == INTERP_LOCK_WAITS };
	struct written_thread *thread;
	struct buf stack = { 0 };

	if (w->options.no_native && s->vm->n == 0)
		return;
	if (s->text->len == 0)
		format_stack(w, s);
	if (HASH_COUNT(w->stacks) >= MAX_NUMBERED ||
	    HASH_COUNT(w->threads) >= MAX_NUMBERED) {
		flush_same(w);
		forget_numbers(w);
	}
	thread = find_thread(w, s);
	line.id = thread->id;
	if (s->text->len > 0) {
		stacktrace_stack(&stack, number_stack(w, buf_slice(s->text)));
		line.stack = buf_slice(&stack);
	}
	if (is_same(w, thread, &line)) {
		add_same(w, s->time, thread);
	} else {
		/* A thread has two looks in a round, if one was late. */
		if (thread->flush == w->flushes)
			flush_same(w);
		stacktrace_print(&w->text, &line);
	}
	buf_free(&stack);
}

void
raw_writer_round(struct raw_writer *w, bool last)
{
	struct jit_refresh_place place;
	struct jit_symbol code;

	while (jit_refresh_next_named(w->options.jit, &place, &code))
		write_code(w, place.pid, &code);
	flush_same(w);
	if (!last)
		buf_char(&w->text, '\n');
	buf_write(&w->text, stdout);
	fflush(stdout);
}
