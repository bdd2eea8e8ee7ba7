/*
 * mkperf - a recording of perf, as through a pipe, out of lines of text.
 *
 *	usage: mkperf <TEXT
 *
 * A line is a record: its type, its misc, and its fields, each SIZE:NUMBER or
 * SIZE:'TEXT without blanks, padded to SIZE bytes with NULs.  Numbers are of
 * the byte order of this machine.  What begins with # is a comment.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 8, MAX_BODY = UINT16_MAX - HEADER };

static unsigned char body[MAX_BODY];
static size_t used;

static void
add_field(char *word)
{
	char *value, *end;
	unsigned long size = strtoul(word, &value, 10);
	uint64_t n;

	if (*value++ != ':' || size > sizeof(body) - used)
		errx(2, "what is %s", word);
	memset(body + used, 0, size);
	if (*value == '\'') {
		if (strlen(value + 1) > size)
			errx(2, "too long: %s", word);
		memcpy(body + used, value + 1, strlen(value + 1));
	} else {
		n = strtoull(value, &end, 0);
		if (*end != '\0')
			errx(2, "what is %s", word);
		memcpy(body + used, &n, size < sizeof(n) ? size : sizeof(n));
	}
	used += size;
}

static void
write_record(char *line)
{
	char *word = strtok(line, " \t\n"), *misc = strtok(NULL, " \t\n");
	uint32_t type;
	uint16_t half[2];

	if (word == NULL || *word == '#')
		return;
	if (misc == NULL)
		errx(2, "no misc: %s", word);
	type = (uint32_t)strtoul(word, NULL, 0);
	used = 0;
	while ((word = strtok(NULL, " \t\n")) != NULL)
		add_field(word);
	half[0] = (uint16_t)strtoul(misc, NULL, 0);
	half[1] = (uint16_t)(HEADER + used);
	fwrite(&type, sizeof(type), 1, stdout);
	fwrite(half, sizeof(half), 1, stdout);
	fwrite(body, 1, used, stdout);
}

int
main(void)
{
	static const uint64_t size = 16;
	char *line = NULL;
	size_t cap = 0;

	fwrite("PERFILE2", 1, 8, stdout);
	fwrite(&size, sizeof(size), 1, stdout);
	while (getline(&line, &cap, stdin) > 0)
		write_record(line);
	free(line);
	if (fclose(stdout) != 0)
		err(2, NULL);
	return 0;
}
