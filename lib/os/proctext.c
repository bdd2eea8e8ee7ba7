/* proctext.c - parse the files of processes and threads in /proc. */
#include "os/proctext.h"

/* The number in a field; spaces separate fields, and the first is 1. */
static bool
field_u64(struct str text, int field, uint64_t *n)
{
	struct str word = { NULL, 0 };

	for (; field > 0; field--) {
		if (text.len == 0)
			return false;
		word = str_cut(&text, ' ');
	}
	return str_u64(word, n);
}

static struct str
without_newline(struct str text)
{
	if (text.len > 0 && text.p[text.len - 1] == '\n')
		text.len--;
	return text;
}

bool
proctext_stat(struct str text, struct proc_stat *stat)
{
	const char *open, *close;
	struct str rest;

	text = without_newline(text);
	open = str_find(text, '(');
	/* Only the name can contain more parentheses. */
	close = text.len == 0 ? NULL : memrchr(text.p, ')', text.len);
	if (open == NULL || close == NULL || close < open)
		return false;
	stat->name = str_range(open + 1, close);
	rest = str_skip(str_range(close, text.p + text.len), 2);
	if (rest.len < 2 || rest.p[1] != ' ')
		return false;
	stat->state = rest.p[0];
	/* In proc(5) the state is field 3, here it is field 1. */
	return field_u64(rest, 18, &stat->threads) &&
	       field_u64(rest, 20, &stat->start) &&
	       field_u64(rest, 24, &stat->code) &&
	       field_u64(rest, 26, &stat->stack);
}

bool
proctext_schedstat(struct str text, struct proc_schedstat *schedstat)
{
	text = without_newline(text);
	return field_u64(text, 1, &schedstat->ran) &&
	       field_u64(text, 2, &schedstat->queued) &&
	       field_u64(text, 3, &schedstat->runs);
}

static bool
cut_0x(struct str *text, uint64_t *n)
{
	struct str word = str_cut(text, ' ');

	return str_starts(word, STR("0x")) && str_hex(str_skip(word, 2), n);
}

bool
proctext_call(struct str text, struct proc_call *call)
{
	struct str word;
	uint64_t number;
	int i;

	*call = (struct proc_call){ .number = -1 };
	text = without_newline(text);
	if (str_eq(text, STR("running"))) {
		call->running = true;
		return true;
	}
	word = str_cut(&text, ' ');
	if (!str_eq(word, STR("-1"))) {
		if (!str_u64(word, &number) || number > INT32_MAX)
			return false;
		call->number = (int64_t)number;
		for (i = 0; i < 6; i++) {
			if (!cut_0x(&text, &call->arg[i]))
				return false;
		}
	}
	return cut_0x(&text, &call->sp) && cut_0x(&text, &call->pc) &&
	       text.len == 0;
}

bool
proctext_status(struct str text, struct str key, struct str *value)
{
	struct str line;

	while (text.len > 0) {
		line = str_cut(&text, '\n');
		if (!str_eq(str_cut(&line, ':'), key))
			continue;
		*value = str_trim(line);
		return true;
	}
	return false;
}

static bool
cut_hex(struct str *line, char end, uint64_t *n)
{
	return str_hex(str_cut(line, end), n);
}

/* Linux has 12 bits for the major number and 20 for the minor number. */
static bool
cut_device(struct str *line, char end, uint32_t *n)
{
	uint64_t value;

	if (!cut_hex(line, end, &value) || value > UINT32_MAX)
		return false;
	*n = (uint32_t)value;
	return true;
}

bool
proctext_map(struct str line, struct proc_map *map)
{
	line = without_newline(line);
	if (!cut_hex(&line, '-', &map->start) ||
	    !cut_hex(&line, ' ', &map->end) || map->end <= map->start)
		return false;
	map->prot = str_cut(&line, ' ');
	if (map->prot.len != 4 || !cut_hex(&line, ' ', &map->offset) ||
	    !cut_device(&line, ':', &map->major) ||
	    !cut_device(&line, ' ', &map->minor) ||
	    !str_u64(str_cut(&line, ' '), &map->inode))
		return false;
	while (line.len > 0 && line.p[0] == ' ')
		line = str_skip(line, 1);
	map->path = line;
	return true;
}
