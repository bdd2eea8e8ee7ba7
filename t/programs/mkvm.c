/*
 * mkvm - a trace as virtual machines write them, as large as is wanted.
 *
 *	usage: mkvm FORMAT MEGABYTES
 *
 * A format is the name of a collapser without stackcollapse-, or evented for
 * the other profiles of speedscope.  A trace has 3000 different stacks, of up
 *to about 60 frames, out of 1000 functions; they come in an order of no rhyme,
 * the same each time.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 1000, NODES = 3000, MAX_DEPTH = 256 };

/* The tree of calls: a stack is a node and its callers; node 0 is the root. */
static unsigned parent[NODES], function[NODES], depth[NODES];

static uint64_t wanted, written;

/* xorshift64: the same numbers on every machine. */
static unsigned
random_below(unsigned n)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x >> 16) % n;
}

static void
grow_tree(void)
{
	unsigned i;

	for (i = 1; i < NODES; i++) {
		do
			parent[i] = i - 1 - random_below((i + 1) / 2);
		while (depth[parent[i]] == MAX_DEPTH - 1);
		depth[i] = depth[parent[i]] + 1;
		function[i] = random_below(FUNCTIONS);
	}
}

static bool
enough(void)
{
	return written >= wanted;
}

static void
put(const void *bytes, size_t n)
{
	written += fwrite(bytes, 1, n, stdout);
}

static void
put_char(int c)
{
	putchar(c);
	written++;
}

#define PUT(...) (written += (uint64_t)printf(__VA_ARGS__))

static void
put_varint(uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		put_char((int)(n & 0x7f) | 0x80);
	put_char((int)n);
}

static void
put_word(uint64_t n)
{
	put(&n, sizeof(n));
}

/* Where the code of a function is. */
static uint64_t
address(unsigned f)
{
	return 0x7f0012340000 + f * 0x90;
}

/* A message of Protocol Buffers, before it is put into another. */
struct message {
	unsigned char bytes[4 * MAX_DEPTH];
	size_t n;
};

static void
add_varint(struct message *m, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		m->bytes[m->n++] = (unsigned char)(n | 0x80);
	m->bytes[m->n++] = (unsigned char)n;
}

static void
add_number(struct message *m, unsigned field, uint64_t n)
{
	add_varint(m, field << 3);
	add_varint(m, n);
}

static void
add_message(struct message *m, unsigned field, const struct message *part)
{
	add_varint(m, field << 3 | 2);
	add_varint(m, part->n);
	memcpy(m->bytes + m->n, part->bytes, part->n);
	m->n += part->n;
}

static void
put_field(unsigned field, const void *bytes, size_t n)
{
	put_varint(field << 3 | 2);
	put_varint(n);
	put(bytes, n);
}

static void
put_pprof_sample(unsigned node)
{
	struct message sample = { 0 }, part = { 0 };

	for (; node != 0; node = parent[node])
		add_varint(&part, function[node] + 1);
	add_message(&sample, 1, &part);
	part.n = 0;
	add_varint(&part, 1 + random_below(3));
	add_varint(&part, 10000000);
	add_message(&sample, 2, &part);
	put_field(2, sample.bytes, sample.n);
}

/* Strings are the types' and then the functions' names. */
static void
put_pprof(void)
{
	static const char *const types[] = { "", "samples", "count", "cpu",
					     "nanoseconds" };
	struct message m, line;
	char name[64];
	unsigned i;

	for (i = 1; i < 5; i += 2) {
		m.n = 0;
		add_number(&m, 1, i);
		add_number(&m, 2, i + 1);
		put_field(1, m.bytes, m.n);
	}
	while (!enough())
		put_pprof_sample(1 + random_below(NODES - 1));
	for (i = 0; i < FUNCTIONS; i++) {
		m.n = line.n = 0;
		add_number(&line, 1, i + 1);
		add_number(&m, 1, i + 1);
		add_number(&m, 3, address(i));
		add_message(&m, 4, &line);
		put_field(4, m.bytes, m.n);
		m.n = 0;
		add_number(&m, 1, i + 1);
		add_number(&m, 2, i + 5);
		put_field(5, m.bytes, m.n);
	}
	for (i = 0; i < 5; i++)
		put_field(6, types[i], strlen(types[i]));
	for (i = 0; i < FUNCTIONS; i++)
		put_field(
		    6, name,
		    (size_t)snprintf(name, sizeof(name), "server.handle%u", i));
}

/* The symbols of LuaJIT: functions of C. */
static void
put_ljs(char kind, char version)
{
	char head[] = { 'l', 'j', kind, version, 0, 0, 0 };
	char name[64];
	unsigned i;

	put("ljs\3\0\0\0", 7);
	for (i = 0; i < FUNCTIONS; i++) {
		put_char(1);
		put_varint(address(i));
		put_varint((uint64_t)snprintf(name, sizeof(name), "lj_%u", i));
		put(name, strlen(name));
	}
	put_char(0x80);
	put(head, sizeof(head));
}

static void
put_sysprof(void)
{
	unsigned node;

	put_ljs('p', 2);
	while (!enough()) {
		put_char(0);
		node = 1 + random_below(NODES - 1);
		for (; node != 0; node = parent[node])
			put_varint(address(function[node]));
		put_varint(0);
	}
	put_char(0x80);
}

static void
put_memprof(void)
{
	uint64_t block = 0x41000000;

	put_ljs('m', 3);
	for (; !enough(); block += 16) {
		put_char(3 << 2 | 1);
		put_varint(address(random_below(FUNCTIONS)));
		put_varint(block);
		put_varint(1 + random_below(200));
		put_char(3 << 2 | 2);
		put_varint(address(random_below(FUNCTIONS)));
		put_varint(block);
		put_varint(16);
	}
	put_char(0x80);
}

static void
put_five_words(void)
{
	put_word(0);
	put_word(3);
	put_word(0);
	put_word(10000);
	put_word(0);
}

static void
put_vmprof(void)
{
	unsigned node, i;
	char name[64];

	put_five_words();
	put("\5\0\3\7cpython", 11);
	while (!enough()) {
		put_char(1);
		put_word(1);
		node = 1 + random_below(NODES - 1);
		put_word(depth[node]);
		for (; node != 0; node = parent[node])
			put_word(address(function[node]));
		put_word(1);
	}
	for (i = 0; i < FUNCTIONS; i++) {
		put_char(2);
		put_word(address(i));
		put_word((uint64_t)snprintf(name, sizeof(name),
					    "py:f%u:%u:/srv/app.py", i, i + 1));
		put(name, strlen(name));
	}
	put_char(3);
}

static void
put_gperftools(void)
{
	unsigned node;

	put_five_words();
	while (!enough()) {
		put_word(1 + random_below(3));
		node = 1 + random_below(NODES - 1);
		put_word(depth[node]);
		for (; node != 0; node = parent[node])
			put_word(address(function[node]));
	}
	put_word(0);
	put_word(1);
	put_word(0);
	PUT("7f0012300000-7f0012400000 r-xp 00000000 00:00 7 /nowhere/prog\n");
}

static void
put_v8(void)
{
	uint64_t half;
	unsigned i, k, n = 0;

	PUT("{\"nodes\":[");
	for (i = 0; i < NODES; i++) {
		PUT("%s{\"id\":%u,\"callFrame\":{\"functionName\":\"f%u\","
		    "\"scriptId\":\"5\",\"url\":\"file:///app.js\","
		    "\"lineNumber\":%u,\"columnNumber\":2},\"hitCount\":1,"
		    "\"children\":[",
		    i == 0 ? "" : ",", i + 1, function[i], function[i]);
		for (k = i + 1, n = 0; k < NODES; k++) {
			if (parent[k] == i)
				PUT(n++ == 0 ? "%u" : ",%u", k + 1);
		}
		PUT("]}");
	}
	PUT("],\"startTime\":1000,\"endTime\":99999999999,\"samples\":[1");
	half = (wanted + written) / 2;
	for (n = 1; written < half; n++)
		PUT(",%u", 2 + random_below(NODES - 1));
	PUT("],\"timeDeltas\":[1");
	while (--n > 0)
		PUT(",%u", 100 + random_below(9000));
	PUT("]}\n");
}

/* A call and those that it makes, the last ones first; its time is returned. */
static uint64_t
put_chrome_call(uint64_t begin, unsigned level)
{
	uint64_t end = begin + 1 + random_below(100);
	unsigned i, calls = level > 5 || enough() ? 0 : random_below(6);

	for (i = 0; i < calls; i++)
		end += put_chrome_call(end, level + 1);
	PUT(",\n{\"pid\":7,\"tid\":7,\"ts\":%ju,\"dur\":%ju,\"ph\":\"X\","
	    "\"cat\":\"app\",\"name\":\"handle%u\",\"args\":{\"id\":%ju}}",
	    (uintmax_t)begin, (uintmax_t)(end - begin),
	    (level * 17 + i) % FUNCTIONS, (uintmax_t)begin);
	return end - begin;
}

static void
put_chrome(void)
{
	uint64_t now = 1000;

	PUT("{\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":7,\"name\":"
	    "\"process_name\",\"args\":{\"name\":\"app\"}}");
	while (!enough())
		now += put_chrome_call(now, 0);
	PUT("]}\n");
}

static void
put_speedscope_frames(void)
{
	unsigned i;

	PUT("{\"$schema\":\"https://www.speedscope.app/"
	    "file-format-schema.json\","
	    "\"shared\":{\"frames\":[");
	for (i = 0; i < FUNCTIONS; i++)
		PUT("%s{\"name\":\"f%u\",\"file\":\"app.py\",\"line\":%u}",
		    i == 0 ? "" : ",", i, i + 1);
	PUT("]},");
}

static void
put_stack(unsigned node)
{
	if (parent[node] != 0) {
		put_stack(parent[node]);
		put_char(',');
	}
	PUT("%u", function[node]);
}

static void
put_speedscope(void)
{
	unsigned n = 0;

	put_speedscope_frames();
	PUT("\"profiles\":[{\"type\":\"sampled\",\"name\":\"app\","
	    "\"unit\":\"seconds\",\"startValue\":0,\"endValue\":9,"
	    "\"samples\":[");
	for (; !enough(); n++) {
		PUT(n == 0 ? "[" : ",[");
		put_stack(1 + random_below(NODES - 1));
		PUT("]");
	}
	PUT("],\"weights\":[0.01");
	while (--n > 0)
		PUT(",0.01");
	PUT("]}]}\n");
}

/* A walk from leaf to leaf: what is not common to both closes and opens. */
static void
put_evented(void)
{
	unsigned open[MAX_DEPTH], n = 0, node, k, common;
	double now = 0;

	put_speedscope_frames();
	PUT("\"profiles\":[{\"type\":\"evented\",\"name\":\"app\","
	    "\"unit\":\"seconds\",\"startValue\":0,\"endValue\":9,"
	    "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0}");
	open[n++] = 0;
	while (n > 0) {
		now += 0.001;
		node = enough() ? 0 : 1 + random_below(NODES - 1);
		for (common = node; common != 0; common = parent[common]) {
			if (depth[common] < n && open[depth[common]] == common)
				break;
		}
		for (k = enough() ? 0 : depth[common] + 1; n > k;)
			PUT(",{\"type\":\"C\",\"frame\":%u,\"at\":%.3f}",
			    function[open[--n]], now);
		if (enough())
			continue;
		for (k = n = depth[node] + 1; node != common;
		     node = parent[node])
			open[--k] = node;
		for (; k < n; k++)
			PUT(",{\"type\":\"O\",\"frame\":%u,\"at\":%.3f}",
			    function[open[k]], now);
	}
	PUT("]}]}\n");
}

static void
put_stackprof(void)
{
	unsigned i, node, n;

	PUT("{\"version\":1.2,\"mode\":\"wall\",\"interval\":1000,"
	    "\"samples\":9,\"gc_samples\":0,\"frames\":{");
	for (i = 0; i < FUNCTIONS; i++)
		PUT("%s\"%ju\":{\"name\":\"App#f%u\",\"file\":\"app.rb\"}",
		    i == 0 ? "" : ",", (uintmax_t)address(i), i);
	PUT("},\"raw\":[");
	for (n = 0; !enough(); n++) {
		node = 1 + random_below(NODES - 1);
		PUT(n == 0 ? "%u" : ",%u", depth[node]);
		for (; node != 0; node = parent[node])
			PUT(",%ju", (uintmax_t)address(function[node]));
		PUT(",1");
	}
	PUT("]}\n");
}

int
main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*put)(void);
	} formats[] = { { "pprof", put_pprof },
			{ "sysprof", put_sysprof },
			{ "memprof", put_memprof },
			{ "vmprof", put_vmprof },
			{ "gperftools", put_gperftools },
			{ "v8", put_v8 },
			{ "chrome", put_chrome },
			{ "speedscope", put_speedscope },
			{ "evented", put_evented },
			{ "stackprof", put_stackprof } };
	size_t i;

	if (argc != 3)
		errx(2, "usage: mkvm FORMAT MEGABYTES");
	wanted = strtoul(argv[2], NULL, 10) * 1000000;
	grow_tree();
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(argv[1], formats[i].name) == 0)
			break;
	}
	if (i == sizeof(formats) / sizeof(*formats))
		errx(2, "no format %s", argv[1]);
	formats[i].put();
	if (fclose(stdout) != 0)
		err(2, NULL);
	return 0;
}
