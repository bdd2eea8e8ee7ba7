/*
 * plenty - traces and profiles of any size on standard output, for t/load:
 *
 *	plenty perf BYTES	perf script text: that of standard input over
 *and over, each time of other processes plenty samples N	the same, N
 *samples of one frame each
 *	plenty stacks N		folded, N distinct stacks of 8 frames
 *	plenty deep N		folded, three stacks of N frames
 *	plenty names BYTES	folded, a hundred names of so many bytes
 *	plenty threads N	perf script text: a sample of each of N threads
 *	plenty tasks N		a recording of perf as through a pipe: N
 *processes, of which 50 run at a time, with two samples each, some in the wrong
 *order plenty reused N		the same, by the numbers of 100 processes plenty jits N		the same, with code in memory without a file
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample's text, on both sides of its process's number. */
struct sample {
	char *begin, *end;
	unsigned long pid;
};

static char *
load(FILE *f)
{
	char *text = NULL;
	size_t cap = 0;

	if (getdelim(&text, &cap, '\0', f) <= 0)
		errx(2, "no trace on standard input");
	return text;
}

/* Cut a trace into samples; returns how many. */
static size_t
cut(char *text, struct sample **samples)
{
	struct sample *all = NULL;
	size_t n = 0;
	char *blank;

	for (; *text != '\0'; text = blank + 2, n++) {
		blank = strstr(text, "\n\n");
		if (blank == NULL)
			break;
		*blank = '\0';
		all = realloc(all, (n + 1) * sizeof(*all));
		if (all == NULL)
			err(2, NULL);
		all[n].begin = text;
		text += strcspn(text, " ");
		text += strspn(text, " ");
		text[-1] = '\0';
		all[n].pid = strtoul(text, &all[n].end, 10);
	}
	*samples = all;
	return n;
}

static void
write_perf(uint64_t bytes)
{
	struct sample *sample;
	char *text = load(stdin);
	size_t i, n = cut(text, &sample);
	uint64_t written = 0;
	unsigned long round = 0;

	if (n == 0)
		errx(2, "no sample on standard input");
	for (; written < bytes; round++) {
		for (i = 0; i < n; i++)
			written += (uint64_t)printf(
			    "%s %lu%s\n\n", sample[i].begin,
			    sample[i].pid + round % 30000, sample[i].end);
	}
	free(sample);
	free(text);
}

static void
write_samples(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		printf("a 1 1.0: 1 c:\n\t%x f%u (x)\n\n", (unsigned)(i % 100),
		       (unsigned)(i % 100));
}

static void
write_stacks(uint64_t n)
{
	uint64_t i, x = 1;
	int k;

	for (i = 0; i < n; i++) {
		printf("main");
		for (k = 0; k < 6; k++) {
			x = x * 16807 % 2147483647;
			printf(";function_%u", (unsigned)(x % 5000));
		}
		printf(";leaf_%llu %u\n", (unsigned long long)i,
		       (unsigned)(x % 7 + 1));
	}
}

static void
write_deep(uint64_t n)
{
	uint64_t i;
	int k;

	for (k = 0; k < 3; k++) {
		printf("main");
		for (i = 1; i < n; i++)
			printf(";f%u",
			       (unsigned)(i * (unsigned)(k + 1) % 1000));
		printf(" %d\n", k + 1);
	}
}

static void
write_names(uint64_t bytes)
{
	char *name = malloc(bytes + 1);
	int i;

	if (name == NULL)
		err(2, NULL);
	memset(name, 'x', bytes);
	name[bytes] = '\0';
	for (i = 0; i < 100; i++)
		printf("main;%s%d %d\n", name, i, i + 1);
	free(name);
}

static void
write_threads(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		printf("server 7/%llu %llu.000000: 1 cycles: \n"
		       "\t1000 work_%u+0x10 (server)\n"
		       "\t2000 main+0x20 (server)\n\n",
		       (unsigned long long)i + 7, (unsigned long long)i,
		       (unsigned)(i % 1000));
}

/* A recording. */

enum {
	BATCH = 50, /* processes between two ends of a round */
	ROUND = 68,
	MMAP2 = 10,
	COMM = 3,
	EXIT = 4,
	FORK = 7,
	STEP = 10000000, /* ns between two processes */
	SAMPLE = 9
};

static struct {
	char bytes[512];
	size_t len;
} body;

static void
put(uint64_t n, size_t size)
{
	memcpy(body.bytes + body.len, &n, size);
	body.len += size;
}

/* A text with a NUL, as long as a multiple of eight bytes. */
static void
put_text(const char *text)
{
	const size_t n = (strlen(text) + 8) & ~(size_t)7;

	memset(body.bytes + body.len, 0, n);
	memcpy(body.bytes + body.len, text, strlen(text));
	body.len += n;
}

static void
write_record(uint32_t type, uint16_t misc)
{
	const uint16_t half[2] = { misc, (uint16_t)(8 + body.len) };

	fwrite(&type, sizeof(type), 1, stdout);
	fwrite(half, sizeof(half), 1, stdout);
	fwrite(body.bytes, 1, body.len, stdout);
	body.len = 0;
}

/* Whose record it is, and when. */
struct moment {
	uint32_t pid;
	uint64_t time;
};

/* What ends a record of the kernel: process, thread, time and event. */
static void
write_timed(uint32_t type, uint16_t misc, const struct moment *m)
{
	put(m->pid, 4);
	put(m->pid, 4);
	put(m->time, 8);
	put(1, 8);
	write_record(type, misc);
}

static void
write_task(uint32_t type, uint32_t parent, const struct moment *m)
{
	put(m->pid, 4);
	put(parent, 4);
	put(m->pid, 4);
	put(parent, 4);
	put(m->time, 8);
	write_timed(type, 0, m);
}

static void
write_comm(const char *name, uint16_t misc, const struct moment *m)
{
	put(m->pid, 4);
	put(m->pid, 4);
	put_text(name);
	write_timed(COMM, misc, m);
}

static void
write_map(const char *name, uint64_t start, const struct moment *m)
{
	put(m->pid, 4);
	put(m->pid, 4);
	put(start, 8);
	put(0x10000, 8);
	put(0, 8);
	memset(body.bytes + body.len, 0, 24); /* device, inode, generation */
	body.len += 24;
	put(5, 4); /* may be read and executed */
	put(2, 4); /* private */
	put_text(name);
	write_timed(MMAP2, 2, m);
}

static void
write_sample(uint64_t ip, const struct moment *m)
{
	put(ip, 8);
	put(m->pid, 4);
	put(m->pid, 4);
	put(m->time, 8);
	put(1, 8); /* event */
	put(1, 8); /* period */
	write_record(SAMPLE, 2);
}

static uint64_t
base_of(uint64_t number, unsigned library)
{
	return 0x7f0000000000 + number % 0xfffff * 0x100000 + library * 0x10000;
}

static void
start_process(uint64_t number, struct moment *m, bool jit)
{
	static const char *const library[] = { "/nowhere/libc.so",
					       "/nowhere/libm.so",
					       "/nowhere/libz.so",
					       "/nowhere/ld.so" };
	char name[32];
	unsigned i;

	write_task(FORK, 1, m);
	write_comm("sh", 0, m);
	m->time += 1000;
	snprintf(name, sizeof(name), "job%u", (unsigned)(number % 10));
	write_comm(name, 0x2000, m);
	snprintf(name, sizeof(name), "/nowhere/job%u", (unsigned)(number % 10));
	write_map(name, 0x400000, m);
	for (i = 0; i < 4; i++)
		write_map(library[i], base_of(number, i), m);
	write_map("[vdso]", base_of(number, 5), m);
	if (jit)
		write_map("//anon", base_of(number, 6), m);
}

/* One CPU's buffer has the first samples, another one's has the rest. */
static void
write_batch(uint64_t first, uint64_t n, uint64_t pids, bool jit)
{
	struct moment m;
	uint64_t i;

	for (i = first; i < first + n; i++) {
		m.pid = (uint32_t)(1000 + i % pids);
		m.time = i * STEP + STEP / 2;
		write_sample(0x400100, &m);
	}
	for (i = first; i < first + n; i++) {
		m.pid = (uint32_t)(1000 + i % pids);
		m.time = i * STEP;
		start_process(i, &m, jit);
		m.time = i * STEP + STEP * 6 / 10;
		write_sample(base_of(i, 1) + 0x100, &m);
		m.time = (i + BATCH / 2) * STEP;
		write_task(EXIT, 1, &m);
	}
	write_record(ROUND, 0);
}

/* The attribute of a software clock: see perf_event_open(2). */
static void
write_recording(uint64_t n, uint64_t pids, bool jit)
{
	static const uint64_t size = 16;
	uint64_t i;

	fwrite("PERFILE2", 1, 8, stdout);
	fwrite(&size, sizeof(size), 1, stdout);
	put(1, 4);
	put(128, 4);
	put(0, 8);
	put(1, 8);
	put(0x147, 8); /* samples: address, thread, time, event, period */
	put(0, 8);
	put(0x4040000, 8); /* sample_id_all, context_switch */
	memset(body.bytes + body.len, 0, 80);
	body.len += 80;
	put(1, 8);
	write_record(64, 0);
	for (i = 0; i < n; i += BATCH)
		write_batch(i, n - i < BATCH ? n - i : BATCH, pids, jit);
}

static void
write_tasks(uint64_t n)
{
	write_recording(n, UINT32_MAX - 1000, false);
}

static void
write_reused(uint64_t n)
{
	write_recording(n, 2 * BATCH, false);
}

static void
write_jits(uint64_t n)
{
	write_recording(n, UINT32_MAX - 1000, true);
}

int
main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*write)(uint64_t n);
	} kinds[] = { { "perf", write_perf },     { "samples", write_samples },
		      { "stacks", write_stacks }, { "deep", write_deep },
		      { "names", write_names },   { "threads", write_threads },
		      { "tasks", write_tasks },   { "reused", write_reused },
		      { "jits", write_jits } };
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		kinds[i].write(strtoull(argv[2], NULL, 10));
		if (ferror(stdout) || fclose(stdout) != 0)
			err(2, "standard output");
		return 0;
	}
	errx(2, "usage: plenty KIND N; see plenty.c");
}
