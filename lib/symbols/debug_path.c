/* debug_path.c - where to search for programs and their debug files. */
#include "symbols/debug_path.h"

#include "base/mem.h"
#include "elf/elf.h"
#include "symbols/debuginfod.h"
#include "symbols/file_identity.h"

#include <stdlib.h>

struct debug_path {
	struct elf_paths elf;
	struct debuginfod *fetch;
	const char *debug_dirs[2];
	struct buf cache;
};

static int
fetch_debug(void *fetch, struct str build_id, const char *path)
{
	return debuginfod_file(fetch, DEBUGINFOD_DEBUG, build_id,
			       path == NULL ? STR("vdso") : str_of(path));
}

struct debug_path *
debug_path_new(const struct debug_path_options *options, struct buf *why)
{
	struct debug_path *p = mem_zero(1, sizeof(*p));

	p->elf.symfs = options->symfs;
	p->debug_dirs[0] = options->debug_dir;
	if (options->debug_dir != NULL)
		p->elf.debug_dirs = p->debug_dirs;
	if (options->symfs == NULL && file_identity_cache(&p->cache)) {
		buf_char(&p->cache, '\0');
		p->elf.cache = p->cache.p;
	}
	if (options->fetch > 0) {
		p->fetch = debuginfod_new(options->fetch, why);
		if (p->fetch == NULL) {
			debug_path_free(p);
			return NULL;
		}
		p->elf.fetch = fetch_debug;
		p->elf.fetch_arg = p->fetch;
	}
	return p;
}

void
debug_path_free(struct debug_path *p)
{
	if (p == NULL)
		return;
	debuginfod_free(p->fetch);
	buf_free(&p->cache);
	free(p);
}

const struct elf_paths *
debug_path_elf(const struct debug_path *p)
{
	return &p->elf;
}

struct debuginfod *
debug_path_fetch(const struct debug_path *p)
{
	return p->fetch;
}
