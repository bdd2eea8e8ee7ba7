/* hotspot_threads.c - the Java threads of a HotSpot. */
#include "interp/hotspot_threads.h"

/* The first JDK whose JavaThread has a handle of its java.lang.Thread. */
enum { HANDLES = 16 };

/* The fields of classes are searched again after each failure, up to this. */
enum { MAX_TRIES = 100 };

/* The kernel's id of a JavaThread; 0 if it cannot be read. */
static int64_t
read_tid(const struct hotspot_layout *l, struct interp_copy *memory,
	 uint64_t thread, uint64_t *os_thread)
{
	uint64_t tid;

	return hotspot_layout_read_field(l, HOTSPOT_THREAD_OS, memory, thread,
					 os_thread) &&
		       hotspot_layout_read_field(l, HOTSPOT_OS_THREAD_ID,
						 memory, *os_thread, &tid) ?
		   (int64_t)tid :
		   0;
}

/* Add up to INTERP_COPY_PREFETCH threads, and read them by two calls. */
static void
add_threads(const struct hotspot_layout *l, struct interp_copy *memory,
	    const uint64_t *thread, size_t n, struct interp_list *list)
{
	const struct hotspot_field *os = &l->field[HOTSPOT_THREAD_OS];
	const struct hotspot_field *id = &l->field[HOTSPOT_OS_THREAD_ID];
	uint64_t address[INTERP_COPY_PREFETCH], os_thread;
	int64_t tid;
	size_t i;

	interp_copy_drop(memory);
	for (i = 0; i < n; i++)
		address[i] = thread[i] + os->offset;
	interp_copy_prefetch(memory, address, n, os->size);
	for (i = 0; i < n; i++) {
		address[i] = 0;
		if (hotspot_layout_read_field(l, HOTSPOT_THREAD_OS, memory,
					      thread[i], &os_thread))
			address[i] = os_thread + id->offset;
	}
	interp_copy_prefetch(memory, address, n, id->size);
	for (i = 0; i < n; i++) {
		tid = read_tid(l, memory, thread[i], &os_thread);
		if (tid > 0 &&
		    !interp_list_add(list, tid, thread[i], os_thread))
			return;
	}
}

/* Up to JDK 11: each thread has the next one. */
static void
list_linked(const struct hotspot_layout *l, struct interp_copy *memory,
	    struct interp_list *list)
{
	uint64_t thread, os_thread;
	int64_t tid;
	size_t i;

	if (!interp_copy_read(memory, l->variable[HOTSPOT_FIRST_THREAD],
			      &thread, sizeof(thread)))
		return;
	for (i = 0; i < INTERP_LIST_MAX && thread != 0; i++) {
		if (i % INTERP_COPY_PREFETCH == 0)
			interp_copy_drop(memory);
		tid = read_tid(l, memory, thread, &os_thread);
		if ((tid > 0 &&
		     !interp_list_add(list, tid, thread, os_thread)) ||
		    !hotspot_layout_read_field(l, HOTSPOT_THREAD_NEXT, memory,
					       thread, &thread))
			return;
	}
}

static void
list_array(const struct hotspot_layout *l, struct interp_copy *memory,
	   struct interp_list *list)
{
	uint64_t threads, n, array, thread[INTERP_COPY_PREFETCH], i;
	size_t some;

	if (!interp_copy_get(memory, l->variable[HOTSPOT_THREAD_LIST], &threads,
			     sizeof(threads), sizeof(threads)) ||
	    !hotspot_layout_read_field(l, HOTSPOT_THREADS_LENGTH, memory,
				       threads, &n) ||
	    !hotspot_layout_read_field(l, HOTSPOT_THREADS_ARRAY, memory,
				       threads, &array))
		return;
	for (i = 0; i < n && i < INTERP_LIST_MAX; i += some) {
		some = n - i < INTERP_COPY_PREFETCH ? (size_t)(n - i) :
						      INTERP_COPY_PREFETCH;
		if (!interp_copy_read(memory, array + i * sizeof(*thread),
				      thread, some * sizeof(*thread)))
			return;
		add_threads(l, memory, thread, some, list);
	}
}

void
hotspot_threads_list(const struct hotspot_layout *l, struct interp_copy *memory,
		     struct interp_list *list)
{
	if (l->variable[HOTSPOT_THREAD_LIST] != 0)
		list_array(l, memory, list);
	else if (l->variable[HOTSPOT_FIRST_THREAD] != 0)
		list_linked(l, memory, list);
}

/* Read the fields of a JavaThread that are asked for by one call. */
static void
read_fields(const struct hotspot_layout *l, struct interp_copy *memory,
	    uint64_t thread)
{
	static const enum hotspot_field_id ids[] = { HOTSPOT_THREAD_OS,
						     HOTSPOT_THREAD_OBJECT,
						     HOTSPOT_THREAD_PENDING,
						     HOTSPOT_THREAD_WAITING };
	uint32_t from = UINT32_MAX, to = 0;
	char bytes[1024];
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		if (!hotspot_has(l, ids[i]))
			continue;
		if (l->field[ids[i]].offset < from)
			from = l->field[ids[i]].offset;
		if (hotspot_end(l, ids[i]) > to)
			to = (uint32_t)hotspot_end(l, ids[i]);
	}
	if (to > from && to - from <= sizeof(bytes))
		interp_copy_get(memory, thread + from, bytes, to - from,
				to - from);
}

bool
hotspot_threads_has(const struct hotspot_layout *l, struct interp_copy *memory,
		    const struct interp_listed *thread)
{
	uint64_t os_thread;

	read_fields(l, memory, thread->block);
	return read_tid(l, memory, thread->block, &os_thread) ==
	       thread->inner_tid;
}

uint64_t
hotspot_threads_resolve(const struct hotspot_layout *l,
			struct interp_copy *memory, uint64_t handle)
{
	uint64_t object;

	if (l->version < HANDLES || handle == 0)
		return handle;
	return interp_copy_read(memory, handle, &object, sizeof(object)) ?
		   hotspot_objects_plain(object) :
		   0;
}

uint64_t
hotspot_threads_object(const struct hotspot_layout *l,
		       struct interp_copy *memory, uint64_t thread)
{
	uint64_t handle;

	return hotspot_layout_read_field(l, HOTSPOT_THREAD_OBJECT, memory,
					 thread, &handle) ?
		   hotspot_threads_resolve(l, memory, handle) :
		   0;
}

const struct hotspot_objects *
hotspot_threads_objects(struct hotspot_threads *t,
			const struct hotspot_layout *l,
			struct interp_copy *memory)
{
	if (!t->has_objects && t->tries < MAX_TRIES) {
		t->tries++;
		t->has_objects = hotspot_objects_read(&t->objects, l, memory);
	}
	return t->has_objects ? &t->objects : NULL;
}

void
hotspot_threads_name(struct hotspot_threads *t, const struct hotspot_layout *l,
		     struct interp_copy *memory,
		     const struct interp_listed *thread, struct buf *name)
{
	const struct hotspot_objects *o;

	if (!hotspot_threads_has(l, memory, thread))
		return;
	o = hotspot_threads_objects(t, l, memory);
	if (o != NULL)
		hotspot_objects_thread_name(
		    o, memory, hotspot_threads_object(l, memory, thread->block),
		    name);
}
