/* addr_space.c - address spaces whose older versions stay valid. */
#include "symbols/addr_space.h"

#include "base/hash.h"

/* x86-64 and aarch64 have these; larger ones are multiples. */
#define LARGE_PAGE ((uint64_t)2 << 20)

/*
 * A treap: a search tree by start, a heap by priority.  A node's stamp counts
 * the calls of addr_space_keep() before it was made.  A node with the current
 * stamp is changed in place, others are copied.  So a fork costs nothing, and
 * the many mappings of a new process cost little.
 */
struct addr_space {
	struct mapping map;
	struct addr_space *left, *right;
	uint64_t stamp;
	uint32_t priority;
};

bool
addr_space_is_anonymous(const struct mapped_file *f)
{
	return str_starts(f->path, STR("//anon")) ||
	       str_starts(f->path, STR("[anon")) ||
	       str_starts(f->path, STR("/memfd:")) ||
	       str_starts(f->path, STR("/dev/zero")) ||
	       str_starts(f->path, STR("/anon_hugepage")) ||
	       str_starts(f->path, STR("/SYSV")) ||
	       str_starts(f->path, STR("[heap]")) ||
	       str_starts(f->path, STR("[stack"));
}

void
addr_space_init(struct addr_spaces *all)
{
	/*
	 * If priorities could be predicted, a recording could turn the tree
	 * into a list.  The output does not depend on them.
	 */
	*all = (struct addr_spaces){ .stamp = 1, .random = hash_seed() | 1 };
}

void
addr_space_free(struct addr_spaces *all)
{
	arena_free(&all->arena);
	arena_free(&all->old);
}

void
addr_space_keep(struct addr_spaces *all)
{
	all->stamp++;
}

/* Marsaglia's xorshift. */
static uint32_t
next_random(struct addr_spaces *all)
{
	all->random ^= all->random << 13;
	all->random ^= all->random >> 7;
	all->random ^= all->random << 17;
	return (uint32_t)(all->random >> 32);
}

static struct addr_space *
new_node(struct addr_spaces *all, const struct mapping *m)
{
	struct addr_space *s = arena_alloc(&all->arena, sizeof(*s));

	*s = (struct addr_space){ .map = *m,
				  .stamp = all->stamp,
				  .priority = next_random(all) };
	return s;
}

/* The node itself if it may change, else a copy. */
static struct addr_space *
own(struct addr_spaces *all, struct addr_space *s)
{
	struct addr_space *copy;

	if (s->stamp == all->stamp)
		return s;
	copy = arena_alloc(&all->arena, sizeof(*copy));
	*copy = *s;
	copy->stamp = all->stamp;
	return copy;
}

/* Split s into the mappings that start before key and the others. */
static void
split(struct addr_spaces *all, struct addr_space *s, uint64_t key,
      struct addr_space **left, struct addr_space **right)
{
	if (s == NULL) {
		*left = *right = NULL;
		return;
	}
	s = own(all, s);
	if (s->map.start < key) {
		*left = s;
		split(all, s->right, key, &s->right, right);
	} else {
		*right = s;
		split(all, s->left, key, left, &s->left);
	}
}

/* Join two spaces; left lies before right. */
static struct addr_space *
join(struct addr_spaces *all, struct addr_space *left, struct addr_space *right)
{
	if (left == NULL)
		return right;
	if (right == NULL)
		return left;
	if (left->priority > right->priority) {
		left = own(all, left);
		left->right = join(all, left->right, right);
		return left;
	}
	right = own(all, right);
	right->left = join(all, left, right->left);
	return right;
}

static const struct addr_space *
last_mapping(const struct addr_space *s)
{
	while (s != NULL && s->right != NULL)
		s = s->right;
	return s;
}

/* The part of a mapping from an address on. */
static struct mapping
tail_from(const struct mapping *m, uint64_t from)
{
	return (struct mapping){ from, m->end, m->offset + (from - m->start),
				 m->file };
}

/*
 * Cut the last mapping of *s off at start.  If it reaches beyond end, put that
 * part in front of *after.
 */
static void
cut_last(struct addr_spaces *all, struct addr_space **s, uint64_t start,
	 uint64_t end, struct addr_space **after)
{
	const struct addr_space *last = last_mapping(*s);
	struct mapping m, tail;
	struct addr_space *old;

	if (last == NULL || last->map.end <= start)
		return;
	m = last->map;
	if (m.end > end) {
		tail = tail_from(&m, end);
		*after = join(all, new_node(all, &tail), *after);
	}
	split(all, *s, m.start, s, &old);
	if (m.start < start) {
		m.end = start;
		*s = join(all, *s, new_node(all, &m));
	}
}

const struct addr_space *
addr_space_map(struct addr_spaces *all, const struct addr_space *s,
	       const struct mapping *m)
{
	struct addr_space *left, *mid, *right, *root;

	if (m->start >= m->end)
		return s;
	/* Drop const: own() copies the nodes that must not change. */
	memcpy(&root, &s, sizeof(root));
	split(all, root, m->start, &left, &mid);
	split(all, mid, m->end, &mid, &right);
	cut_last(all, &mid, m->end, m->end, &right);
	cut_last(all, &left, m->start, m->end, &right);
	return join(all, join(all, left, new_node(all, m)), right);
}

/* Moving. */

/* The stamp of a node that has moved to its left. */
enum { MOVED = 0 };

void
addr_space_begin_move(struct addr_spaces *all)
{
	all->old = all->arena;
	all->arena = (struct arena){ 0 };
}

struct move {
	struct addr_spaces *all;
	void (*seen)(void *arg, const struct mapping *m);
	void *arg;
};

static struct addr_space *
move(const struct move *how, struct addr_space *s)
{
	struct addr_space *to;

	if (s == NULL || s->stamp == MOVED)
		return s == NULL ? NULL : s->left;
	to = arena_alloc(&how->all->arena, sizeof(*to));
	*to = *s;
	s->stamp = MOVED;
	s->left = to;
	how->seen(how->arg, &to->map);
	to->left = move(how, to->left);
	to->right = move(how, to->right);
	return to;
}

const struct addr_space *
addr_space_move(struct addr_spaces *all, const struct addr_space *s,
		void (*seen)(void *arg, const struct mapping *m), void *arg)
{
	const struct move how = { all, seen, arg };
	struct addr_space *root;

	/* Drop const: what is left behind is freed. */
	memcpy(&root, &s, sizeof(root));
	return move(&how, root);
}

void
addr_space_end_move(struct addr_spaces *all)
{
	arena_free(&all->old);
}

/* Lookup. */

const struct mapping *
addr_space_find(const struct addr_space *s, uint64_t address)
{
	const struct mapping *found = NULL;

	while (s != NULL) {
		if (s->map.start <= address) {
			found = &s->map;
			s = s->right;
		} else {
			s = s->left;
		}
	}
	return found != NULL && address < found->end ? found : NULL;
}

bool
addr_space_is_moved(const struct addr_space *s, const struct mapping *m,
		    struct mapping *code)
{
	const struct mapping *left, *right;

	if (!addr_space_is_anonymous(m->file) || m->start == 0 ||
	    (m->start | m->end) % LARGE_PAGE != 0)
		return false;
	left = addr_space_find(s, m->start - 1);
	right = addr_space_find(s, m->end);
	if (left == NULL || right == NULL || right->start != m->end ||
	    left->file != right->file || addr_space_is_anonymous(left->file) ||
	    right->offset - left->offset != right->start - left->start)
		return false;
	*code = tail_from(left, m->start);
	code->end = m->end;
	return true;
}

bool
addr_space_overlaps(const struct addr_space *s, uint64_t start, uint64_t end)
{
	const struct mapping *found = NULL;

	if (start >= end)
		return false;
	while (s != NULL) {
		if (s->map.start < end) {
			found = &s->map;
			s = s->right;
		} else {
			s = s->left;
		}
	}
	return found != NULL && found->end > start;
}
