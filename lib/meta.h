/* meta.h - metadata lines of folded text; folded(5). */
#ifndef META_H
#define META_H

#include "buf.h"

/*
 * Keys with their values as written (percent-encoded), in the order they
 * came.  All zero is empty; release with meta_free().
 */
struct meta {
	struct meta_entry *entry;
	size_t n, cap;
};

struct meta_entry {
	struct str key, value; /* NUL-terminated copies of its own */
};

/*
 * So many keys are enough.  They are found one by one, so that many would take
 * the square of that: whoever reads lines that others wrote asks meta_keys().
 */
#define META_MAX 256

/*
 * How many keys there are in a line that begins with '#'; 0 if it is no
 * metadata of our form.
 */
size_t meta_keys(struct str line);

/*
 * Read a line that begins with '#', without its LF.  If it is metadata of
 * our form (#key=value;key=value, no blank), set its keys in m and return
 * true; else leave m alone: it is a comment, or another tool's metadata.
 */
bool meta_parse(struct meta *m, struct str line);

/* The value of a key as written, or an empty slice. */
struct str meta_get(const struct meta *m, const char *key);
bool meta_has(const struct meta *m, const char *key);

/* The value of a key as a decimal number; false if missing or no number. */
bool meta_u64(const struct meta *m, const char *key, uint64_t *value);

/*
 * Seconds with up to nine decimals, as time and dur are written, in
 * nanoseconds; false if missing or not of that form.
 */
bool meta_ns(const struct meta *m, const char *key, uint64_t *ns);

/* Set a key to a value; meta_set() encodes it, meta_set_raw() does not. */
void meta_set(struct meta *m, const char *key, struct str value);
void meta_set_raw(struct meta *m, const char *key, struct str value);
void meta_set_u64(struct meta *m, const char *key, uint64_t value);
void meta_set_ns(struct meta *m, const char *key, uint64_t ns);

void meta_unset(struct meta *m, const char *key);

/* Bring the keys into the order of a profile's header: fold, counts, others. */
void meta_sort(struct meta *m);

/* Append "#key=value;...\n", "fold" first; nothing if there are no keys. */
void meta_print(struct buf *out, const struct meta *m);

/*
 * Append the bytes a value stands for, a '%' without two digits as it is; or
 * the bytes encoded for a value.
 */
void meta_decode(struct buf *out, struct str value);
void meta_encode(struct buf *out, struct str bytes);

/* Forget all keys, and the memory. */
void meta_free(struct meta *m);

#endif
