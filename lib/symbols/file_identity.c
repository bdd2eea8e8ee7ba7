/* file_identity.c - whether a file is the one that a process had mapped. */
#include "symbols/file_identity.h"

#include "elf/elffile.h"
#include "os/sys_error.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

struct str
file_identity_recorded(const struct perf_features *f,
		       const struct mapped_file *file)
{
	return file->build_id.len > 0 ? file->build_id :
					perffeat_build_id(f, file->path);
}

bool
file_identity_equal(struct str a, struct str b)
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
file_identity_matches(const struct perf_features *f,
		      const struct mapped_file *file, const struct elf *elf,
		      enum file_identity_trust trust)
{
	struct str wanted = file_identity_recorded(f, file);
	uint64_t device = elf_device(elf);

	if (wanted.len > 0 && elf_build_id(elf).len > 0)
		return file_identity_equal(wanted, elf_build_id(elf));
	if (trust == FILE_IDENTITY_ELSEWHERE)
		return true;
	/* The mapped file had a build-id, so it is not this one. */
	if (wanted.len > 0)
		return false;
	if (file->inode == 0 || major((dev_t)device) != file->major ||
	    minor((dev_t)device) != file->minor)
		return trust == FILE_IDENTITY_LIKELY;
	return elf_inode(elf) == file->inode;
}

bool
file_identity_runs(struct str kernel_id)
{
	_Alignas(4) char notes[4096];
	const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	struct str id = { 0 };

	if (n < 0 || fd < 0)
		sys_error_check("/sys/kernel/notes");
	if (fd >= 0)
		close(fd);
	if (n > 0)
		id = elffile_noted_id((struct str){ notes, (size_t)n });
	return kernel_id.len == 0 || id.len == 0 ||
	       file_identity_equal(id, kernel_id);
}

bool
file_identity_cache(struct buf *path)
{
	const char *home = getenv("HOME");

	if (home != NULL)
		buf_printf(path, "%s/.debug", home);
	return home != NULL;
}

bool
file_identity_cached(struct buf *path, struct str id, const char *what)
{
	size_t i;

	if (id.len < 2 || !file_identity_cache(path))
		return false;
	buf_str(path, STR("/.build-id/"));
	for (i = 0; i < id.len; i++)
		buf_printf(path, i == 1 ? "/%02x" : "%02x",
			   (unsigned)(unsigned char)id.p[i]);
	buf_printf(path, "/%s", what);
	buf_char(path, '\0');
	return true;
}
