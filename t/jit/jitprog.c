/*
 * jitprog - a JIT: makes a function that keeps no frame pointer, logs it with
 * the rules for unwinding it in jit-PID.dump here, as perf wants it, and has
 * it call one of its own for 0.3 s, or with an argument for a minute.  x86-64
 * only.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* sub $0x108,%rsp; call *%rdi; add $0x108,%rsp; ret */
static const unsigned char code[] = { 0x48, 0x81, 0xec, 8, 1, 0, 0, 0xff, 0xd7,
				      0x48, 0x81, 0xc4, 8, 1, 0, 0, 0xc3 };

/* .eh_frame of it, 24 bytes behind its start: a CIE, an FDE, and the end. */
static const unsigned char rules[] = {
	/* zR: addresses are relative; the CFA is %rsp + 8 */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8,
	0x90, 1, 0, 0,
	/* from -56, 17 bytes; behind 7, %rsp + 0x110; behind 9, as before */
	24, 0, 0, 0, 28, 0, 0, 0, 0xc8, 0xff, 0xff, 0xff, 17, 0, 0, 0, 0, 0x47,
	14, 0x90, 2, 0x49, 14, 8, 0, 0, 0, 0,
	/* the end */
	0, 0, 0, 0
};

static volatile uint64_t sum;
static uint64_t length = 300000000;

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void
spin(void)
{
	uint64_t end = now() + length, i;

	while (now() < end)
		for (i = 0; i < 10000; i++)
			sum += i * i;
}

__attribute__((noinline)) static void
enter(void (*jitted)(void (*)(void)))
{
	jitted(spin);
	sum++;
}

static void
put(FILE *f, uint64_t n, size_t bytes)
{
	fwrite(&n, bytes, 1, f);
}

static void
put_rules(FILE *f)
{
	put(f, 4, 4);
	put(f, 16 + 24 + sizeof(rules), 4);
	put(f, now(), 8);
	put(f, sizeof(rules), 8);
	put(f, 0, 8); /* no .eh_frame_hdr */
	put(f, 0, 8);
	fwrite(rules, sizeof(rules), 1, f);
}

static void
put_code(FILE *f, const void *at)
{
	static const char name[] = "made";

	put(f, 0, 4);
	put(f, 16 + 40 + sizeof(name) + sizeof(code), 4);
	put(f, now(), 8);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uintptr_t)at, 8);
	put(f, (uintptr_t)at, 8);
	put(f, sizeof(code), 8);
	put(f, 1, 8);
	fwrite(name, sizeof(name), 1, f);
	fwrite(code, sizeof(code), 1, f);
}

int
main(int argc, char *argv[])
{
	char path[64];
	void *memory;
	FILE *f;

	(void)argv;
	if (argc > 1)
		length = UINT64_C(60000000000);
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	f = fopen(path, "w+");
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f == NULL || memory == MAP_FAILED)
		return 2;
	memcpy(memory, code, sizeof(code));
	put(f, 0x4a695444, 4);
	put(f, 1, 4);
	put(f, 40, 4);
	put(f, 62, 4);
	put(f, 0, 4);
	put(f, (uint64_t)getpid(), 4);
	put(f, now(), 8);
	put(f, 0, 8);
	fflush(f);
	/* How perf learns of the file. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f),
		 0) == MAP_FAILED)
		return 2;
	put_rules(f);
	put_code(f, memory);
	fclose(f);
	/* ISO C has no cast of data to code. */
	enter(*(void (**)(void (*)(void))) & memory);
	return 0;
}
