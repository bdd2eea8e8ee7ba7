/* owner_check.h - open symbol files of JIT compilers that can be trusted. */
#ifndef OWNER_CHECK_H
#define OWNER_CHECK_H

#include <stdint.h>

/*
 * A JIT compiler writes its symbol file to a folder like /tmp, where anyone can
 * put such a file and so forge the names in a profile.
 *
 * OWNER_CHECK_ANYONE accepts any regular file, for files that the user named or
 * that are below --symfs.  OWNER_CHECK_OWNER accepts files that belong to the
 * given owner, to us or to root, are not symbolic links, and have no holes if
 * they are large.
 */
enum trust { OWNER_CHECK_ANYONE, OWNER_CHECK_OWNER };

/*
 * Open a regular file for reading.  Returns -1 if the file is missing, not
 * regular or not trusted, and sets *why to the reason.  Errno is 0 if the
 * reason is not an error of the system.
 */
int owner_check_open(const char *path, enum trust trust, uint32_t owner,
		     const char **why);

/*
 * The owner that a symbol file of a process must have: the user of the process
 * if we are root or may trace processes of other users, else our own user.
 * Root if the process is gone.
 */
uint32_t owner_check_owner(int64_t pid);

#endif
