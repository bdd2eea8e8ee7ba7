/* meta.h - metadata lines of folded text; folded(5). */
#ifndef META_H
#define META_H

#include "base/buf.h"

/*
 * Keys and their values, percent-encoded, in the order of the lines.  All zero
 * is empty; release with meta_free().
 */
struct meta {
	struct meta_entry *entry;
	size_t n, cap;
};

struct meta_entry {
	struct str key, value; /* NUL-terminated copies, owned by the meta */
};

/*
 * The limit of keys in folded(5).  Lookup is linear, so that n keys take O(n^2)
 * time: check meta_keys() of untrusted lines against this limit.
 */
#define META_MAX 256

/*
 * The number of keys in a line that begins with '#'; 0 if the line is not
 * metadata.
 */
size_t meta_keys(struct str line);

/*
 * Parse a line that begins with '#', without its LF.  If it is metadata
 * (#key=value;key=value, no blank), set its keys in m and return true.
 * Otherwise it is a comment or another tool's metadata: leave m unchanged.
 */
bool meta_parse(struct meta *m, struct str line);

/* The value of a key, still encoded, or an empty slice. */
struct str meta_get(const struct meta *m, const char *key);
bool meta_has(const struct meta *m, const char *key);

/* Parse a value as a decimal number; false if missing or malformed. */
bool meta_u64(const struct meta *m, const char *key, uint64_t *value);

/*
 * Parse a value as seconds with up to nine decimals, as in time and dur, and
 * set *ns; false if missing or malformed.
 */
bool meta_ns(const struct meta *m, const char *key, uint64_t *ns);

/* Set a key; meta_set() encodes the value, meta_set_raw() does not. */
void meta_set(struct meta *m, const char *key, struct str value);
void meta_set_raw(struct meta *m, const char *key, struct str value);
void meta_set_u64(struct meta *m, const char *key, uint64_t value);
void meta_set_ns(struct meta *m, const char *key, uint64_t ns);

void meta_unset(struct meta *m, const char *key);

/* Sort the keys as in a profile's header: fold, counts, others by bytes. */
void meta_sort(struct meta *m);

/* Append "#key=value;...\n", "fold" first; nothing if there are no keys. */
void meta_print(struct buf *out, const struct meta *m);

/* Append the decoded value; a '%' without two hex digits stays. */
void meta_decode(struct buf *out, struct str value);

/* Append bytes as an encoded value. */
void meta_encode(struct buf *out, struct str bytes);

/* Remove all keys and free the memory. */
void meta_free(struct meta *m);

#endif
