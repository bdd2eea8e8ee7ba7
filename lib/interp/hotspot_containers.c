/*
 * hotspot_containers.c - the virtual threads that a HotSpot has lists of.
 *
 * Unlike other threads they are not known to the VM while nothing runs them.
 * jdk.internal.vm.ThreadContainers has a set of those that no executor has
 * started, and weak references to all executors and the like, which have sets
 * of their own.  All sets are ConcurrentHashMap's.
 */
#include "interp/hotspot_containers.h"

#include "base/mem.h"

#include <stdlib.h>

/*
 * Limits: loaders and classes searched, slots of a table, entries of all sets,
 * containers, offsets that are kept, links of a chain.
 */
enum {
	MAX_LOADERS = 1 << 16,
	MAX_CLASSES = 1 << 17,
	MAX_SLOTS = 1 << 22,
	MAX_ENTRIES = 1 << 20,
	MAX_CONTAINERS = 1 << 14,
	MAX_OFFSETS = 128,
	MAX_LINKS = 1 << 16
};

/* Slots that are read by one call; nodes that are read together. */
enum { SLOTS = 4096, NODES = 512, NODE = 64 };

/* Hashes of nodes that are no entries, ConcurrentHashMap.java. */
enum { HASH_MOVED = -1, HASH_TREE = -2 };

/* The shortest and longest time between searches, in ns. */
#define SEARCH_NS UINT64_C(1000000000)
#define LONGEST_NS UINT64_C(30000000000)

/* Where objects of a class have a field; 0: they have none. */
struct member_offset {
	uint64_t klass;
	const char *name;
	uint32_t offset;
};

/* Addresses of objects. */
struct object_list {
	uint64_t *object;
	size_t n, cap;
};

struct hotspot_containers {
	const struct hotspot_layout *l;
	const struct hotspot_objects *o; /* while lists are read */
	struct interp_copy *memory;      /* the same */
	uint64_t klass;                  /* ThreadContainers; 0: not found */
	uint64_t searched, interval;     /* in ns */
	bool is_partial;
	bool is_assumed; /* the class, and where all fields are */
	struct member_offset offset[MAX_OFFSETS];
	size_t offsets;
	uint32_t hash, key, next; /* fields of nodes */
	size_t slots, nodes;      /* read this time */
	struct object_list node, further, container, thread;
};

struct hotspot_containers *
hotspot_containers_new(const struct hotspot_layout *l)
{
	struct hotspot_containers *all = mem_zero(1, sizeof(*all));

	all->l = l;
	return all;
}

void
hotspot_containers_free(struct hotspot_containers *all)
{
	if (all == NULL)
		return;
	free(all->node.object);
	free(all->further.object);
	free(all->container.object);
	free(all->thread.object);
	free(all);
}

void
hotspot_containers_assume(struct hotspot_containers *all, uint64_t klass)
{
	all->klass = klass;
	all->is_assumed = true;
}

bool
hotspot_containers_is_partial(const struct hotspot_containers *all)
{
	return all->is_partial;
}

static void
add(struct object_list *list, uint64_t object, size_t most)
{
	if (object == 0 || object % 8 != 0 || list->n >= most)
		return;
	list->object = mem_grow(list->object, &list->cap, list->n + 1,
				sizeof(*list->object));
	list->object[list->n++] = object;
}

/* The class. */

static uint64_t
read_word(const struct hotspot_containers *all, enum hotspot_field_id id,
	  uint64_t object)
{
	const struct hotspot_field *f = &all->l->field[id];
	uint64_t value = 0;

	return f->size == 8 && object % 8 == 0 &&
		       interp_copy_read(all->memory, object + f->offset, &value,
					sizeof(value)) ?
		   value :
		   0;
}

/* Find the class among those of a loader; *classes counts all. */
static uint64_t
find_in_loader(struct hotspot_containers *all, uint64_t klass, size_t *classes)
{
	const struct str name = STR("jdk/internal/vm/ThreadContainers");
	const struct interp_reader reader = all->memory->reader;

	while (klass != 0 && (*classes)++ < MAX_CLASSES) {
		interp_copy_begin(all->memory, &reader, NULL, NULL, NULL, 0);
		if (hotspot_objects_is(all->l, all->memory, klass, name))
			break;
		klass = read_word(all, HOTSPOT_KLASS_NEXT, klass);
	}
	all->memory->max_reads = SIZE_MAX;
	return *classes > MAX_CLASSES ? 0 : klass;
}

/*
 * Search for the class: it is missing while there are no virtual threads.  Its
 * loader is mostly the last one.
 */
static void
find_class(struct hotspot_containers *all, uint64_t now)
{
	struct object_list loader = { NULL, 0, 0 };
	size_t classes = 0, i;
	uint64_t next = 0;

	if (all->searched != 0 && now - all->searched < all->interval)
		return;
	all->interval = all->searched == 0 ? SEARCH_NS : 2 * all->interval;
	if (all->interval > LONGEST_NS)
		all->interval = LONGEST_NS;
	all->searched = now;
	if (all->l->variable[HOTSPOT_LOADERS] != 0)
		interp_copy_read(all->memory, all->l->variable[HOTSPOT_LOADERS],
				 &next, sizeof(next));
	while (next != 0 && loader.n < MAX_LOADERS) {
		add(&loader, next, MAX_LOADERS);
		next = read_word(all, HOTSPOT_LOADER_NEXT, next);
	}
	for (i = loader.n; i > 0 && all->klass == 0; i--)
		all->klass = find_in_loader(all,
					    read_word(all,
						      HOTSPOT_LOADER_CLASSES,
						      loader.object[i - 1]),
					    &classes);
	free(loader.object);
}

/* Fields of objects. */

static uint32_t
offset_in(struct hotspot_containers *all, uint64_t klass, const char *name)
{
	const struct interp_reader reader = all->memory->reader;
	size_t i;

	if (all->is_assumed)
		return 8 + (uint32_t)(unsigned char)name[0] % 4 * 8;
	for (i = 0; i < all->offsets; i++) {
		if (all->offset[i].klass == klass &&
		    strcmp(all->offset[i].name, name) == 0)
			return all->offset[i].offset;
	}
	if (all->offsets == MAX_OFFSETS)
		all->offsets = 0;
	interp_copy_begin(all->memory, &reader, NULL, NULL, NULL, 0);
	i = all->offsets++;
	all->offset[i] = (struct member_offset){
		klass, name,
		klass == 0 ?
		    0 :
		    hotspot_objects_member(all->l, all->memory, klass, name)
	};
	all->memory->max_reads = SIZE_MAX;
	return all->offset[i].offset;
}

/* The object that a field refers to; 0 if there is none. */
static uint64_t
get(struct hotspot_containers *all, uint64_t object, const char *name)
{
	uint64_t klass, to = 0;
	uint32_t offset;

	if (object == 0)
		return 0;
	klass = hotspot_objects_class(all->o, all->memory, object);
	offset = offset_in(all, klass, name);
	return offset != 0 && hotspot_objects_reference(all->o, all->memory,
							object + offset, &to) ?
		   to :
		   0;
}

/* The same of a static field, or its byte if that is asked. */
static uint64_t
get_static(struct hotspot_containers *all, uint64_t klass, const char *name,
	   bool byte)
{
	const uint32_t offset = offset_in(all, klass, name);
	const uint64_t mirror = hotspot_threads_resolve(
	    all->l, all->memory, read_word(all, HOTSPOT_KLASS_MIRROR, klass));
	uint64_t to = 0;
	uint8_t value;

	if (offset == 0 || mirror == 0 || mirror % 8 != 0)
		return 0;
	if (byte)
		return interp_copy_read(all->memory, mirror + offset, &value,
					1) ?
			   value :
			   0;
	return hotspot_objects_reference(all->o, all->memory, mirror + offset,
					 &to) ?
		   to :
		   0;
}

/* Sets. */

/* A reference that was read, as an address. */
static uint64_t
address_of(const struct hotspot_objects *o, const char *p)
{
	uint64_t word = 0;

	memcpy(&word, p, o->reference);
	if (word == 0)
		return 0;
	return o->reference == 4 ? o->base + (word << o->shift) :
				   hotspot_objects_plain(word);
}

/* Add the first node of each slot of a table, an array of references. */
static void
add_table(struct hotspot_containers *all, uint64_t array)
{
	const struct hotspot_objects *o = all->o;
	const uint32_t first = (o->elements + o->reference - 1) / o->reference *
			       o->reference;
	char block[SLOTS * 8];
	uint32_t slots, i, k, n;

	if (array == 0 || !interp_copy_read(all->memory, array + o->length,
					    &slots, sizeof(slots)))
		return;
	for (i = 0; i < slots && all->slots < MAX_SLOTS; i += n) {
		n = slots - i < SLOTS ? slots - i : SLOTS;
		all->slots += n;
		if (!interp_copy_read(
			all->memory, array + first + (uint64_t)i * o->reference,
			block, (size_t)n * o->reference))
			return;
		for (k = 0; k < n; k++)
			add(&all->node, address_of(o, block + k * o->reference),
			    MAX_ENTRIES);
	}
}

/* Find the fields of nodes, by any of them. */
static bool
find_node_fields(struct hotspot_containers *all)
{
	uint64_t klass;

	if (all->key == 0 && all->node.n > 0) {
		klass = hotspot_objects_class(all->o, all->memory,
					      all->node.object[0]);
		all->hash = offset_in(all, klass, "hash");
		all->next = offset_in(all, klass, "next");
		all->key = offset_in(all, klass, "key");
	}
	return all->key != 0 && all->hash != 0 && all->next != 0 &&
	       all->key + 8 <= NODE && all->next + 8 <= NODE &&
	       all->hash + 4 <= NODE;
}

/* Add the entry of a node, and what follows it. */
static void
add_node(struct hotspot_containers *all, uint64_t node, const char *bytes,
	 struct object_list *keys)
{
	int32_t hash;

	memcpy(&hash, bytes + all->hash, sizeof(hash));
	if (hash == HASH_TREE)
		add(&all->further, get(all, node, "first"), MAX_ENTRIES);
	if (hash < 0)
		return;
	add(keys, address_of(all->o, bytes + all->key), MAX_ENTRIES);
	add(&all->further, address_of(all->o, bytes + all->next), MAX_ENTRIES);
}

/* Add all entries of the nodes and those that follow them. */
static void
follow_nodes(struct hotspot_containers *all, struct object_list *keys)
{
	const uint32_t last = all->key > all->next ? all->key : all->next;
	const size_t size = (last > all->hash ? last : all->hash) +
			    (size_t)all->o->reference;
	struct object_list swapped;
	char bytes[NODES * NODE];
	size_t i, k, n;
	int links;

	for (links = 0;
	     all->node.n > 0 && links < MAX_LINKS && all->nodes < MAX_ENTRIES;
	     links++) {
		all->further.n = 0;
		all->nodes += all->node.n;
		for (i = 0; i < all->node.n; i += n) {
			n = all->node.n - i < NODES ? all->node.n - i : NODES;
			hotspot_objects_read_all(
			    all->memory, all->node.object + i, n, size, bytes);
			for (k = 0; k < n; k++)
				add_node(all, all->node.object[i + k],
					 bytes + k * size, keys);
		}
		swapped = all->node;
		all->node = all->further;
		all->further = swapped;
	}
}

/* Add the elements of a set of ConcurrentHashMap. */
static void
add_set(struct hotspot_containers *all, uint64_t set, struct object_list *keys)
{
	const uint64_t map = get(all, set, "map");

	all->node.n = 0;
	add_table(all, get(all, map, "table"));
	/* A map that grows has some of them elsewhere. */
	add_table(all, get(all, map, "nextTable"));
	if (find_node_fields(all))
		follow_nodes(all, keys);
}

static void
add_container(struct hotspot_containers *all, uint64_t container)
{
	const uint64_t flock = get(all, container, "flock");
	uint64_t set = get(all, flock != 0 ? flock : container, "threads");

	if (set == 0)
		set = get(all, container, "virtualThreads");
	add_set(all, set, &all->thread);
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sort the threads, and remove what is there twice. */
static void
sort(struct object_list *list)
{
	size_t i, n = 0;

	if (list->n > 1)
		qsort(list->object, list->n, sizeof(*list->object), compare);
	for (i = 0; i < list->n; i++) {
		if (n == 0 || list->object[i] != list->object[n - 1])
			list->object[n++] = list->object[i];
	}
	list->n = n;
}

const uint64_t *
hotspot_containers_read(struct hotspot_containers *all,
			const struct hotspot_objects *o,
			struct interp_copy *memory, uint64_t now, size_t *n)
{
	uint64_t root;
	size_t i;

	all->o = o;
	all->memory = memory;
	all->thread.n = all->container.n = 0;
	all->slots = all->nodes = 0;
	*n = 0;
	memory->max_reads = SIZE_MAX;
	if (all->klass == 0)
		find_class(all, now);
	if (all->klass == 0)
		return NULL;
	all->is_partial = get_static(all, all->klass, "TRACK_ALL_THREADS",
				     true) == 0;
	root = get_static(all, all->klass, "ROOT_CONTAINER", false);
	if (root != 0) {
		root = hotspot_objects_class(o, memory, root);
		add_set(all, get_static(all, root, "VTHREADS", false),
			&all->thread);
	}
	add_set(all, get_static(all, all->klass, "CONTAINER_REGISTRY", false),
		&all->container);
	for (i = 0; i < all->container.n && i < MAX_CONTAINERS; i++)
		add_container(all,
			      get(all, all->container.object[i], "referent"));
	sort(&all->thread);
	*n = all->thread.n;
	return all->thread.object;
}
