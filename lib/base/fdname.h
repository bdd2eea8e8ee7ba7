/* fdname.h - path of an open file, for messages. */
#ifndef FDNAME_H
#define FDNAME_H

/*
 * The path of an open file, "a file" if it is unknown.  Valid until the next
 * call.  Preserves errno.
 */
const char *fdname(int fd);

#endif
