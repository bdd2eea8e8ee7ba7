/* outage.h - whether a call failed because of the machine. */
#ifndef OUTAGE_H
#define OUTAGE_H

/*
 * For files that a command looks for by itself, and does without if they are
 * not there, or not what they should be.  After a call for one failed: ends the
 * program with status 2, saying what was asked for, if errno says that there
 * is no memory or no descriptor left, or that a device cannot be read.
 * That is no answer, and a profile made of it would be another one.  Any other
 * errno is left as it is.
 */
void outage_check(const char *path);

/* The same for an open file, whose path the system knows. */
void outage_check_fd(int fd);

#endif
