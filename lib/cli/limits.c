/* limits.c - resource limits of a command, against hostile input. */
#include "cli/limits.h"

#include "base/mem.h"
#include "io/input.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Names of limits, and whether their values are numbers of bytes. */
static const struct limit_name {
	const char *name;
	size_t at; /* in struct limits */
	bool is_size;
} names[] = {
	{ "line", offsetof(struct limits, line), true },
	{ "ratio", offsetof(struct limits, ratio), false },
	{ "memory", offsetof(struct limits, memory), true },
	{ "time", offsetof(struct limits, time), false },
};

struct limits
limits_default(void)
{
	return (struct limits){ .line = UINT64_C(64) << 20, .ratio = 1000 };
}

static bool
parse_value(struct str s, bool is_size, uint64_t *value)
{
	if (str_eq(s, STR("none"))) {
		*value = 0;
		return true;
	}
	return (is_size ? str_size(s, value) : str_u64(s, value)) && *value > 0;
}

static bool
parse_one(struct limits *l, struct str name, struct str value)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(name, str_of(names[i].name)))
			return parse_value(
			    value, names[i].is_size,
			    (uint64_t *)(void *)((char *)l + names[i].at));
	return false;
}

bool
limits_parse(struct limits *l, const char *list)
{
	struct str rest = str_of(list), value, name;

	while (rest.len > 0) {
		value = str_cut(&rest, ',');
		name = str_cut(&value, '=');
		if (!parse_one(l, name, value))
			return false;
	}
	return true;
}

static void
on_time(int sig)
{
	static const char message[] =
	    ": the input takes more CPU time than --limits time= allows\n";

	(void)sig;
	if (write(2, program_invocation_short_name,
		  strlen(program_invocation_short_name)) < 0 ||
	    write(2, message, sizeof(message) - 1) < 0)
		_exit(2);
	_exit(2);
}

/* The limits of the kernel that were in force before ours. */
static struct rlimit old_time, old_memory;
static bool has_time, has_memory;

static void
limit_time(uint64_t seconds)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) != 0 || seconds >= limit.rlim_cur)
		return;
	old_time = limit;
	has_time = true;
	signal(SIGXCPU, on_time);
	limit.rlim_cur = (rlim_t)seconds;
	setrlimit(RLIMIT_CPU, &limit);
}

void
limits_set(const struct limits *l)
{
	input_set_limits(l->line, l->ratio);
	if (l->memory > 0) {
		has_memory = getrlimit(RLIMIT_DATA, &old_memory) == 0;
		mem_set_limit(l->memory);
	}
	if (l->time > 0)
		limit_time(l->time);
}

void
limits_lift(void)
{
	if (has_memory)
		setrlimit(RLIMIT_DATA, &old_memory);
	if (has_time)
		setrlimit(RLIMIT_CPU, &old_time);
}
