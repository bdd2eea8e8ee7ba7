/* sys_error.h - end the program if a call failed for lack of resources. */
#ifndef SYS_ERROR_H
#define SYS_ERROR_H

/*
 * Call this after a failed call for an optional file.  A command works without
 * such a file if it is missing or malformed.  But if memory or descriptors run
 * out, or a device fails (ENOMEM, EMFILE, ENFILE, EIO), the profile would be
 * silently different: then this ends the program with status 2 and a message
 * with the path.  Other values of errno have no effect.
 */
void sys_error_check(const char *path);

/* Like sys_error_check(), for an open file. */
void sys_error_check_fd(int fd);

#endif
