/* folded_writer.c - write samples as folded text. */
#include "sampler/folded_writer.h"

#include "base/mem.h"
#include "formats/stacktrace.h"
#include "interp/interp_plumbing.h"
#include "interp/interp_text.h"
#include "os/clock.h"

#include <inttypes.h>
#include <stdlib.h>

#define SECOND 1000000000

struct folded_writer {
	struct folded_writer_options options;
	char hz[32];
	struct snapshots *snapshots;
	uint64_t snapshot_start; /* of CLOCK_MONOTONIC, in ns */
	uint64_t rounds;         /* of the snapshot */
	uint32_t *token; /* by the number of the code, plus one; 0: none yet */
	size_t ntokens;
	uint32_t *function; /* the same by the number of a function */
	size_t nfunctions;
	/* By the number of the code: PLUMBING_ bits, for one language. */
	uint32_t *plumbing;
	size_t nplumbing;
	struct str language;
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
	free(w->plumbing);
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
	/* A state may have brackets, as Go's "select (no cases)". */
	struct frame f = { .name = code->name,
			   .whole = str_starts(code->name, STR("state:")),
			   .module = code->module,
			   .line = code->line,
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

/* Who has the lock that a thread waits for, and what that one does. */
static void
push_blockers(struct folded_writer *w, const struct thread_sample *s)
{
	const struct lock_chain *chain = s->chain;
	struct buf text = { 0 };
	size_t i;

	if (chain->is_deadlock || chain->last.len > 0) {
		buf_char(&text, '[');
		buf_str(&text, chain->is_deadlock ? STR("in a deadlock") :
						    buf_slice(&chain->last));
		buf_char(&text, ']');
		push_mark(w, buf_slice(&text));
	}
	for (i = chain->n; i > 0; i--) {
		text.len = 0;
		buf_printf(&text, "[%s %.*s%s%" PRId64 "]",
			   chain->link[i - 1].is_join ? "end of" : "held by",
			   (int)chain->link[i - 1].name.len,
			   chain->link[i - 1].name.p,
			   chain->link[i - 1].name.len > 0 ? " " : "",
			   chain->link[i - 1].tid);
		push_mark(w, buf_slice(&text));
	}
	if (s->file.len > 0) {
		text.len = 0;
		buf_printf(&text, "[on %.*s]", (int)s->file.len, s->file.p);
		push_mark(w, buf_slice(&text));
	}
	buf_free(&text);
}

static void
push_state(struct folded_writer *w, const struct thread_sample *s)
{
	const struct stacktrace t = { .state = s->state,
				      .call = s->call,
				      .label = s->label,
				      .lock_waits = s->lock ==
						    INTERP_LOCK_WAITS };
	struct buf text = { 0 };

	buf_str(&text, STR("state:"));
	buf_str(&text, stacktrace_state(&t));
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

/* The native frames of a stack, from the leaf on. */
struct native_frames {
	struct str language; /* of the functions in the stack; or empty */
	bool callee;         /* interpreted functions have been pushed, */
	bool embedded;       /* and native ones that called the last of them */
};

/*
 * The kind of a native function, as the cache has it: two bits, four with those
 * for callers of interpreted functions; 0 if it is not known yet.
 */
static enum interp_plumbing_kind
plumbing_of(struct folded_writer *w, const struct native_frames *n,
	    const struct code *code)
{
	const unsigned shift = n->callee ? 2 : 0;
	uint32_t *bits;

	if (!str_eq(n->language, w->language)) {
		w->language = n->language;
		w->nplumbing = 0;
	}
	bits = element(&w->plumbing, &w->nplumbing, code->number);
	if ((*bits >> shift & 3) == 0)
		*bits |= (1u + interp_plumbing_find(n->language, code->name,
						    code->module, n->callee))
			 << shift;
	return (enum interp_plumbing_kind)((*bits >> shift & 3) - 1);
}

/* Push a native function, but not if it is only how a language calls. */
static void
push_code(struct folded_writer *w, struct native_frames *n,
	  const struct code *code)
{
	const enum interp_plumbing_kind kind = n->language.len == 0 ?
						   INTERP_PLUMBING_NONE :
						   plumbing_of(w, n, code);

	if (kind == INTERP_PLUMBING_CALLS ||
	    (kind == INTERP_PLUMBING_START && !n->embedded))
		return;
	snapshot_push(w->snapshots, token_of(w, code));
	n->embedded = n->callee;
}

/*
 * Push a native frame.  is_code says that it is the code of the function that
 * comes next, or has called that code: the function stands for it if it has no
 * name of its own.  False if the code may have another name later.
 */
static bool
push_native(struct folded_writer *w, const struct thread_sample *s,
	    struct native_frames *n, const struct unwind_frame *f, bool is_code)
{
	struct jit_symbol unused;
	bool lasts = true;
	const struct code *code = resolve(w->options.resolver, RESOLVE_USER,
					  f->pc, !f->exact);

	if (code->name.len == 0 && is_code)
		return true;
	/* This asks for a name, for the next sample. */
	if (code->name.len == 0)
		jit_refresh_find(w->options.jit, s->pid, s->time,
				 f->pc - !f->exact, &unused);
	for (; code != NULL; code = code->outer) {
		lasts &= code->kind != CODE_JIT && code->name.len > 0;
		push_code(w, n, code);
	}
	return lasts;
}

/* The language of the functions in a stack; empty if there are none. */
static struct str
find_language(const struct folded_writer *w, const struct interp_entries *vm)
{
	return vm->n == 0 ? STR("") :
			    interp_functions_get(w->options.functions,
						 vm->entry[0].function)
				.language;
}

/* Push all frames; false if they may have other names later. */
static bool
push_frames(struct folded_writer *w, const struct thread_sample *s)
{
	const struct interp_entry *entry = s->vm->entry;
	struct native_frames native = { .language = find_language(w, s->vm) };
	size_t i, functions, next = 0;
	bool is_code, lasts = true;

	resolve_at(w->options.resolver, s->pid, s->time);
	for (i = 0; i < s->n; i++) {
		functions = next;
		next = push_functions(w, s, next, i);
		if (next > functions) {
			native.callee = true;
			native.embedded = false;
		}
		if (w->options.no_native ||
		    (next > 0 && entry[next - 1].at == i &&
		     entry[next - 1].replaces))
			continue;
		is_code = next < s->vm->n && entry[next].has_code &&
			  i >= entry[next].code;
		lasts &= push_native(w, s, &native, &s->frame[i], is_code);
	}
	push_functions(w, s, next, s->n);
	return lasts;
}

/* The same, by the names that a thread's cache has of its last sample. */
static void
push_stack(struct folded_writer *w, const struct thread_sample *s)
{
	const uint32_t *id;
	size_t n, before;

	snapshot_stack(w->snapshots, &before);
	if (s->text->len > 0) {
		id = (const uint32_t *)(const void *)s->text->p;
		snapshot_push_names(w->snapshots, id,
				    s->text->len / sizeof(*id));
	} else if (push_frames(w, s)) {
		id = snapshot_stack(w->snapshots, &n);
		buf_str(s->text, (struct str){ (const char *)(id + before),
					       (n - before) * sizeof(*id) });
	}
}

void
folded_writer_sample(struct folded_writer *w, const struct thread_sample *s)
{
	const uint32_t *id;
	size_t n;

	if (w->options.no_native && s->vm->n == 0)
		return;
	snapshot_begin(w->snapshots, s->name, s->pid, s->tid);
	if (w->options.with_blockers && w->options.with_state)
		push_blockers(w, s);
	if (w->options.with_state)
		push_state(w, s);
	if (s->moving)
		push_mark(w, STR("[moving]"));
	push_stack(w, s);
	if (s->vm->unmerged)
		push_mark(w, STR("[unmerged]"));
	if (w->options.dump != NULL) {
		id = snapshot_stack(w->snapshots, &n);
		thread_dump_add(w->options.dump, s,
				snapshot_names(w->snapshots), id, n);
		return;
	}
	snapshot_end(w->snapshots, s->truncated && !w->options.no_native);
}

void
folded_writer_round(struct folded_writer *w, bool last)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	w->rounds += !last;
	if (w->options.dump != NULL ||
	    (!last && now - w->snapshot_start < SECOND))
		return;
	snapshot_write(w->snapshots, &(struct snapshot_span){
					 w->snapshot_start,
					 now - w->snapshot_start, w->rounds });
	w->snapshot_start = now;
	w->rounds = 0;
}
