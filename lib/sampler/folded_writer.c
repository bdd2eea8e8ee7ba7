/* folded_writer.c - write samples as folded text. */
#include "sampler/folded_writer.h"

#include "base/mem.h"
#include "interp/interp_plumbing.h"
#include "interp/interp_text.h"
#include "os/clock.h"

#include <stdlib.h>

#define SECOND 1000000000

struct folded_writer {
	struct folded_writer_options options;
	char hz[32];
	struct snapshots *snapshots;
	uint64_t snapshot_start; /* of CLOCK_MONOTONIC, in ns */
	uint32_t *token; /* by the number of the code, plus one; 0: none yet */
	size_t ntokens;
	uint32_t *function; /* the same by the number of a function */
	size_t nfunctions;
	struct buf text; /* scratch */
};

struct folded_writer *
folded_writer_new(const struct folded_writer_options *options)
{
	struct folded_writer *w = mem_zero(1, sizeof(*w));

	w->options = *options;
	snprintf(w->hz, sizeof(w->hz), "%g", options->hz);
	w->snapshots = snapshot_new("monotonic", w->hz, options->with_tid,
				    &options->from);
	w->snapshot_start = clock_ns(CLOCK_MONOTONIC);
	return w;
}

void
folded_writer_free(struct folded_writer *w)
{
	if (w == NULL)
		return;
	snapshot_free(w->snapshots);
	free(w->token);
	free(w->function);
	buf_free(&w->text);
	free(w);
}

/* The element of an array that grows with zeros. */
static uint32_t *
element(uint32_t **array, size_t *n, size_t i)
{
	const size_t old = *n;

	if (i >= old) {
		*array = mem_grow(*array, n, i + 1, sizeof(**array));
		memset(*array + old, 0, (*n - old) * sizeof(**array));
	}
	return &(*array)[i];
}

static uint32_t
token_of(struct folded_writer *w, const struct code *code)
{
	uint32_t *token = element(&w->token, &w->ntokens, code->number);
	struct frame f = { .name = code->name,
			   .module = code->module,
			   .kind = code->kind == CODE_JIT    ? FRAME_JIT :
				   code->kind == CODE_INLINE ? FRAME_INLINE :
							       FRAME_USER };

	if (*token == 0)
		*token = snapshot_token(w->snapshots, &f) + 1;
	return *token - 1;
}

/* The token of a frame of an interpreter. */
static uint32_t
function_token(struct folded_writer *w, const struct interp_entry *e)
{
	const struct interp_function function = interp_functions_get(
	    w->options.functions, e->function);
	struct frame f = { .whole = true, .kind = FRAME_INTERP };
	uint32_t *token = element(&w->function, &w->nfunctions, e->function);

	if (!w->options.with_lines && *token != 0)
		return *token - 1;
	w->text.len = 0;
	interp_text_frame(&w->text, function.name, function.file,
			  w->options.with_lines ? e->line : 0);
	f.name = buf_slice(&w->text);
	*token = snapshot_token(w->snapshots, &f) + 1;
	return *token - 1;
}

static void
push_mark(struct folded_writer *w, struct str name)
{
	snapshot_push(
	    w->snapshots,
	    token_of(
		w, code_intern_mark(resolve_codes(w->options.resolver), name)));
}

static void
push_state(struct folded_writer *w, const struct thread_sample *s)
{
	struct buf text = { 0 };

	buf_str(&text, STR("state:"));
	if (s->state == 'R')
		buf_str(&text, STR("running"));
	else if (s->lock == INTERP_LOCK_WAITS)
		buf_str(&text, STR("interpreter-lock"));
	else if (s->call.len > 0)
		buf_str(&text, s->call);
	else
		buf_str(&text,
			s->state == 'T' ? STR("stopped") : STR("waiting"));
	push_mark(w, buf_slice(&text));
	buf_free(&text);
}

/*
 * Push the functions that stand before a native frame, from number from on;
 * returns the number after them.
 */
static size_t
push_functions(struct folded_writer *w, const struct thread_sample *s,
	       size_t from, size_t at)
{
	for (; from < s->vm->n && s->vm->entry[from].at == at; from++)
		snapshot_push(w->snapshots,
			      function_token(w, &s->vm->entry[from]));
	return from;
}

/* Whether a frame is only how the stack's functions are called. */
static bool
is_plumbing(const struct folded_writer *w, const struct thread_sample *s,
	    const struct code *code, bool callee)
{
	const struct interp_entries *vm = s->vm;

	return vm->n > 0 &&
	       interp_plumbing_has(interp_functions_get(w->options.functions,
							vm->entry[0].function)
				       .language,
				   code->name, code->module, callee);
}

static void
push_native(struct folded_writer *w, const struct thread_sample *s,
	    const struct unwind_frame *f, bool callee)
{
	struct jit_symbol unused;
	const struct code *code = resolve(w->options.resolver, RESOLVE_USER,
					  f->pc, !f->exact);

	/* This asks for a name, for the next sample. */
	if (code->name.len == 0)
		jit_refresh_find(w->options.jit, s->pid, s->time,
				 f->pc - !f->exact, &unused);
	for (; code != NULL; code = code->outer) {
		if (!is_plumbing(w, s, code, callee))
			snapshot_push(w->snapshots, token_of(w, code));
	}
}

void
folded_writer_sample(struct folded_writer *w, const struct thread_sample *s)
{
	const struct interp_entry *entry = s->vm->entry;
	const uint32_t *id;
	size_t i, next = 0;

	if (w->options.no_native && s->vm->n == 0)
		return;
	snapshot_begin(w->snapshots, s->name, s->pid, s->tid);
	if (w->options.with_state)
		push_state(w, s);
	if (s->moving)
		push_mark(w, STR("[moving]"));
	resolve_at(w->options.resolver, s->pid, s->time);
	for (i = 0; i < s->n; i++) {
		next = push_functions(w, s, next, i);
		if (w->options.no_native ||
		    (next > 0 && entry[next - 1].at == i &&
		     entry[next - 1].replaces))
			continue;
		push_native(w, s, &s->frame[i], next > 0);
	}
	push_functions(w, s, next, s->n);
	if (s->vm->unmerged)
		push_mark(w, STR("[unmerged]"));
	if (w->options.dump != NULL) {
		id = snapshot_stack(w->snapshots, &i);
		thread_dump_add(w->options.dump, s,
				snapshot_names(w->snapshots), id, i);
		return;
	}
	snapshot_end(w->snapshots, s->truncated && !w->options.no_native);
}

void
folded_writer_round(struct folded_writer *w, bool last)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (w->options.dump != NULL ||
	    (!last && now - w->snapshot_start < SECOND))
		return;
	snapshot_write(w->snapshots, w->snapshot_start,
		       now - w->snapshot_start);
	w->snapshot_start = now;
}
