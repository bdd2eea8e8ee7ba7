/* fdname.h - what the system calls an open file, for messages. */
#ifndef FDNAME_H
#define FDNAME_H

/*
 * The path of what a descriptor has open, "a file" where that is not known.
 * It is good until the next call; errno is left as it is.
 */
const char *fdname(int fd);

#endif
