/* memory_image.c - parts of the memory of a process, at one or more moments. */
#include "interp/memory_image.h"

#include "base/mem.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { MAPS = MEMORY_IMAGE_WORDS / 64, BITS = 64, WORD = 8 };

/* Limit of the words of an image: each change to a page copies the page. */
enum { MAX_WORDS = 1 << 27 };

/* A page from a moment on, without the words that are not known. */
struct page_version {
	size_t moment;
	struct page_version *older;
	uint64_t known[MAPS];
	uint64_t word[];
};

struct image_page {
	uint64_t address;
	struct page_version *newest;
	UT_hash_handle hh;
};

struct memory_image {
	struct image_page *pages;
	size_t moments;
	size_t words; /* of all versions */
};

struct memory_image *
memory_image_new(void)
{
	return mem_zero(1, sizeof(struct memory_image));
}

void
memory_image_free(struct memory_image *m)
{
	struct page_version *v, *older;
	struct image_page *p, *next;

	if (m == NULL)
		return;
	HASH_ITER(hh, m->pages, p, next)
	{
		HASH_DEL(m->pages, p);
		for (v = p->newest; v != NULL; v = older) {
			older = v->older;
			free(v);
		}
		free(p);
	}
	free(m);
}

size_t
memory_image_begin(struct memory_image *m)
{
	return m->moments++;
}

static struct image_page *
find_page(const struct memory_image *m, uint64_t address)
{
	struct image_page *p;

	HASH_FIND(hh, m->pages, &address, sizeof(address), p);
	return p;
}

/* Where a word is among those that are known; NULL if it is not. */
static const uint64_t *
find_word(const struct page_version *v, size_t word)
{
	const size_t map = word / BITS, bit = word % BITS;
	size_t i, before = 0;

	if ((v->known[map] >> bit & 1) == 0)
		return NULL;
	for (i = 0; i < map; i++)
		before += (size_t)__builtin_popcountll(v->known[i]);
	before += (size_t)__builtin_popcountll(v->known[map] &
					       ((UINT64_C(1) << bit) - 1));
	return &v->word[before];
}

bool
memory_image_add(struct memory_image *m, const struct memory_image_page *p)
{
	struct memory_image_page all = *p;
	struct image_page *page = find_page(m, p->address);
	const struct page_version *old = page == NULL ? NULL : page->newest;
	struct page_version *v;
	const uint64_t *word;
	size_t i, n = 0;

	for (i = 0; i < MEMORY_IMAGE_WORDS; i++) {
		word = old == NULL || memory_image_knows(p, i) ?
			   NULL :
			   find_word(old, i);
		if (word != NULL) {
			all.word[i] = *word;
			memory_image_know(&all, i);
		}
		n += memory_image_knows(&all, i);
	}
	if (n > MAX_WORDS - m->words)
		return false;
	m->words += n;
	if (page == NULL) {
		page = mem_zero(1, sizeof(*page));
		page->address = p->address;
		HASH_ADD(hh, m->pages, address, sizeof(page->address), page);
	}
	v = mem_alloc(sizeof(*v) + n * sizeof(*v->word));
	v->moment = m->moments - 1;
	v->older = page->newest;
	memcpy(v->known, all.known, sizeof(v->known));
	for (i = n = 0; i < MEMORY_IMAGE_WORDS; i++) {
		if (memory_image_knows(&all, i))
			v->word[n++] = all.word[i];
	}
	page->newest = v;
	return true;
}

bool
memory_image_reduce(const struct memory_image *m, struct memory_image_page *p)
{
	const struct image_page *page = find_page(m, p->address);
	const uint64_t *word;
	uint64_t left = 0;
	size_t i;

	for (i = 0; i < MEMORY_IMAGE_WORDS; i++) {
		if (!memory_image_knows(p, i))
			continue;
		word = page == NULL ? NULL : find_word(page->newest, i);
		if (word != NULL && *word == p->word[i])
			p->known[i / BITS] &= ~(UINT64_C(1) << (i % BITS));
	}
	for (i = 0; i < MAPS; i++)
		left |= p->known[i];
	return left != 0;
}

/* The page at a moment; NULL if nothing of it is known. */
static const struct page_version *
find_version(const struct memory_image *m, size_t moment, uint64_t page)
{
	const struct image_page *p = find_page(m, page);
	const struct page_version *v = p == NULL ? NULL : p->newest;

	while (v != NULL && v->moment > moment)
		v = v->older;
	return v;
}

bool
memory_image_read(const struct memory_image *m, size_t moment, uint64_t address,
		  void *to, size_t n)
{
	const struct page_version *v = NULL;
	const uint64_t *word;
	uint64_t page = 1;
	size_t offset, in_word, part;
	char *out = to;

	for (; n > 0; n -= part, address += part, out += part) {
		offset = (size_t)(address % MEMORY_IMAGE_PAGE);
		if (address - offset != page) {
			page = address - offset;
			v = find_version(m, moment, page);
		}
		word = v == NULL ? NULL : find_word(v, offset / WORD);
		if (word == NULL)
			return false;
		in_word = offset % WORD;
		part = WORD - in_word < n ? WORD - in_word : n;
		memcpy(out, (const char *)word + in_word, part);
	}
	return true;
}
