/* space.c - address spaces that keep their past. */
#include "space.h"

#include "hash.h"

/* Of x86-64 and aarch64; where others are larger, they are multiples. */
#define LARGE_PAGE ((uint64_t)2 << 20)

/*
 * A treap: a search tree by start, a heap by priority.  A node belongs to the
 * time between two calls of spaces_keep(), its stamp, and is changed in
 * place only then; else it is copied.  So a fork costs nothing, and neither
 * do the many mappings of a process that begins.
 */
struct space {
	struct mapping map;
	struct space *left, *right;
	uint64_t stamp;
	uint32_t priority;
};

bool
mapped_is_anonymous(const struct mapped *m)
{
	return str_starts(m->path, STR("//anon")) ||
	       str_starts(m->path, STR("[anon")) ||
	       str_starts(m->path, STR("/memfd:")) ||
	       str_starts(m->path, STR("/dev/zero")) ||
	       str_starts(m->path, STR("/anon_hugepage")) ||
	       str_starts(m->path, STR("/SYSV")) ||
	       str_starts(m->path, STR("[heap]")) ||
	       str_starts(m->path, STR("[stack"));
}

void
spaces_init(struct spaces *all)
{
	/*
	 * Priorities must not be known to who wrote the recording, or the
	 * tree could be made a list; the result does not depend on them.
	 */
	*all = (struct spaces){ .stamp = 1, .random = hash_seed() | 1 };
}

void
spaces_free(struct spaces *all)
{
	arena_free(&all->arena);
}

void
spaces_keep(struct spaces *all)
{
	all->stamp++;
}

/* Marsaglia's xorshift. */
static uint32_t
next_random(struct spaces *all)
{
	all->random ^= all->random << 13;
	all->random ^= all->random >> 7;
	all->random ^= all->random << 17;
	return (uint32_t)(all->random >> 32);
}

static struct space *
new_node(struct spaces *all, const struct mapping *m)
{
	struct space *s = arena_alloc(&all->arena, sizeof(*s));

	*s = (struct space){ .map = *m,
			     .stamp = all->stamp,
			     .priority = next_random(all) };
	return s;
}

/* The node itself if it may be changed, else a copy. */
static struct space *
own(struct spaces *all, struct space *s)
{
	struct space *copy;

	if (s->stamp == all->stamp)
		return s;
	copy = arena_alloc(&all->arena, sizeof(*copy));
	*copy = *s;
	copy->stamp = all->stamp;
	return copy;
}

/* Split into what starts before key, and the rest. */
static void
split(struct spaces *all, struct space *s, uint64_t key, struct space **left,
      struct space **right)
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

/* Join two spaces of which the first lies before the second. */
static struct space *
join(struct spaces *all, struct space *left, struct space *right)
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

static const struct space *
last_of(const struct space *s)
{
	while (s != NULL && s->right != NULL)
		s = s->right;
	return s;
}

/* What of a mapping lies from an address on. */
static struct mapping
tail_of(const struct mapping *m, uint64_t from)
{
	return (struct mapping){ from, m->end, m->offset + (from - m->start),
				 m->file };
}

/*
 * Cut what the last mapping of *s has beyond start; what it has beyond end
 * is put in front of *behind.
 */
static void
cut_last(struct spaces *all, struct space **s, uint64_t start, uint64_t end,
	 struct space **behind)
{
	const struct space *last = last_of(*s);
	struct mapping m, tail;
	struct space *old;

	if (last == NULL || last->map.end <= start)
		return;
	m = last->map;
	if (m.end > end) {
		tail = tail_of(&m, end);
		*behind = join(all, new_node(all, &tail), *behind);
	}
	split(all, *s, m.start, s, &old);
	if (m.start < start) {
		m.end = start;
		*s = join(all, *s, new_node(all, &m));
	}
}

const struct space *
space_map(struct spaces *all, const struct space *s, const struct mapping *m)
{
	struct space *left, *mid, *right, *root;

	if (m->start >= m->end)
		return s;
	/* Nodes are written only where own() finds that they may be. */
	memcpy(&root, &s, sizeof(root));
	split(all, root, m->start, &left, &mid);
	split(all, mid, m->end, &mid, &right);
	cut_last(all, &mid, m->end, m->end, &right);
	cut_last(all, &left, m->start, m->end, &right);
	return join(all, join(all, left, new_node(all, m)), right);
}

const struct mapping *
space_find(const struct space *s, uint64_t address)
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
space_is_moved(const struct space *s, const struct mapping *m,
	       struct mapping *code)
{
	const struct mapping *left, *right;

	if (!mapped_is_anonymous(m->file) || m->start == 0 ||
	    (m->start | m->end) % LARGE_PAGE != 0)
		return false;
	left = space_find(s, m->start - 1);
	right = space_find(s, m->end);
	if (left == NULL || right == NULL || right->start != m->end ||
	    left->file != right->file || mapped_is_anonymous(left->file) ||
	    right->offset - left->offset != right->start - left->start)
		return false;
	*code = tail_of(left, m->start);
	code->end = m->end;
	return true;
}

bool
space_overlaps(const struct space *s, uint64_t start, uint64_t end)
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
