/*
 * table.h - hash tables: uthash, with our hash and our allocator.
 *
 * Maps by pid, file, name or address are made with uthash.  These have tables
 * of their own, because a benchmark shows that they are hot: the fold table,
 * intern, the trie and the caches of perf script lines.
 *
 *	struct thread {
 *		int tid;
 *		UT_hash_handle hh;
 *	};
 *	struct thread *all = NULL, *t, *next;
 *
 *	HASH_FIND_INT(all, &tid, t);
 *	if (t == NULL) {
 *		t = mem_zero(1, sizeof(*t));
 *		t->tid = tid;
 *		HASH_ADD_INT(all, tid, t);
 *	}
 *
 * A null pointer is an empty table.  The manual of uthash lists its macros;
 * HASH_FIND() and HASH_ADD_KEYPTR() take keys of any type and length.
 *
 * Order: HASH_ITER() visits elements in the order in which they were added, so
 * output does not depend on the seed.  HASH_SORT(all, compare) sorts them.
 *
 * Ownership: the caller owns the elements.  HASH_CLEAR() frees only the memory
 * of the table.  To free the elements too:
 *
 *	HASH_ITER (hh, all, t, next) {
 *		HASH_DEL(all, t);
 *		free(t);
 *	}
 *
 * The table points to the elements and to their keys: neither may move, so
 * elements do not live in an array that mem_grow() moves.  Keys are compared by
 * their bytes: zero the padding of a key that is a struct.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define HASH_FUNCTION(key, length, hash) \
	((hash) = (unsigned)hash_seeded(key, length, hash_seed()))
#define uthash_malloc(size) mem_alloc(size)
#define uthash_free(p, size) free(p)
/* Never reached: mem_alloc() does not return NULL. */
#define uthash_fatal(message) abort()

#include <uthash.h>

#endif
