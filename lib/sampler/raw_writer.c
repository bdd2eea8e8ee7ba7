/* raw_writer.c - write samples as a raw trace. */
#include "sampler/raw_writer.h"

#include "base/mem.h"
#include "formats/stacktrace.h"

#include <stdlib.h>
#include <sys/utsname.h>

/* JIT code that has been written and was not overwritten since. */
struct written_code {
	int64_t pid;
	uint64_t start, end;
	uint32_t name;
};

struct raw_writer {
	struct buf text; /* of the round */
	struct raw_writer_options options;
	bool *written; /* by the number of the function */
	size_t nwritten;
	struct written_code *code; /* sorted; none overlaps another */
	size_t n, cap;
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
	stacktrace_print_header(&w->text, &m);
	meta_free(&m);
	return w;
}

void
raw_writer_free(struct raw_writer *w)
{
	if (w == NULL)
		return;
	buf_free(&w->text);
	free(w->code);
	free(w->written);
	free(w);
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

	if (symbol->end > symbol->start && replace_code(w, &code))
		stacktrace_print(&w->text, &line);
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
		if (jit_refresh_find(w->options.jit, s->pid, s->time,
				     f->pc - !f->exact, &code))
			write_code(w, s->pid, &code);
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
				   .name = s->name,
				   .truncated = s->truncated,
				   .moving = s->moving,
				   .unmerged = s->vm->unmerged,
				   .lock_held = s->lock == INTERP_LOCK_HELD,
				   .lock_waits = s->lock == INTERP_LOCK_WAITS };

	if (w->options.no_native && s->vm->n == 0)
		return;
	if (s->text->len == 0)
		format_stack(w, s);
	line.stack = buf_slice(s->text);
	stacktrace_print(&w->text, &line);
}

void
raw_writer_round(struct raw_writer *w, bool last)
{
	struct jit_refresh_place place;
	struct jit_symbol code;

	while (jit_refresh_next_named(w->options.jit, &place, &code))
		write_code(w, place.pid, &code);
	if (!last)
		buf_char(&w->text, '\n');
	buf_write(&w->text, stdout);
	fflush(stdout);
}
