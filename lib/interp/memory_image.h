/* memory_image.h - parts of the memory of a process, at one or more moments. */
#ifndef MEMORY_IMAGE_H
#define MEMORY_IMAGE_H

#include "base/str.h"

enum { MEMORY_IMAGE_PAGE = 4096, MEMORY_IMAGE_WORDS = 512 };

/* A page, of which some words are known; a word has 8 bytes. */
struct memory_image_page {
	uint64_t address;
	uint64_t known[MEMORY_IMAGE_WORDS / 64]; /* a bit for each word */
	uint64_t word[MEMORY_IMAGE_WORDS];
};

static inline bool
memory_image_knows(const struct memory_image_page *p, size_t word)
{
	return (p->known[word / 64] >> (word % 64) & 1) != 0;
}

/* Note that a word of the page is known. */
static inline void
memory_image_know(struct memory_image_page *p, size_t word)
{
	p->known[word / 64] |= UINT64_C(1) << (word % 64);
}

struct memory_image;

struct memory_image *memory_image_new(void);
void memory_image_free(struct memory_image *m);

/* Begin a moment, the first of which is number 0; returns its number. */
size_t memory_image_begin(struct memory_image *m);

/*
 * Add the known words of a page at the last moment.  Other words stay as they
 * were at the moment before.  False if the image has too many words: 1 GiB.
 */
bool memory_image_add(struct memory_image *m,
		      const struct memory_image_page *p);

/* Remove words from p that are the same at the last moment; false: all are. */
bool memory_image_reduce(const struct memory_image *m,
			 struct memory_image_page *p);

/* Copy memory as it was at a moment; false if a part of it is not known. */
bool memory_image_read(const struct memory_image *m, size_t moment,
		       uint64_t address, void *to, size_t n);

#endif
