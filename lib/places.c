/* places.c - where programs and their debug files are looked for. */
#include "places.h"

#include "elf.h"
#include "fetch.h"
#include "identity.h"
#include "mem.h"

#include <stdlib.h>

struct places {
	struct elf_places elf;
	struct fetch *fetch;
	const char *debug_dirs[2];
	struct buf cache;
};

static int
fetch_debug(void *fetch, struct str build_id, const char *path)
{
	return fetch_file(fetch, FETCH_DEBUG, build_id,
			  path == NULL ? STR("vdso") : str_of(path));
}

struct places *
places_new(const struct places_options *options)
{
	struct places *p = mem_zero(1, sizeof(*p));

	p->elf.symfs = options->symfs;
	p->debug_dirs[0] = options->debug_dir;
	if (options->debug_dir != NULL)
		p->elf.debug_dirs = p->debug_dirs;
	if (options->symfs == NULL && identity_cache(&p->cache)) {
		buf_char(&p->cache, '\0');
		p->elf.cache = p->cache.p;
	}
	if (options->fetch > 0) {
		p->fetch = fetch_new(options->fetch);
		p->elf.fetch = fetch_debug;
		p->elf.fetch_arg = p->fetch;
	}
	return p;
}

void
places_free(struct places *p)
{
	fetch_free(p->fetch);
	buf_free(&p->cache);
	free(p);
}

const struct elf_places *
places_elf(const struct places *p)
{
	return &p->elf;
}

struct fetch *
places_fetch(const struct places *p)
{
	return p->fetch;
}
