/*
 * interp_golang - a Go program whose memory is hostile, as a libFuzzer target.
 *
 * The first byte chooses which pages can be read.  The rest is the memory,
 * which all addresses wrap around in; it has a list of goroutines that is
 * found, unless the second byte is 0.
 */
#include "interp_memory.h"

#include "interp/golang.h"
#include "interp/golang_find.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
check_task(void *arg, const struct interp_task *t)
{
	size_t *n = arg;
	size_t i, sum = 0;

	/* Sanitizers see whether these are in memory. */
	for (i = 0; i < t->stack.len; i++)
		sum += (unsigned char)t->stack.p[i];
	for (i = 0; i < t->wait.len; i++)
		sum += (unsigned char)t->wait.p[i];
	*n += sum > 0;
}

enum { LIST = 64, FIRST = 512, GOROUTINES = 8, STATUS = 144, LEAST = 4096 };

static void
put(unsigned char *memory, size_t at, uint64_t word)
{
	memcpy(memory + at, &word, sizeof(word));
}

/* Write what the search looks for, and leave all else as it is. */
static void
put_list(unsigned char *memory)
{
	size_t i, g;

	put(memory, 0, LIST);
	put(memory, 8, GOROUTINES);
	put(memory, 16, GOROUTINES);
	for (i = 0; i < GOROUTINES; i++) {
		g = FIRST + i * GOLANG_SIZE;
		put(memory, LIST + i * 8, g);
		put(memory, g + GOLANG_SELF, g);
		put(memory, g + GOLANG_STACK_LOW, 0);
		put(memory, g + STATUS, memory[g + STATUS] % 12);
		put(memory, g + STATUS + GOLANG_ID, i + 1);
	}
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	unsigned char memory[LEAST * 2] = { 0 };
	struct interp_memory m = { memory, sizeof(memory), 0, 0 };
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = &m };
	const struct interp_range range = { 0, sizeof(memory) };
	size_t n = 0;
	const struct interp_task_receiver receiver = { check_task, &n, true };
	void *go;

	if (size < 2)
		return 0;
	m.holes = data[0];
	memcpy(memory, data + 1,
	       size - 1 < sizeof(memory) ? size - 1 : sizeof(memory));
	if (data[1] != 0)
		put_list(memory);
	go = golang_new(&range, 1);
	golang_language.report_tasks(go, &reader, NULL, 1, &receiver);
	golang_language.report_tasks(go, &reader, NULL, 2, &receiver);
	golang_language.close(go);
	return 0;
}
