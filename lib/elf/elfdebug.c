/* elfdebug.c - separate debug files of an ELF file. */
#include "elf/elfdebug.h"

#include "base/buf.h"
#include "os/sys_error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const default_dirs[] = { "/usr/lib/debug", NULL };

struct elfdebug_search {
	struct elffile *f;
	const struct elf_paths *paths;
	struct buf path;
};

static struct elffile *
open_path(struct elfdebug_search *s)
{
	const char *why;
	int fd;

	buf_char(&s->path, '\0');
	fd = open(s->path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		sys_error_check(s->path.p);
	return fd < 0 ? NULL : elffile_open(fd, &why);
}

static void
start_path(struct elfdebug_search *s)
{
	s->path.len = 0;
	if (s->paths->symfs != NULL)
		buf_str(&s->path, str_of(s->paths->symfs));
}

/* Close a file with another build-id, and return NULL for it. */
static struct elffile *
check_id(struct elffile *debug, struct str id)
{
	if (debug == NULL || str_eq(elffile_build_id(debug), id))
		return debug;
	elffile_close(debug);
	return NULL;
}

static struct elffile *
open_unchecked(struct elfdebug_search *s, const char *dir, struct str id,
	       const char *what)
{
	size_t i;

	start_path(s);
	buf_printf(&s->path, "%s/.build-id/", dir);
	for (i = 0; i < id.len; i++)
		buf_printf(&s->path, i == 0 ? "%02x/" : "%02x",
			   (unsigned char)id.p[i]);
	buf_str(&s->path, str_of(what));
	return open_path(s);
}

static struct elffile *
open_build_id(struct elfdebug_search *s, const char *dir, struct str id,
	      const char *what)
{
	return check_id(open_unchecked(s, dir, id, what), id);
}

static struct elffile *
search_build_id(struct elfdebug_search *s, struct str id)
{
	const char *const *dir = s->paths->debug_dirs;
	struct elffile *debug = NULL;

	if (dir == NULL)
		dir = default_dirs;
	for (; *dir != NULL && id.len > 1 && debug == NULL; dir++)
		debug = open_build_id(s, *dir, id, ".debug");
	return debug;
}

/* perf may have a copy of a stripped file from before. */
static struct elffile *
search_cache(struct elfdebug_search *s, struct str id)
{
	static const char *const names[] = { "/debug", "/elf" };
	struct elffile *copy;
	size_t i;

	if (s->paths->cache == NULL || id.len < 2 ||
	    elffile_named(s->f, STR(".symtab")) != 0)
		return NULL;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		copy = open_build_id(s, s->paths->cache, id, names[i]);
		if (copy != NULL && elffile_named(copy, STR(".symtab")) != 0)
			return copy;
		elffile_close(copy);
	}
	return NULL;
}

/* .gnu_debuglink has the CRC of IEEE 802.3, as gzip does. */
static uint32_t
add_crc(uint32_t crc, const unsigned char *p, size_t n)
{
	static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8,
					    0x26d930ac, 0x76dc4190, 0x6b6b51f4,
					    0x4db26158, 0x5005713c, 0xedb88320,
					    0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
					    0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,
					    0xbdbdf21c };
	size_t i;

	for (i = 0; i < n; i++) {
		crc ^= p[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

static bool
has_crc(const struct elffile *debug, uint32_t wanted)
{
	unsigned char block[65536];
	uint32_t crc = 0xffffffff;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(elffile_fd(debug), block, sizeof(block), at)) > 0) {
		crc = add_crc(crc, block, (size_t)n);
		at += n;
	}
	if (n < 0)
		sys_error_check_fd(elffile_fd(debug));
	return n == 0 && (crc ^ 0xffffffff) == wanted;
}

/* Open above + dir + below + name, if its CRC is right. */
static struct elffile *
open_link(struct elfdebug_search *s, const char *above, struct str dir,
	  const char *below, struct str name, uint32_t crc)
{
	const struct elffile_head *a = elffile_head(s->f), *b;
	struct elffile *debug;

	start_path(s);
	buf_str(&s->path, str_of(above));
	buf_str(&s->path, dir);
	buf_str(&s->path, str_of(below));
	buf_str(&s->path, name);
	debug = open_path(s);
	if (debug == NULL)
		return NULL;
	b = elffile_head(debug);
	/* The link may lead to the file itself. */
	if ((a->inode == b->inode && a->device == b->device) ||
	    !has_crc(debug, crc)) {
		elffile_close(debug);
		return NULL;
	}
	return debug;
}

/* The section has a name, padding to 4 bytes, and the CRC. */
static bool
read_link(struct elffile *f, struct str *name, uint32_t *crc)
{
	struct str s = elffile_bytes(f,
				     elffile_named(f, STR(".gnu_debuglink")));
	const char *nul = str_find(s, '\0');

	if (nul == NULL || s.len < 4)
		return false;
	*name = str_range(s.p, nul);
	if (name->len == 0 || str_find(*name, '/') != NULL ||
	    (name->len + 4) / 4 * 4 + 4 > s.len)
		return false;
	memcpy(crc, s.p + (name->len + 4) / 4 * 4, sizeof(*crc));
	if (elffile_head(f)->swap)
		*crc = __builtin_bswap32(*crc);
	return true;
}

static struct elffile *
search_link(struct elfdebug_search *s, const char *path,
	    const char *const *dirs)
{
	struct elffile *debug;
	struct str name, dir;
	uint32_t crc;

	if (path == NULL || strrchr(path, '/') == NULL ||
	    !read_link(s->f, &name, &crc))
		return NULL;
	dir = str_range(path, strrchr(path, '/') + 1);
	debug = open_link(s, "", dir, "", name, crc);
	if (debug == NULL)
		debug = open_link(s, "", dir, ".debug/", name, crc);
	for (; *dirs != NULL && debug == NULL; dirs++)
		debug = open_link(s, *dirs, dir, "", name, crc);
	return debug;
}

static struct elffile *
fetch(const struct elfdebug_search *s, struct str id, const char *path)
{
	const char *why;
	int fd;

	if (s->paths->fetch == NULL || id.len < 2)
		return NULL;
	fd = s->paths->fetch(s->paths->fetch_arg, id, path);
	return fd < 0 ? NULL : check_id(elffile_open(fd, &why), id);
}

struct elffile *
elfdebug_open(struct elffile *f, const char *path,
	      const struct elf_paths *paths)
{
	struct elfdebug_search s = { .f = f, .paths = paths };
	const struct str id = elffile_build_id(f);
	struct elffile *debug = search_build_id(&s, id);

	if (debug == NULL)
		debug = search_link(&s, path,
				    paths->debug_dirs != NULL ?
					paths->debug_dirs :
					default_dirs);
	/* Do not fetch for a file that has debug information itself. */
	if (debug == NULL && elffile_named(f, STR(".debug_info")) == 0)
		debug = fetch(&s, id, path);
	if (debug == NULL)
		debug = search_cache(&s, id);
	buf_free(&s.path);
	return debug;
}

/* A path of .gnu_debugaltlink is below symfs, or relative to the file. */
static struct elffile *
open_altlink(struct elfdebug_search *s, struct str name)
{
	start_path(s);
	if (name.p[0] != '/') {
		s->path.len = 0;
		elffile_folder(s->f, &s->path);
		if (s->path.len == 0)
			return NULL;
	}
	buf_str(&s->path, name);
	return open_path(s);
}

/* .gnu_debugaltlink has a path, NUL, and a build-id up to its end. */
struct elffile *
elfdebug_open_shared(struct elffile *f, const struct elf_paths *paths)
{
	struct elfdebug_search s = { .f = f, .paths = paths };
	struct str name, id;
	struct elffile *shared;
	const char *nul;

	name = elffile_bytes(f, elffile_named(f, STR(".gnu_debugaltlink")));
	nul = str_find(name, '\0');
	if (nul == NULL || nul == name.p)
		return NULL;
	id = str_range(nul + 1, name.p + name.len);
	name = str_range(name.p, nul);
	shared = search_build_id(&s, id);
	if (shared == NULL)
		shared = check_id(open_altlink(&s, name), id);
	if (shared == NULL)
		shared = fetch(&s, id, name.p);
	buf_free(&s.path);
	return shared;
}

/* A package has no build-id itself. */
static struct elffile *
package_by_id(struct elfdebug_search *s, struct str id)
{
	const char *const *dir = s->paths->debug_dirs;
	struct elffile *package = NULL;

	if (dir == NULL)
		dir = default_dirs;
	for (; *dir != NULL && id.len > 1 && package == NULL; dir++) {
		package = open_unchecked(s, *dir, id, ".dwp");
		if (package == NULL)
			package = open_unchecked(s, *dir, id, ".debug.dwp");
	}
	return package;
}

struct elffile *
elfdebug_open_package(struct elffile *f, const char *path,
		      const struct elf_paths *paths)
{
	struct elfdebug_search s = { .f = f, .paths = paths };
	struct elffile *package = NULL;

	/* All split units refer to their addresses by number. */
	if (elffile_named(f, STR(".debug_addr")) == 0)
		return NULL;
	elffile_path(f, &s.path);
	if (s.path.len > 0) {
		buf_str(&s.path, STR(".dwp"));
		package = open_path(&s);
	}
	if (package == NULL && path != NULL) {
		s.path.len = 0;
		if (path[0] == '/')
			start_path(&s);
		buf_printf(&s.path, "%s.dwp", path);
		package = open_path(&s);
	}
	if (package == NULL)
		package = package_by_id(&s, elffile_build_id(f));
	buf_free(&s.path);
	return package;
}
