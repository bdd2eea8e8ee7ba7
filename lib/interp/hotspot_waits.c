/*
 * hotspot_waits.c - what a Java thread waits for.
 *
 * A JavaThread has the ObjectMonitor that it waits for, to enter it or in
 * Object.wait(), objectMonitor.hpp.  Locks of java.util.concurrent are objects:
 * a java.lang.Thread has the one that it is parked for, and many of these have
 * the Thread that owns them, AbstractOwnableSynchronizer.java.
 */
#include "interp/hotspot_waits.h"

#include "base/mem.h"
#include "base/table.h"

#include <stdlib.h>

/* Limits: classes cached, superclasses, bytes of a name, locks of a thread. */
enum { MAX_CLASSES = 4096, MAX_SUPER = 64, MAX_NAME = 512, MAX_LOCKS = 8 };

/* Threads among which the owner of a monitor is searched. */
enum { MAX_SEARCHED = 2048 };

/* The owner of a monitor is some thread that has it in its list of locks. */
enum { ANONYMOUS = 1 };

struct hotspot_lock_class {
	uint64_t klass;
	uint64_t symbol; /* of its name: it is the same class */
	uint32_t owner;  /* offset of the Thread that owns it; 0: none */
	char *name;      /* "" if it cannot be read */
	UT_hash_handle hh;
};

void
hotspot_waits_free(struct hotspot_waits *all)
{
	struct hotspot_lock_class *c, *next;

	HASH_ITER(hh, all->known, c, next)
	{
		HASH_DEL(all->known, c);
		free(c->name);
		free(c);
	}
	free(all->list.thread);
	all->list = (struct interp_list){ 0 };
}

/* Read a field of q->thread or of what it points to; 0 if it cannot be read. */
static uint64_t
get(const struct hotspot_wait_query *q, enum hotspot_field_id id,
    uint64_t object)
{
	uint64_t value;

	return hotspot_layout_read_field(q->l, id, q->memory, object, &value) ?
		   value :
		   0;
}

/* Classes. */

/* Append the text of a symbol. */
static void
append_symbol(const struct hotspot_wait_query *q, uint64_t symbol,
	      struct buf *out)
{
	uint64_t n = get(q, HOTSPOT_SYMBOL_LENGTH, symbol);

	n = n > MAX_NAME ? MAX_NAME : n;
	buf_reserve(out, n);
	if (n > 0 &&
	    interp_copy_read(q->memory,
			     symbol + q->l->field[HOTSPOT_SYMBOL_BODY].offset,
			     out->p + out->len, n))
		out->len += n;
}

/* The offset of the owner in objects of a class; 0 if there is none. */
static uint32_t
find_owner_field(const struct hotspot_wait_query *q, uint64_t klass)
{
	const char *const base =
	    "java/util/concurrent/locks/AbstractOwnableSynchronizer";
	struct buf name = { 0 };
	uint32_t offset = 0;
	int i;

	for (i = 0; klass != 0 && i < MAX_SUPER; i++) {
		name.len = 0;
		append_symbol(q, get(q, HOTSPOT_KLASS_NAME, klass), &name);
		if (str_eq(buf_slice(&name), str_of(base))) {
			offset = hotspot_objects_field(q->l, q->memory, klass,
						       "exclusiveOwnerThread");
			break;
		}
		klass = get(q, HOTSPOT_KLASS_SUPER, klass);
	}
	buf_free(&name);
	return offset;
}

static void
read_class(const struct hotspot_wait_query *q, struct hotspot_lock_class *c)
{
	struct buf name = { 0 };

	append_symbol(q, c->symbol, &name);
	buf_char(&name, '\0');
	free(c->name);
	c->name = name.p;
	c->owner = find_owner_field(q, c->klass);
}

/* The class of an object; NULL if it cannot be read. */
static const struct hotspot_lock_class *
find_class(struct hotspot_waits *all, const struct hotspot_wait_query *q,
	   uint64_t object)
{
	const uint64_t klass = hotspot_objects_class(q->objects, q->memory,
						     object);
	const uint64_t symbol = get(q, HOTSPOT_KLASS_NAME, klass);
	struct hotspot_lock_class *c;

	if (symbol == 0)
		return NULL;
	HASH_FIND(hh, all->known, &klass, sizeof(klass), c);
	if (c == NULL) {
		if (HASH_COUNT(all->known) >= MAX_CLASSES)
			hotspot_waits_free(all);
		c = mem_zero(1, sizeof(*c));
		c->klass = klass;
		HASH_ADD(hh, all->known, klass, sizeof(c->klass), c);
	}
	if (c->symbol != symbol) {
		c->symbol = symbol;
		read_class(q, c);
	}
	return c;
}

/* Owners. */

/* Whether a thread has an object in its list of locks. */
static bool
has_lock(const struct hotspot_wait_query *q, uint64_t thread, uint64_t object)
{
	const struct hotspot_layout *l = q->l;
	const uint64_t locks = thread + l->field[HOTSPOT_THREAD_LOCKS].offset;
	const uint64_t first = locks + l->field[HOTSPOT_LOCKS_FIRST].offset;
	/* Where the list ends, as an offset from the thread. */
	const uint64_t end = thread + get(q, HOTSPOT_LOCKS_TOP, locks);
	uint64_t lock[MAX_LOCKS], n, i;

	if (end <= first)
		return false;
	n = (end - first) / sizeof(*lock);
	if (n > MAX_LOCKS ||
	    !interp_copy_read(q->memory, first, lock, n * sizeof(*lock)))
		return false;
	for (i = 0; i < n; i++) {
		if (lock[i] == object)
			return true;
	}
	return false;
}

/*
 * Whether a thread is what a monitor has as its owner: its number, its address,
 * or the address of a word in its stack.
 */
static bool
is_owner(const struct hotspot_wait_query *q, uint64_t thread, uint64_t owner,
	 uint64_t object)
{
	const bool numbers = hotspot_has(q->l, HOTSPOT_THREAD_OWNER_ID);
	uint64_t base;

	if (owner == ANONYMOUS)
		return hotspot_has(q->l, HOTSPOT_THREAD_LOCKS) && object != 0 &&
		       has_lock(q, thread, object);
	if (numbers)
		return get(q, HOTSPOT_THREAD_OWNER_ID, thread) == owner;
	if (thread == owner)
		return true;
	base = get(q, HOTSPOT_THREAD_STACK_BASE, thread);
	return owner < base &&
	       base - owner <= get(q, HOTSPOT_THREAD_STACK_SIZE, thread);
}

/* Look at all threads for the owner of a monitor; 0 if it is not found. */
static uint64_t
search_owner(struct hotspot_waits *all, const struct hotspot_wait_query *q,
	     uint64_t owner, uint64_t object)
{
	size_t i;

	all->list.n = 0;
	hotspot_threads_list(q->l, q->memory, &all->list);
	for (i = 0; i < all->list.n && i < MAX_SEARCHED; i++) {
		if (i % INTERP_COPY_PREFETCH == 0)
			interp_copy_drop(q->memory);
		if (is_owner(q, all->list.thread[i].block, owner, object))
			return all->list.thread[i].block;
	}
	return 0;
}

/* Whether threads can be compared with what a monitor has as its owner. */
static bool
is_comparable(const struct hotspot_wait_query *q, uint64_t owner,
	      uint64_t object)
{
	if (owner == ANONYMOUS)
		return object != 0 && object % 8 == 0;
	/* Early locks of later JDKs have an address, not a number. */
	return owner <= UINT32_MAX ||
	       !hotspot_has(q->l, HOTSPOT_THREAD_OWNER_ID);
}

/* The thread that owns a monitor; 0 if none does, or it is unknown. */
static uint64_t
find_owner(struct hotspot_waits *all, const struct hotspot_wait_query *q,
	   uint64_t monitor, uint64_t object)
{
	const uint64_t owner = get(q, HOTSPOT_MONITOR_OWNER, monitor);
	struct hotspot_owner *known =
	    &all->owner[monitor / 64 % HOTSPOT_WAITS_OWNERS];

	if (owner == 0 || !is_comparable(q, owner, object))
		return 0;
	if (known->monitor == monitor && known->owner == owner &&
	    known->thread != 0 && is_owner(q, known->thread, owner, object))
		return known->thread;
	*known = (struct hotspot_owner){ monitor, owner,
					 search_owner(all, q, owner, object) };
	return known->thread;
}

/* Waits. */

static void
set_class(const struct hotspot_lock_class *c, struct interp_wait *wait)
{
	if (c != NULL)
		buf_str(&wait->object, str_of(c->name));
}

static void
find_monitor(struct hotspot_waits *all, const struct hotspot_wait_query *q,
	     uint64_t monitor, struct interp_wait *wait)
{
	const uint64_t object = hotspot_threads_resolve(
	    q->l, q->memory, get(q, HOTSPOT_MONITOR_OBJECT, monitor));

	if (q->objects != NULL && object % 8 == 0)
		set_class(find_class(all, q, object), wait);
	if (wait->kind == INTERP_WAIT_MONITOR)
		wait->owner = find_owner(all, q, monitor, object);
}

static void
find_parked(struct hotspot_waits *all, const struct hotspot_wait_query *q,
	    struct interp_wait *wait)
{
	const struct hotspot_objects *o = q->objects;
	const struct hotspot_lock_class *c;
	uint64_t thread, lock, owner;

	wait->kind = INTERP_WAIT_PARK;
	if (o == NULL || o->thread_blocker == 0)
		return;
	thread = hotspot_threads_object(q->l, q->memory, q->thread);
	if (thread == 0 || thread % 8 != 0 ||
	    !hotspot_objects_reference(o, q->memory, thread + o->thread_blocker,
				       &lock))
		return;
	c = find_class(all, q, lock);
	set_class(c, wait);
	if (c == NULL || c->owner == 0 || o->thread_block == 0 ||
	    !hotspot_objects_reference(o, q->memory, lock + c->owner, &owner) ||
	    !interp_copy_read(q->memory, owner + o->thread_block, &wait->owner,
			      sizeof(wait->owner)))
		wait->owner = 0;
}

void
hotspot_waits_find(struct hotspot_waits *all,
		   const struct hotspot_wait_query *q, struct interp_wait *wait)
{
	const uint64_t pending = get(q, HOTSPOT_THREAD_PENDING, q->thread);
	const uint64_t waiting = get(q, HOTSPOT_THREAD_WAITING, q->thread);

	if (pending != 0) {
		wait->kind = INTERP_WAIT_MONITOR;
		find_monitor(all, q, pending, wait);
	} else if (waiting != 0) {
		wait->kind = INTERP_WAIT_NOTIFY;
		find_monitor(all, q, waiting, wait);
	} else if (str_eq(q->method, STR("jdk/internal/misc/Unsafe.park"))) {
		find_parked(all, q, wait);
	} else if (str_starts(q->method, STR("java/lang/Thread.sleep"))) {
		wait->kind = INTERP_WAIT_SLEEP;
	}
}
