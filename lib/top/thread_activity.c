/* thread_activity.c - what threads do, by function: run, or wait. */
#include "top/thread_activity.h"

#include "base/mem.h"
#include "folded/folded.h"

#include <stdlib.h>

/* The class of a stack that is not classified yet. */
#define UNKNOWN 255

void
thread_activity_init(struct thread_activity *a, const struct trie *trie,
		     struct intern *names, const struct waits *waits)
{
	int c;

	*a = (struct thread_activity){ .trie = trie,
				       .names = names,
				       .waits = waits };
	a->function = intern_new();
	for (c = 0; c < WAIT_CLASSES; c++)
		a->shown[c] = true;
}

void
thread_activity_free(struct thread_activity *a)
{
	int c;

	for (c = 0; c < WAIT_CLASSES; c++) {
		free(a->self[c]);
		free(a->total[c]);
	}
	free(a->weight);
	free(a->class);
	free(a->actor);
	free(a->inclusive);
	free(a->function_of);
	free(a->is_outermost);
	free(a->function_of_name);
	intern_free(a->function);
}

static void
name_functions(struct thread_activity *a)
{
	const uint32_t n = intern_size(a->names);
	char suffix;

	a->function_of_name = mem_grow(a->function_of_name,
				       &a->function_of_name_cap, n,
				       sizeof(*a->function_of_name));
	for (; a->nnames < n; a->nnames++)
		a->function_of_name[a->nnames] = intern_id(
		    a->function,
		    folded_frame_name(intern_name(a->names, a->nnames),
				      &suffix));
}

/*
 * Find the frames without a caller of the same function, so that a stack counts
 * once for a function.  on[f] counts the frames of f between the root and the
 * current frame.
 */
static void
find_outermost(struct thread_activity *a)
{
	const struct trie_frame *frame = a->trie->frame;
	uint32_t *on = mem_zero(intern_size(a->function) + 1, sizeof(*on));
	uint32_t i = frame[0].child;

	while (i != 0) {
		a->is_outermost[i] = on[a->function_of[i]]++ == 0;
		if (frame[i].child != 0) {
			i = frame[i].child;
			continue;
		}
		/* Leave this frame and the callers whose last callee it is. */
		on[a->function_of[i]]--;
		while (frame[i].next == 0 && frame[i].parent != 0) {
			i = frame[i].parent;
			on[a->function_of[i]]--;
		}
		i = frame[i].next;
	}
	free(on);
}

void
thread_activity_grow(struct thread_activity *a)
{
	const uint32_t n = a->trie->n;
	uint32_t i;

	if (n == a->frames)
		return;
	a->weight = mem_grow(a->weight, &a->cap[0], n, sizeof(*a->weight));
	a->class = mem_grow(a->class, &a->cap[1], n, sizeof(*a->class));
	a->actor = mem_grow(a->actor, &a->cap[2], n, sizeof(*a->actor));
	a->inclusive = mem_grow(a->inclusive, &a->cap[3], n,
				sizeof(*a->inclusive));
	a->function_of = mem_grow(a->function_of, &a->cap[4], n,
				  sizeof(*a->function_of));
	a->is_outermost = mem_grow(a->is_outermost, &a->cap[5], n,
				   sizeof(*a->is_outermost));
	name_functions(a);
	for (i = a->frames; i < n; i++) {
		a->weight[i] = 0;
		a->class[i] = UNKNOWN;
		if (i > 0)
			a->function_of[i] =
			    a->function_of_name[a->trie->frame[i].name];
	}
	a->frames = n;
	find_outermost(a);
}

/* Find what a stack does and its actor, which is the leaf if it runs. */
static void
classify(struct thread_activity *a, uint32_t stack)
{
	const struct trie_frame *frame = a->trie->frame;
	struct wait_walk walk = { 0 };
	uint32_t i = stack;

	while (a->waits != NULL && i != 0 &&
	       waits_step(a->waits, thread_activity_name(a, i), &walk))
		i = frame[i].parent;
	if (i != 0 && str_starts(thread_activity_name(a, i), STR("state:")))
		i = frame[i].parent;
	a->class[stack] = (uint8_t)walk.class;
	a->actor[stack] = i == 0 ? stack : i;
}

/* Sum up the stacks of one class: by frame in on[], then by function. */
static void
sum_class(struct thread_activity *a, uint8_t class, double *on)
{
	const struct trie_frame *frame = a->trie->frame;
	double *self = a->self[class], *total = a->total[class];
	uint32_t i;

	for (i = 0; i < a->frames; i++)
		on[i] = a->class[i] == class ? a->weight[i] : 0;
	for (i = 1; i < a->frames; i++) {
		if (on[i] > 0)
			self[a->function_of[a->actor[i]]] += on[i];
	}
	/* Callees come after their callers. */
	for (i = a->frames - 1; i > 0; i--) {
		on[frame[i].parent] += on[i];
		if (a->is_outermost[i])
			total[a->function_of[i]] += on[i];
	}
	a->sum[class] = on[0];
	for (i = 0; a->shown[class] && i < a->frames; i++)
		a->inclusive[i] += on[i];
}

/* Whether a stack is that of a suspended task, as stacksample writes them. */
static bool
is_task(const struct thread_activity *a, uint32_t stack)
{
	const struct str leaf = thread_activity_name(a, stack);
	uint32_t root = stack;

	if (!str_starts(leaf, STR("state:")))
		return false;
	while (a->trie->frame[root].parent != 0)
		root = a->trie->frame[root].parent;
	return str_eq(leaf, STR("state:await")) ||
	       str_eq(leaf, STR("state:ready")) ||
	       str_starts(thread_activity_name(a, root), STR("goroutine"));
}

void
thread_activity_update(struct thread_activity *a)
{
	const size_t n = intern_size(a->function);
	double *on = mem_zero(a->frames + 1, sizeof(*on));
	uint32_t i;
	uint8_t c;

	a->tasks = 0;
	for (i = 1; i < a->frames; i++) {
		if (a->weight[i] > 0 && a->class[i] == UNKNOWN)
			classify(a, i);
		if (a->weight[i] > 0 && is_task(a, i))
			a->tasks += a->weight[i];
	}
	if (a->frames > 0)
		memset(a->inclusive, 0, a->frames * sizeof(*a->inclusive));
	for (c = 0; c < WAIT_CLASSES; c++) {
		free(a->self[c]);
		free(a->total[c]);
		a->self[c] = mem_zero(n + 1, sizeof(**a->self));
		a->total[c] = mem_zero(n + 1, sizeof(**a->total));
		sum_class(a, c, on);
	}
	free(on);
}
