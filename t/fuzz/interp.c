/*
 * interp - lib/interp as a libFuzzer target: CPython in a process whose memory
 * is hostile.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp_memory.h"

#include "interp/cpython_code.h"
#include "interp/cpython_objects.h"
#include "interp/cpython_tasks.h"
#include "interp/cpython_text.h"
#include "interp/cpython_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bool
choose_layout(unsigned choice, const struct interp_memory *m,
	      struct cpython_layout *layout)
{
	const unsigned oldest = 5, describes_itself = 13;
	const unsigned minor = oldest + choice % 11;
	const struct cpython_layout *known = minor == oldest ?
						 cpython_layout_of(2, 7) :
						 cpython_layout_of(3, minor);
	const char *why;

	if (minor >= describes_itself)
		return m->size >= CPYTHON_LAYOUT_BYTES &&
		       cpython_layout_read(layout, (const char *)m->data, 3,
					   minor, &why);
	*layout = *known;
	return true;
}

static void
walk_and_name(struct interp_memory *m, const struct cpython_layout *layout)
{
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = m };
	struct interp_functions *functions = interp_functions_new();
	struct cpython_codes *codes = cpython_code_new(
	    layout, 0, (struct interp_range){ 0, 0 });
	struct interp_listed thread = { .block = 8 };
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	const struct interp_moment moment = { .sp = 64 };
	struct buf stack = { 0 };
	int i;

	memcpy(&thread.id, m->data + (8 + layout->thread.id) % (m->size - 8),
	       sizeof(thread.id));
	for (i = 0; i < 3; i++) {
		interp_stack_clear(&s);
		interp_copy_begin(&copy, &reader, &spans, &moment, &stack, 256);
		copy.max_reads = INTERP_COPY_HELD;
		cpython_walk(layout, &copy, &thread, &s);
		interp_copy_end(&copy, &spans);
		/* Spans of the last sample may take a few calls, too. */
		if (s.n > INTERP_STACK_DEPTH ||
		    copy.bytes.len > INTERP_COPY_BYTES ||
		    copy.reads > INTERP_COPY_HELD + 8)
			abort();
		cpython_code_name(codes, &reader, functions, &s);
		interp_memory_merge(m, &s);
	}
	if (m->reads > 4 * INTERP_COPY_READS)
		abort();
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	buf_free(&stack);
	cpython_code_free(codes);
	interp_functions_free(functions);
}

/* Read tasks, and look for the name of a thread. */
static void
read_objects(struct interp_memory *m, const struct cpython_layout *layout)
{
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = m };
	struct cpython_tasks *tasks = cpython_tasks_new(layout);
	struct cpython_lists lists;
	const struct cpython_task *t;
	struct interp_copy copy = { 0 };
	struct cpython_objects o = { .l = layout, .memory = &copy };
	struct interp_stack s = { 0 };
	struct buf name = { 0 };
	size_t i, n;
	int look;

	/* What is behind _Py_DebugOffsets. */
	if (cpython_tasks_are_listed(layout) &&
	    m->size >= CPYTHON_LAYOUT_BYTES + CPYTHON_LISTS_BYTES &&
	    cpython_lists_parse(&lists,
				(const char *)m->data + CPYTHON_LAYOUT_BYTES))
		cpython_tasks_set_lists(tasks, &lists);
	for (look = 0; look < 2; look++) {
		cpython_tasks_begin(tasks, &reader, 8, 1);
		if (!cpython_tasks_are_listed(layout))
			cpython_tasks_add_set(tasks, 16);
		while ((n = cpython_tasks_next(tasks, &s, &t)) > 0) {
			for (i = 0; i < n; i++) {
				if (t[i].end > s.n || t[i].begin >= t[i].end)
					abort();
				cpython_tasks_name(tasks, &t[i], &name);
			}
		}
	}
	interp_copy_begin(&copy, &reader, NULL, NULL, NULL, 0);
	cpython_objects_find(&o, 24, STR("asyncio.tasks"));
	cpython_objects_find_int(&o, 24, 32);
	cpython_text_read(layout, &copy,
			  cpython_objects_attribute(&o, 40, STR("_name")),
			  &name);
	if (copy.reads > INTERP_COPY_READS)
		abort();
	cpython_tasks_free(tasks);
	interp_copy_free(&copy);
	interp_stack_free(&s);
	buf_free(&o.table);
	buf_free(&name);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct cpython_layout layout;
	struct interp_memory m;

	if (size < 2 + 64)
		return 0;
	m = (struct interp_memory){ data + 2, size - 2, data[1], 0 };
	if (choose_layout(data[0], &m, &layout)) {
		walk_and_name(&m, &layout);
		read_objects(&m, &layout);
	}
	return 0;
}
