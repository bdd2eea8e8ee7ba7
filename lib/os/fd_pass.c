/* fd_pass.c - pass messages with descriptors between processes. */
#include "os/fd_pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Aligned as the kernel needs it. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
};

bool
fd_pass_pair(int fds[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0;
}

bool
fd_pass_send(int socket, const void *p, size_t n, const int *fd, size_t nfd)
{
	union control control = { .bytes = { 0 } };
	struct iovec part = { (void *)(size_t)p, n };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t sent;

	if (nfd > 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(nfd * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		if (c == NULL)
			return false;
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfd * sizeof(int));
		memcpy(CMSG_DATA(c), fd, nfd * sizeof(int));
	}
	do
		sent = sendmsg(socket, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)n;
}

/* Copy the descriptors of a message to fd; returns how many there are. */
static size_t
get_descriptors(struct msghdr *m, int *fd)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t size;

	if (c == NULL || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_RIGHTS)
		return 0;
	size = c->cmsg_len - CMSG_LEN(0);
	memcpy(fd, CMSG_DATA(c), size);
	return size / sizeof(int);
}

bool
fd_pass_receive(int socket, void *p, size_t n, int *fd, size_t nfd)
{
	union control control;
	struct iovec part = { p, n };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	int got[FD_PASS_MAX];
	size_t i, ngot;
	ssize_t received;

	do
		received = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return false;
	ngot = get_descriptors(&m, got);
	if (received == (ssize_t)n && ngot == nfd &&
	    (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) {
		if (nfd > 0)
			memcpy(fd, got, nfd * sizeof(int));
		return true;
	}
	for (i = 0; i < ngot; i++)
		close(got[i]);
	return false;
}
