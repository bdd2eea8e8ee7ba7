/* build_ids.c - build-ids of mapped files; each file is opened once. */
#include "sampler/build_ids.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/table.h"
#include "elf/elf.h"

#include <inttypes.h>

struct build_id {
	struct str file; /* device, inode and path: the key */
	struct str id;   /* empty if the file has none */
	UT_hash_handle hh;
};

struct build_ids {
	struct build_id *table;
	struct arena arena; /* of the elements and their strings */
	struct buf text;
};

struct build_ids *
build_ids_new(void)
{
	return mem_zero(1, sizeof(struct build_ids));
}

void
build_ids_free(struct build_ids *all)
{
	HASH_CLEAR(hh, all->table);
	arena_free(&all->arena);
	buf_free(&all->text);
	free(all);
}

/*
 * Open the mapped file itself, even if another file has its path by now.
 * Without permission for that, open its path, if that still is the same inode.
 */
static struct elf *
open_file(struct build_ids *all, int64_t pid, const struct proc_map *map)
{
	const struct elf_paths places = { 0 };
	const char *why;
	struct elf *e;

	all->text.len = 0;
	buf_printf(&all->text,
		   "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		   map->start, map->end);
	buf_char(&all->text, '\0');
	e = elf_open(all->text.p, &places, &why);
	if (e != NULL)
		return e;
	all->text.len = 0;
	buf_printf(&all->text, "/proc/%" PRId64 "/root", pid);
	buf_str(&all->text, map->path);
	buf_char(&all->text, '\0');
	e = elf_open(all->text.p, &places, &why);
	if (e != NULL && elf_inode(e) != map->inode) {
		elf_close(e);
		e = NULL;
	}
	return e;
}

static struct str
read_id(struct build_ids *all, int64_t pid, const struct proc_map *map)
{
	struct elf *e = open_file(all, pid, map);
	struct str id = STR("");

	if (e == NULL)
		return id;
	id = arena_str(&all->arena, elf_build_id(e));
	elf_close(e);
	return id;
}

struct str
build_ids_of(struct build_ids *all, int64_t pid, const struct proc_map *map)
{
	struct build_id *b;

	if (map->inode == 0 || !str_starts(map->path, STR("/")))
		return STR("");
	all->text.len = 0;
	buf_printf(&all->text, "%" PRIu32 ":%" PRIu32 ":%" PRIu64 " ",
		   map->major, map->minor, map->inode);
	buf_str(&all->text, map->path);
	HASH_FIND(hh, all->table, all->text.p, all->text.len, b);
	if (b != NULL)
		return b->id;
	b = arena_alloc(&all->arena, sizeof(*b));
	b->file = arena_str(&all->arena, buf_slice(&all->text));
	b->id = read_id(all, pid, map);
	HASH_ADD_KEYPTR(hh, all->table, b->file.p, b->file.len, b);
	return b->id;
}
