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
 */
#include <err.h>
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

int
main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*write)(uint64_t n);
	} kinds[] = {
		{ "perf", write_perf },     { "samples", write_samples },
		{ "stacks", write_stacks }, { "deep", write_deep },
		{ "names", write_names },   { "threads", write_threads }
	};
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
