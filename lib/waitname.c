/* waitname.c - what a thread does while no sample says it. */
#include "waitname.h"

/* Bits of the kernel's state of a task. */
enum {
	STATE_SLEEPS = 1 << 0,
	STATE_DISK = 1 << 1,
	STATE_STOPPED = 1 << 2 | 1 << 3 /* or traced */
};

/* The system call that a function of the kernel begins with; or empty. */
static struct str
call_of(struct str name)
{
	static const char *const before[] = {
		"__x64_sys_",          "__arm64_sys_",
		"__ia32_compat_sys_",  "__ia32_sys_",
		"__arm64_compat_sys_", "__se_sys_",
		"__do_sys_",           "SyS_"
	};
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		if (str_starts(name, str_of(before[i])))
			return str_skip(name, strlen(before[i]));
	}
	return STR("");
}

static struct str
find_call(const struct callstack *stack)
{
	const struct code *code;
	struct str call = STR("");
	size_t i;

	for (i = 0; stack != NULL && i < stack->n && call.len == 0; i++) {
		code = stack->frame[i].code;
		if (code->kind == CODE_KERNEL)
			call = call_of(code->name);
	}
	return call;
}

/* What a thread waits for, as far as its stack and its state tell. */
static struct str
find_wait(const struct span *span)
{
	struct str call = find_call(span->stack);

	if (span->state & STATE_STOPPED)
		return STR("stopped");
	if (call.len > 0)
		return call;
	if (span->state & STATE_DISK)
		return STR("uninterruptible");
	if (span->state & STATE_SLEEPS)
		return STR("sleeping");
	return STR("waiting");
}

struct str
waitname(const struct span *span)
{
	switch (span->kind) {
	case SPAN_RUNNABLE:
		return STR("runqueue");
	case SPAN_RAN:
		return STR("running");
	case SPAN_UNKNOWN:
		return STR("unknown");
	case SPAN_WAIT:
		break;
	}
	return find_wait(span);
}
