/* code_log.c - the jitdump that the agent writes. */
#include "code_log.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Records of jitdump-specification.txt, in tools/perf/Documentation of Linux.
 */
enum { LOAD = 0, DEBUG = 2, CLOSE = 3, HEADER = 40, PREFIX = 16 };
#define MAGIC 0x4a695444u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__riscv)
#define MACHINE EM_RISCV
#elif defined(__s390x__)
#define MACHINE EM_S390
#elif defined(__powerpc64__)
#define MACHINE EM_PPC64
#else
#define MACHINE EM_NONE
#endif

struct code_log {
	int fd;
	void *marker; /* the mapped page */
	size_t marker_size;
	uint64_t index;     /* of the next code */
	struct bytes bytes; /* of a record */
};

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Folders. */

/*
 * Open a folder in another one, and make it if it is missing.  Others must not
 * be able to replace what is in it.  -1 with errno.
 */
static int
open_folder(int parent, const char *name)
{
	struct stat st;
	int fd;

	if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = openat(parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* As open_folder(), and close the parent. */
static int
descend(int parent, const char *name)
{
	int fd, error;

	if (parent < 0)
		return -1;
	fd = open_folder(parent, name);
	error = errno;
	close(parent);
	errno = error;
	return fd;
}

/* A new folder in parent, which is closed.  -1 with errno. */
static int
new_folder(int parent)
{
	struct timespec t;
	char name[64], day[16];
	struct tm tm;
	int i;

	clock_gettime(CLOCK_REALTIME, &t);
	if (parent < 0 || localtime_r(&t.tv_sec, &tm) == NULL ||
	    strftime(day, sizeof(day), "%Y%m%d", &tm) == 0)
		return -1;
	/* The parent is ours, so nobody else needs to be outwitted. */
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "java-jit-%s.%06lx", day,
			 ((unsigned long)t.tv_nsec / 64 + (unsigned long)i) &
			     0xffffff);
		if (mkdirat(parent, name, 0700) == 0)
			return descend(parent, name);
		if (errno != EEXIST)
			break;
	}
	close(parent);
	return -1;
}

static bool
is_set(const char *variable)
{
	return variable != NULL && *variable != '\0';
}

static int
default_folder(void)
{
	const char *base = getenv("JITDUMPDIR");
	int fd;

	if (!is_set(base))
		base = getenv("HOME");
	if (!is_set(base))
		base = "/tmp";
	fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return new_folder(descend(descend(fd, ".debug"), "jit"));
}

/* Records. */

static bool
write_all(int fd, const char *p, size_t n)
{
	ssize_t done;

	while (n > 0) {
		done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return true;
}

static bool
write_header(int fd)
{
	struct bytes b = { 0 };
	bool ok;

	bytes_u32(&b, MAGIC);
	bytes_u32(&b, 1);
	bytes_u32(&b, HEADER);
	bytes_u32(&b, MACHINE);
	bytes_u32(&b, 0);
	bytes_u32(&b, (uint32_t)getpid());
	bytes_u64(&b, now());
	bytes_u64(&b, 0); /* flags: times are in ns */
	ok = !b.failed && write_all(fd, b.p, b.len);
	free(b.p);
	return ok;
}

static void
begin_record(struct bytes *b, uint32_t id, uint64_t time)
{
	bytes_u32(b, id);
	bytes_u32(b, 0);
	bytes_u64(b, time);
}

/* Set the size of a record.  False if it is too large for the format. */
static bool
end_record(struct bytes *b, size_t at)
{
	if (b->failed || b->len - at > INT32_MAX)
		return false;
	bytes_set_u32(b, at + 4, (uint32_t)(b->len - at));
	return true;
}

/* perf looks for a mapping that may be executed; a file system may forbid it.
 */
static void
map_page(struct code_log *log)
{
	log->marker_size = (size_t)sysconf(_SC_PAGESIZE);
	log->marker = mmap(NULL, log->marker_size, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE, log->fd, 0);
	if (log->marker == MAP_FAILED)
		log->marker = mmap(NULL, log->marker_size, PROT_READ,
				   MAP_PRIVATE, log->fd, 0);
}

struct code_log *
code_log_new(const char *folder, char *why, size_t size)
{
	struct code_log *log = calloc(1, sizeof(*log));
	char name[64];
	int at, fd = -1;

	at = folder == NULL ? default_folder() :
			      open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof(name), "jit-%ld.dump", (long)getpid());
	if (at >= 0)
		fd = openat(at, name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	if (log != NULL && fd >= 0 && write_header(fd)) {
		close(at);
		log->fd = fd;
		map_page(log);
		return log;
	}
	snprintf(why, size, "%s%s%s: %s", folder == NULL ? "" : folder,
		 folder == NULL ? "" : "/", name, strerror(errno));
	if (fd >= 0) {
		unlinkat(at, name, 0);
		close(fd);
	}
	if (at >= 0)
		close(at);
	free(log);
	return NULL;
}

void
code_log_free(struct code_log *log)
{
	struct bytes b = { 0 };

	begin_record(&b, CLOSE, now());
	if (end_record(&b, 0))
		(void)!write_all(log->fd, b.p, b.len);
	free(b.p);
	if (log->marker != MAP_FAILED)
		munmap(log->marker, log->marker_size);
	close(log->fd);
	free(log->bytes.p);
	free(log);
}

bool
code_log_load(struct code_log *log, const char *name, const void *code,
	      size_t size, const struct bytes *debug)
{
	struct bytes *b = &log->bytes;
	const uint64_t time = now(), address = (uintptr_t)code;
	size_t at = 0;

	b->len = 0;
	b->failed = false;
	if (debug->len > 0 && !debug->failed) {
		begin_record(b, DEBUG, time);
		bytes_add(b, debug->p, debug->len);
		if (!end_record(b, at))
			b->len = 0;
		at = b->len;
	}
	begin_record(b, LOAD, time);
	bytes_u32(b, (uint32_t)getpid());
	bytes_u32(b, (uint32_t)syscall(SYS_gettid));
	bytes_u64(b, address); /* vma */
	bytes_u64(b, address);
	bytes_u64(b, size);
	bytes_u64(b, log->index++);
	bytes_text(b, name);
	bytes_add(b, code, size);
	if (!end_record(b, at)) {
		errno = ENOMEM;
		return false;
	}
	return write_all(log->fd, b->p, b->len);
}
