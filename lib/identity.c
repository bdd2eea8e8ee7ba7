/* identity.c - whether a file is the one that was mapped. */
#include "identity.h"

#include "elffile.h"
#include "outage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

struct str
identity_recorded(const struct perf_features *f, const struct mapped *file)
{
	return file->build_id.len > 0 ? file->build_id :
					perffeat_id_of(f, file->path);
}

bool
identity_equal(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len, i;
	struct str rest = str_skip(a.len > n ? a : b, n);

	for (i = 0; i < rest.len; i++) {
		if (rest.p[i] != '\0')
			return false;
	}
	return n > 0 && memcmp(a.p, b.p, n) == 0;
}

bool
identity_matches(const struct perf_features *f, const struct mapped *file,
		 const struct elf *elf, enum identity_trust trust)
{
	struct str wanted = identity_recorded(f, file);
	uint64_t device = elf_device(elf);

	if (wanted.len > 0 && elf_build_id(elf).len > 0)
		return identity_equal(wanted, elf_build_id(elf));
	if (trust == IDENTITY_ELSEWHERE)
		return true;
	/* It has lost its build-id: no inode can make up for that. */
	if (wanted.len > 0)
		return false;
	if (file->inode == 0 || major((dev_t)device) != file->major ||
	    minor((dev_t)device) != file->minor)
		return trust == IDENTITY_LIKELY;
	return elf_inode(elf) == file->inode;
}

bool
identity_runs(struct str kernel_id)
{
	_Alignas(4) char notes[4096];
	const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	struct str id = { 0 };

	if (n < 0 || fd < 0)
		outage_check("/sys/kernel/notes");
	if (fd >= 0)
		close(fd);
	if (n > 0)
		id = elffile_noted_id((struct str){ notes, (size_t)n });
	return kernel_id.len == 0 || id.len == 0 ||
	       identity_equal(id, kernel_id);
}

bool
identity_cache(struct buf *path)
{
	const char *home = getenv("HOME");

	if (home != NULL)
		buf_printf(path, "%s/.debug", home);
	return home != NULL;
}

bool
identity_cached(struct buf *path, struct str id, const char *what)
{
	size_t i;

	if (id.len < 2 || !identity_cache(path))
		return false;
	buf_str(path, STR("/.build-id/"));
	for (i = 0; i < id.len; i++)
		buf_printf(path, i == 1 ? "/%02x" : "%02x",
			   (unsigned)(unsigned char)id.p[i]);
	buf_printf(path, "/%s", what);
	buf_char(path, '\0');
	return true;
}
