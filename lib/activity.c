/* activity.c - what threads do, by function: they run, or wait. */
#include "activity.h"

#include "folded.h"
#include "mem.h"

#include <stdlib.h>

/* A stack whose class was not asked for yet. */
#define UNKNOWN 255

void
activity_init(struct activity *a, const struct trie *trie, struct intern *names,
	      const struct waits *waits)
{
	int c;

	*a = (struct activity){ .trie = trie, .names = names, .waits = waits };
	a->function = intern_new();
	for (c = 0; c < WAIT_CLASSES; c++)
		a->shown[c] = true;
}

void
activity_free(struct activity *a)
{
	int c;

	for (c = 0; c < WAIT_CLASSES; c++) {
		free(a->self[c]);
		free(a->total[c]);
	}
	free(a->weight);
	free(a->class);
	free(a->who);
	free(a->through);
	free(a->function_of);
	free(a->is_first);
	free(a->function_of_name);
	intern_free(a->function);
}

static void
name_functions(struct activity *a)
{
	const uint32_t n = intern_size(a->names);
	char suffix;

	a->function_of_name = mem_grow(a->function_of_name,
				       &a->function_of_name_cap, n,
				       sizeof(*a->function_of_name));
	for (; a->names_known < n; a->names_known++)
		a->function_of_name[a->names_known] = intern_id(
		    a->function,
		    frame_name(intern_name(a->names, a->names_known), &suffix));
}

/*
 * A stack with a function twice counts once for it, where it is first: on[f]
 * counts the frames of f on the way to where the walk is.
 */
static void
find_first(struct activity *a)
{
	const struct trie_frame *frame = a->trie->frame;
	uint32_t *on = mem_zero(intern_size(a->function) + 1, sizeof(*on));
	uint32_t i = frame[0].child;

	while (i != 0) {
		a->is_first[i] = on[a->function_of[i]]++ == 0;
		if (frame[i].child != 0) {
			i = frame[i].child;
			continue;
		}
		/* Leave this frame, and those it is the last callee of. */
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
activity_grow(struct activity *a)
{
	const uint32_t n = a->trie->n;
	uint32_t i;

	if (n == a->frames)
		return;
	a->weight = mem_grow(a->weight, &a->cap[0], n, sizeof(*a->weight));
	a->class = mem_grow(a->class, &a->cap[1], n, sizeof(*a->class));
	a->who = mem_grow(a->who, &a->cap[2], n, sizeof(*a->who));
	a->through = mem_grow(a->through, &a->cap[3], n, sizeof(*a->through));
	a->function_of = mem_grow(a->function_of, &a->cap[4], n,
				  sizeof(*a->function_of));
	a->is_first = mem_grow(a->is_first, &a->cap[5], n,
			       sizeof(*a->is_first));
	name_functions(a);
	for (i = a->frames; i < n; i++) {
		a->weight[i] = 0;
		a->class[i] = UNKNOWN;
		if (i > 0)
			a->function_of[i] =
			    a->function_of_name[a->trie->frame[i].name];
	}
	a->frames = n;
	find_first(a);
}

/* What a stack does, and the frame that has it done: its leaf if it runs. */
static void
classify(struct activity *a, uint32_t stack)
{
	const struct trie_frame *frame = a->trie->frame;
	enum wait_class class = WAIT_NONE;
	uint32_t i = stack;

	while (i != 0 && waits_step(a->waits, activity_name(a, i), &class))
		i = frame[i].parent;
	if (i != 0 && class == WAIT_NONE &&
	    str_starts(activity_name(a, i), STR("state:")))
		i = frame[i].parent;
	a->class[stack] = (uint8_t) class;
	a->who[stack] = i == 0 ? stack : i;
}

/* What is on stacks of one class, by frame, then by function. */
static void
sum_class(struct activity *a, uint8_t class, double *on)
{
	const struct trie_frame *frame = a->trie->frame;
	double *self = a->self[class], *total = a->total[class];
	uint32_t i;

	for (i = 0; i < a->frames; i++)
		on[i] = a->class[i] == class ? a->weight[i] : 0;
	for (i = 1; i < a->frames; i++) {
		if (on[i] > 0)
			self[a->function_of[a->who[i]]] += on[i];
	}
	/* Callees come after their callers. */
	for (i = a->frames - 1; i > 0; i--) {
		on[frame[i].parent] += on[i];
		if (a->is_first[i])
			total[a->function_of[i]] += on[i];
	}
	a->sum[class] = on[0];
	for (i = 0; a->shown[class] && i < a->frames; i++)
		a->through[i] += on[i];
}

void
activity_update(struct activity *a)
{
	const size_t n = intern_size(a->function);
	double *on = mem_zero(a->frames + 1, sizeof(*on));
	uint32_t i;
	uint8_t c;

	for (i = 1; i < a->frames; i++) {
		if (a->weight[i] > 0 && a->class[i] == UNKNOWN)
			classify(a, i);
	}
	if (a->frames > 0)
		memset(a->through, 0, a->frames * sizeof(*a->through));
	for (c = 0; c < WAIT_CLASSES; c++) {
		free(a->self[c]);
		free(a->total[c]);
		a->self[c] = mem_zero(n + 1, sizeof(**a->self));
		a->total[c] = mem_zero(n + 1, sizeof(**a->total));
		sum_class(a, c, on);
	}
	free(on);
}
