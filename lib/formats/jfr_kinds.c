/* jfr_kinds.c - events of Flight Recorder that have stacks. */
#include "formats/jfr_kinds.h"

const struct jfr_kind_of_event jfr_kinds[] = {
	{ "jdk.CPUTimeSample", "eventThread", "samplingPeriod", NULL },
	{ "jdk.ExecutionSample", "sampledThread", NULL, NULL },
	{ "profiler.WallClockSample", "sampledThread", "samples", NULL },
	{ "jdk.ObjectAllocationSample", "eventThread", "weight",
	  "objectClass" },
	{ "jdk.ObjectAllocationInNewTLAB", "eventThread", "tlabSize",
	  "objectClass" },
	{ "jdk.ObjectAllocationOutsideTLAB", "eventThread", "allocationSize",
	  "objectClass" },
	{ "profiler.LiveObject", "eventThread", "allocationSize",
	  "objectClass" },
	{ "profiler.Malloc", "eventThread", "size", NULL },
	{ "jdk.JavaMonitorEnter", "eventThread", "duration", "monitorClass" },
	{ "jdk.ThreadPark", "eventThread", "duration", "parkedClass" },
	{ "jdk.JavaMonitorWait", "eventThread", "duration", "monitorClass" },
	{ "jdk.ThreadSleep", "eventThread", "duration", NULL },
	{ "jdk.SocketRead", "eventThread", "duration", NULL },
	{ "jdk.SocketWrite", "eventThread", "duration", NULL },
	{ "jdk.FileRead", "eventThread", "duration", NULL },
	{ "jdk.FileWrite", "eventThread", "duration", NULL },
	{ "jdk.FileForce", "eventThread", "duration", NULL },
	{ "jdk.VirtualThreadPinned", "eventThread", "duration", NULL },
	{ "jdk.SafepointLatency", "eventThread", "duration", NULL },
	{ "jdk.MethodTrace", "eventThread", "duration", NULL },
	{ "profiler.NativeLock", "eventThread", "duration", NULL },
	/* threads in native code, most of which wait: not CPU time */
	{ "jdk.NativeMethodSample", "sampledThread", NULL, NULL },
	{ NULL, "eventThread", NULL, NULL }
};

const struct jfr_kind_of_event *
jfr_kinds_find(struct str event)
{
	const struct jfr_kind_of_event *kind = jfr_kinds;

	while (kind->name != NULL && !str_eq(event, str_of(kind->name)))
		kind++;
	return kind;
}

enum frame_kind
jfr_kinds_frame(struct str type)
{
	static const struct {
		const char *name;
		enum frame_kind kind;
	} kinds[] = {
		{ "Interpreted", FRAME_INTERP }, { "JIT compiled", FRAME_JIT },
		{ "Inlined", FRAME_INLINE },     { "Kernel", FRAME_KERNEL },
		{ "C1 compiled", FRAME_LOWJIT },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (str_eq(type, str_of(kinds[i].name)))
			return kinds[i].kind;
	}
	return FRAME_USER;
}

static void
put_dotted(struct buf *text, struct str name)
{
	size_t i;

	/* a part of a package does not begin with a digit, an address does */
	for (i = 0; i < name.len; i++)
		buf_char(text, name.p[i] == '/' && i + 1 < name.len &&
				       !str_isdigit(name.p[i + 1]) ?
				   '.' :
				   name.p[i]);
}

static struct str
primitive(char c)
{
	switch (c) {
	case 'B':
		return STR("byte");
	case 'C':
		return STR("char");
	case 'D':
		return STR("double");
	case 'F':
		return STR("float");
	case 'I':
		return STR("int");
	case 'J':
		return STR("long");
	case 'S':
		return STR("short");
	case 'Z':
		return STR("boolean");
	}
	return STR("");
}

/* Append the type at the start of a descriptor, and return what follows. */
static struct str
put_type(struct buf *text, struct str descriptor)
{
	size_t dimensions = 0;
	struct str name;

	while (str_starts(descriptor, STR("["))) {
		descriptor = str_skip(descriptor, 1);
		dimensions++;
	}
	if (str_starts(descriptor, STR("L"))) {
		name = str_skip(str_cut(&descriptor, ';'), 1);
		put_dotted(text, name);
	} else {
		if (descriptor.len > 0)
			buf_str(text, primitive(*descriptor.p));
		descriptor = str_skip(descriptor, 1);
	}
	for (; dimensions > 0; dimensions--)
		buf_str(text, STR("[]"));
	return descriptor;
}

void
jfr_kinds_class(struct buf *text, struct str name)
{
	if (str_starts(name, STR("[")))
		put_type(text, name);
	else
		put_dotted(text, name);
}

/* Where the address of a hidden class begins: "+0x", "/0x", ".0x"; or NULL. */
static char *
find_address(char *p, const char *end)
{
	for (; end - p > 3; p++) {
		if ((*p == '+' || *p == '/' || *p == '.') && p[1] == '0' &&
		    p[2] == 'x')
			return p;
	}
	return NULL;
}

void
jfr_kinds_owner(struct buf *text, size_t from)
{
	char *p, *end, *address;

	if (text->len <= from)
		return;
	p = text->p + from;
	end = text->p + text->len;
	address = find_address(p, end);
	if (address != NULL)
		end = address;
	for (; p < end; p++) {
		if (*p == '.')
			*p = '/';
	}
	if (address == NULL)
		return;
	*address = '+';
	/* JDK 17 appends a hash of the class: "+0x0800c03000/1853205005". */
	for (p = address + 3; p < text->p + text->len; p++) {
		if (*p == '/' || *p == '.')
			break;
	}
	text->len = (size_t)(p - text->p);
}

void
jfr_kinds_arguments(struct buf *text, struct str descriptor)
{
	const char *sep = "";

	if (!str_starts(descriptor, STR("(")))
		return;
	descriptor = str_skip(descriptor, 1);
	buf_char(text, '(');
	while (descriptor.len > 0 && *descriptor.p != ')') {
		buf_str(text, str_of(sep));
		descriptor = put_type(text, descriptor);
		sep = ", ";
	}
	buf_char(text, ')');
}
