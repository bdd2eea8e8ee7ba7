/*
 * chaincopy - records a command with both chains of frame pointers and copies
 * of the top of the stack, which perf record does not do.
 *
 *	usage: chaincopy BYTES COMMAND [ARGUMENT...] >FILE
 *
 * The command has one thread, and ends before the ring is full.
 */
#include <err.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 1024, HEADER_ATTR = 64 };

static void
put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		err(2, "write");
}

static void
put_begin(const struct perf_event_attr *attr, int fd)
{
	const struct {
		char magic[8];
		uint64_t size;
	} file = { { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' }, 16 };
	struct perf_event_header h = { HEADER_ATTR, 0, 0 };
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		err(2, "PERF_EVENT_IOC_ID");
	h.size = (uint16_t)(sizeof(h) + sizeof(*attr) + sizeof(id));
	put(&file, sizeof(file));
	put(&h, sizeof(h));
	put(attr, sizeof(*attr));
	put(&id, sizeof(id));
}

int
main(int argc, char *argv[])
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 499,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 0xff0fff,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_guest = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1
	};
	struct perf_event_mmap_page *ring;
	int go[2], fd;
	char c = 0;
	pid_t pid;

	if (argc < 3 || pipe(go) < 0)
		errx(2, "usage: chaincopy BYTES COMMAND [ARGUMENT...]");
	attr.sample_stack_user = (uint32_t)atoi(argv[1]);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &c, 1) == 1)
			execv(argv[2], argv + 2);
		err(2, "%s", argv[2]);
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	if (fd < 0)
		err(2, "perf_event_open");
	ring = mmap(NULL, (PAGES + 1) * 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED || write(go[1], &c, 1) != 1 ||
	    waitpid(pid, NULL, 0) < 0)
		err(2, "ring");
	put_begin(&attr, fd);
	put((char *)ring + ring->data_offset, ring->data_head);
	return 0;
}
