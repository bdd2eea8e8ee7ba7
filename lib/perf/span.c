/* span.c - a span of a thread's time, on or off the CPU. */
#include "perf/span.h"

/* The system call that a kernel function implements; empty if none. */
static struct str
strip_prefix(struct str name)
{
	static const char *const prefix[] = {
		"__x64_sys_",          "__arm64_sys_",
		"__ia32_compat_sys_",  "__ia32_sys_",
		"__arm64_compat_sys_", "__se_sys_",
		"__do_sys_",           "SyS_"
	};
	size_t i;

	for (i = 0; i < sizeof(prefix) / sizeof(*prefix); i++) {
		if (str_starts(name, str_of(prefix[i])))
			return str_skip(name, strlen(prefix[i]));
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
			call = strip_prefix(code->name);
	}
	return call;
}

static struct str
wait_name(const struct span *span)
{
	struct str call = find_call(span->stack);

	if (span->state & SPAN_STATE_STOPPED)
		return STR("stopped");
	if (call.len > 0)
		return call;
	if (span->state & SPAN_STATE_DISK)
		return STR("uninterruptible");
	if (span->state & SPAN_STATE_SLEEPING)
		return STR("sleeping");
	return STR("waiting");
}

struct str
span_name(const struct span *span)
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
	return wait_name(span);
}
