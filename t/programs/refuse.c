/*
 * refuse.c - run a command that may not call perf_event_open(2), as filters of
 * containers do it.
 *
 *	usage: refuse ERRNO COMMAND [ARGUMENT ...]
 */
#include <err.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	const struct sock_fprog program = { 4, code };

	if (argc < 3)
		errx(2, "usage: refuse ERRNO COMMAND [ARGUMENT ...]");
	code[2].k |= (unsigned)atoi(argv[1]) & SECCOMP_RET_DATA;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		err(3, "prctl");
	execvp(argv[2], argv + 2);
	err(3, "%s", argv[2]);
}
