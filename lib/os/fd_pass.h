/* fd_pass.h - pass messages with descriptors between processes. */
#ifndef FD_PASS_H
#define FD_PASS_H

#include <stdbool.h>
#include <stddef.h>

enum { FD_PASS_MAX = 2 };

/* Create a pair of sockets that keep messages apart; false with errno. */
bool fd_pass_pair(int fds[2]);

/*
 * Send n bytes with up to FD_PASS_MAX descriptors, which stay open here.  False
 * with errno if that fails, as after the end of the other process.
 */
bool fd_pass_send(int socket, const void *p, size_t n, const int *fd,
		  size_t nfd);

/*
 * Receive a message of n bytes with nfd descriptors, closed on exec.  False for
 * any other message, whose first bytes are in p, and at the end.
 */
bool fd_pass_receive(int socket, void *p, size_t n, int *fd, size_t nfd);

#endif
