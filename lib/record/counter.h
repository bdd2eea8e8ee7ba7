/* counter.h - one event of the kernel: perf_event_open(2). */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * struct perf_event_attr of Linux 6.1.  We do not include linux/perf_event.h,
 * which may be older than the kernel and has the names of perfdata/perfabi.h.
 * Kernels take a longer or shorter struct if the excess is zero.
 */
struct counter_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t rate; /* events a sample; samples a second if FREQ is set */
	uint64_t sample_type, read_format;
	uint64_t flags;  /* PERF_ATTR_*; counter_native() sets the layout */
	uint32_t wakeup; /* bytes in the ring buffer */
	uint32_t breakpoint_type;
	uint64_t config1, config2;
	uint64_t branch_type;
	uint64_t regs_user;
	uint32_t stack_user;
	int32_t clock;
	uint64_t regs_intr;
	uint32_t aux_watermark;
	uint16_t max_stack, reserved;
	uint32_t aux_size, reserved2;
	uint64_t signal_data;
};

/* The struct as this machine lays it out: its flags are C bit-fields. */
struct counter_attr counter_native(struct counter_attr attr);

/*
 * Open an event for a task, or for all tasks if pid is -1, on a CPU.  leader is
 * the first event of its group, or -1.  Returns a descriptor that is closed on
 * exec, or -1 with errno set.
 */
int counter_open(const struct counter_attr *attr, int64_t pid, int cpu,
		 int leader);

/* The same for all tasks of a cgroup, an open folder of a cgroup tree. */
int counter_open_cgroup(const struct counter_attr *attr, int cgroup, int cpu,
			int leader);

/*
 * Whether the system call exists and no seccomp(2) filter refuses it; errno is
 * set if not.
 */
bool counter_allowed(void);

/* The number of the event in its records; false with errno set. */
bool counter_id(int fd, uint64_t *id);

/* Write the records of an event to the ring buffer of another one. */
bool counter_redirect(int fd, int to);

/* Stop counting in all tasks. */
void counter_disable(int fd);

/* Change the rate of an event; false with errno set. */
bool counter_set_rate(int fd, uint64_t rate);

/* The count of an event that was opened without times in its read_format. */
uint64_t counter_value(int fd);

/*
 * How many samples the kernel could not write, of an event that was opened with
 * PERF_FORMAT_LOST alone; 0 if it does not say.
 */
uint64_t counter_lost(int fd);

#endif
