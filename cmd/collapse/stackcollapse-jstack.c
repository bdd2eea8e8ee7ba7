/*
 * stackcollapse-jstack - fold thread dumps of Java from jstack, kill -QUIT,
 * jcmd Thread.print, jcmd Thread.dump_to_file or jhsdb jstack.  Several dumps
 * in a file are added up.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "formats/jfr_kinds.h"
#include "reader/collapse.h"

#include <stdlib.h>

enum {
	OPT_STATES = CMD_LONG,
	OPT_TNAME,
	OPT_NO_TNAME,
	OPT_WITH_TID,
	OPT_NO_TID,
	OPT_SLASHES
};

static const struct cmd_option options[] = {
	{ "states", OPT_STATES, NULL,
	  "show all threads, with their state as leaf frame", false },
	{ "include-tname", OPT_TNAME, NULL,
	  "add a root frame: thread name (default)", true },
	{ "no-include-tname", OPT_NO_TNAME, NULL, "omit thread names", true },
	{ "include-tid", OPT_WITH_TID, NULL,
	  "keep the number at the end of thread names", true },
	{ "no-include-tid", OPT_NO_TID, NULL, "drop that number (default)",
	  true },
	{ "slashes", OPT_SLASHES, NULL,
	  "write java/lang/Thread.run, like other readers", false },
	{ NULL, 0, NULL, NULL, false }
};

static bool with_states, with_names = true, with_numbers, with_slashes;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	switch (value) {
	case OPT_STATES:
		with_states = true;
		break;
	case OPT_TNAME:
	case OPT_NO_TNAME:
		with_names = value == OPT_TNAME;
		break;
	case OPT_WITH_TID:
	case OPT_NO_TID:
		with_numbers = value == OPT_WITH_TID;
		break;
	case OPT_SLASHES:
		with_slashes = true;
		break;
	default:
		return false;
	}
	return true;
}

/* The thread that is being read. */
struct java_thread {
	bool is_open, waits, is_nameless;
	bool in_file; /* written by Thread.dump_to_file */
	struct buf name, state;
	struct buf method; /* with slashes */
	uint32_t *token;   /* of frames, leaf first */
	size_t n, cap;
	size_t carrier; /* first frames, which called the others */
};

/* Whether a function waits, though Java calls the thread RUNNABLE. */
static bool
is_waiting(struct str function)
{
	static const char *const names[] = {
		"sun.nio.ch.Net.accept",
		"sun.nio.ch.Net.poll",
		"sun.nio.ch.Net.pollConnect",
		"sun.nio.ch.SocketDispatcher.read0",
		"sun.nio.ch.SocketDispatcher.readv0",
		"sun.nio.ch.DatagramDispatcher.read0",
		"sun.nio.ch.DatagramChannelImpl.receive0",
		"sun.nio.ch.KQueue.poll",
		"sun.nio.ch.WEPoll.wait",
		"sun.nio.ch.WindowsSelectorImpl$SubSelector.poll0",
		"java.net.PlainDatagramSocketImpl.receive0",
		/* wait for the end of a process, or for changes of files */
		"java.lang.ProcessHandleImpl.waitForProcessExit0",
		"java.lang.UNIXProcess.waitForProcessExit",
		"sun.nio.fs.LinuxWatchService.poll",
		/* threads of the VM with frames */
		"java.lang.ref.Reference.waitForReferencePendingList",
		"java.lang.VirtualThread.takeVirtualThreadListToUnblock",
		/* virtual threads that are pinned to their carriers */
		"java.lang.VirtualThread.parkOnCarrierThread",
		"java.lang.Object.wait0",
	};
	const char *socket = str_search(function, STR("Socket"));
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_eq(function, str_of(names[i])))
			return true;
	}
	return str_search(function, STR("epollWait")) != NULL ||
	       str_search(function, STR("EPoll.wait")) != NULL ||
	       str_ends(function, STR("socketAccept")) ||
	       str_ends(function, STR("socketRead0")) ||
	       (socket != NULL && str_ends(function, STR("accept0")));
}

/* "pool-1-thread" of "pool-1-thread-3" */
static struct str
without_number(struct str name)
{
	const char *p = name.p + name.len;

	while (p > name.p && str_isdigit(p[-1]))
		p--;
	if (p == name.p + name.len || p == name.p || p[-1] != '-')
		return name;
	return str_range(name.p, p - 1);
}

/* "a"b" #12 prio=5 ...: the name may contain quotes, the rest has none. */
static struct str
thread_name(struct str line)
{
	struct str name = str_skip(line, 1);
	const char *end = name.len == 0 ? NULL : memrchr(name.p, '"', name.len);

	return end == NULL ? name : str_range(name.p, end);
}

static void
begin_thread(struct java_thread *t, struct str name)
{
	t->is_open = true;
	t->waits = t->is_nameless = t->in_file = false;
	t->name.len = t->state.len = t->n = t->carrier = 0;
	buf_str(&t->name, with_numbers ? name : without_number(name));
}

static bool
is_runnable(const struct java_thread *t)
{
	return str_eq(buf_slice(&t->state), STR("RUNNABLE"));
}

/* A thread without frames is one of the VM itself. */
static bool
is_idle(const struct java_thread *t)
{
	return is_runnable(t) && (t->waits || t->n == 0);
}

static void
push_state(struct java_thread *t, struct sink *out)
{
	struct frame frame = { .whole = true };
	struct buf text = { 0 };
	size_t i;

	buf_str(&text, STR("state:"));
	if (is_idle(t))
		buf_str(&text, STR("idle"));
	for (i = 0; i < t->state.len && !is_idle(t); i++)
		buf_char(&text, t->state.p[i] >= 'A' && t->state.p[i] <= 'Z' ?
				    (char)(t->state.p[i] | 0x20) :
				    t->state.p[i]);
	frame.name = buf_slice(&text);
	sink_frame(out, &frame);
	buf_free(&text);
}

static void
end_thread(struct java_thread *t, struct input *in, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool runs = is_runnable(t) && !is_idle(t);
	struct frame name = { .name = buf_slice(&t->name), .whole = true };

	if (!t->is_open)
		return;
	t->is_open = false;
	if (t->state.len == 0 || (!runs && !with_states)) {
		in->tally->good++; /* a thread of the VM, or one that waits */
		return;
	}
	if (!sink_begin(out, &sample))
		return;
	if (with_states)
		push_state(t, out);
	if (t->n > t->carrier)
		sink_push(out, t->token + t->carrier, t->n - t->carrier);
	sink_push(out, t->token, t->carrier);
	if (with_names && !t->is_nameless)
		sink_frame(out, &name);
	sink_end(out, count_of(1));
}

/*
 * Remove "java.base/" from "java.base/java.lang.Thread.run", and "app//", the
 * name of a class loader, from "app//a.B.f".  "a.B$$Lambda/0x1b040210" is a
 * class.
 */
static struct str
without_module(struct str name)
{
	const char *end = name.p + name.len, *slash;

	while ((slash = str_find(name, '/')) != NULL && slash + 1 < end &&
	       !str_isdigit(slash[1]))
		name = str_range(slash + 1, end);
	return name;
}

/*
 * Whether a thread of Thread.dump_to_file does no work of its own: the thread
 * that writes the dump, or a carrier, whose virtual thread is in the file too.
 */
static bool
is_dump_artifact(struct str leaf)
{
	return str_eq(leaf, STR("jdk.internal.vm.ThreadSnapshot.create")) ||
	       str_eq(leaf, STR("jdk.internal.vm.Continuation.run"));
}

/* "java/lang/Thread.run" for java.lang.Thread.run */
static struct str
with_internal_class(struct java_thread *t, struct str name)
{
	const char *dot = memrchr(name.p, '.', name.len);

	if (dot == NULL)
		return name;
	t->method.len = 0;
	buf_str(&t->method, str_range(name.p, dot));
	jfr_kinds_owner(&t->method, 0);
	buf_str(&t->method, str_range(dot, name.p + name.len));
	return buf_slice(&t->method);
}

/*
 * "at java.util.TimSort.sort(java.base@17/TimSort.java:245)", or, from jhsdb,
 * "- java.util.TimSort.sort(long) @bci=5, line=245 (Interpreted frame)".
 */
static void
add_frame(struct java_thread *t, struct sink *out, struct str line)
{
	struct frame frame = { .whole = true };

	frame.name = str_trim(str_cut(&line, '('));
	if (t->in_file)
		frame.name = without_module(frame.name);
	if (t->in_file && t->n == 0)
		t->waits |= is_dump_artifact(frame.name);
	t->waits |= is_waiting(frame.name);
	if (with_slashes)
		frame.name = with_internal_class(t, frame.name);
	t->token = mem_grow(t->token, &t->cap, t->n + 1, sizeof(*t->token));
	t->token[t->n++] = sink_token(out, &frame, 0);
}

static void
set_state(struct java_thread *t, struct str state)
{
	t->state.len = 0;
	buf_str(&t->state, state);
}

/*
 * "Thread 4711: (state = IN_NATIVE)", of jstack -F before Java 9.  The state is
 * the VM's, which has one word for all waiting threads.
 */
static bool
begin_forced(struct java_thread *t, struct input *in, struct sink *out,
	     struct str line)
{
	const char *p = str_search(line, STR(": (state = "));
	struct str state;

	if (p == NULL || !str_starts(line, STR("Thread ")) ||
	    !str_ends(line, STR(")")))
		return false;
	end_thread(t, in, out);
	begin_thread(t, STR(""));
	t->is_nameless = true;
	state = str_range(p + strlen(": (state = "),
			  line.p + line.len - strlen(")"));
	set_state(t, str_starts(state, STR("IN_")) ? STR("RUNNABLE") : state);
	return true;
}

/* "#22 "virt-0" virtual WAITING 2026-11-22T17:49:15.688329414Z" */
static bool
begin_in_file(struct java_thread *t, struct input *in, struct sink *out,
	      struct str line)
{
	struct str number = line, name, rest;
	uint64_t n;

	str_cut(&number, '#');
	if (*line.p != '#' || !str_u64(str_cut(&number, ' '), &n) ||
	    number.len < 2 || *number.p != '"')
		return false;
	end_thread(t, in, out);
	name = thread_name(number);
	rest = str_trim(str_skip(number, name.len + 2));
	if (str_starts(rest, STR("virtual")))
		rest = str_trim(str_skip(rest, strlen("virtual")));
	if (rest.len == 0) {
		input_bad(in, "a thread has no state; use jcmd PID "
			      "Thread.print, because Java 25 omits it");
		return true;
	}
	begin_thread(t, name);
	t->in_file = true;
	t->is_nameless = name.len == 0;
	set_state(t, str_cut(&rest, ' '));
	return true;
}

/* Lines that only jhsdb prints, as do jstack -F and -m. */
static void
read_forced(struct java_thread *t, struct input *in, struct sink *out,
	    struct str line)
{
	if (begin_forced(t, in, out, line) || !t->is_open)
		return;
	if (str_eq(line, STR("JavaThread state: _thread_blocked")))
		t->waits = true;
	else if (str_starts(line, STR("- ")) &&
		 str_search(line, STR(" @bci=")) != NULL)
		add_frame(t, out, str_skip(line, 2));
	else if (str_starts(line, STR("0x")))
		input_bad(in, "a frame of machine code; make the dump without "
			      "--mixed and -m");
}

/*
 * A carrier has "Carrying virtual thread #16" instead of a state, and its own
 * frames.  Since Java 24 "Mounted virtual thread #16" and the frames of that
 * thread follow.
 */
static void
read_line(struct java_thread *t, struct input *in, struct sink *out,
	  struct str line)
{
	const struct str at = STR("at "),
			 state = STR("java.lang.Thread.State: ");
	struct str trimmed = str_trim(line);

	if (trimmed.len == 0) {
		end_thread(t, in, out);
	} else if (*line.p == '"') {
		end_thread(t, in, out);
		begin_thread(t, thread_name(line));
	} else if (str_starts(trimmed, state)) {
		trimmed = str_skip(trimmed, state.len);
		set_state(t, str_cut(&trimmed, ' '));
	} else if (str_starts(trimmed, STR("Carrying virtual thread #"))) {
		set_state(t, STR("RUNNABLE"));
	} else if (str_starts(trimmed, STR("Mounted virtual thread #"))) {
		t->carrier = t->n;
	} else if (begin_in_file(t, in, out, line)) {
		return;
	} else if (t->is_open && str_starts(trimmed, at)) {
		add_frame(t, out, str_skip(trimmed, at.len));
	} else {
		read_forced(t, in, out, trimmed);
	}
}

static void
read_jstack(struct input *in, struct sink *out)
{
	const uint64_t good = in->tally->good;
	struct java_thread t = { 0 };
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		read_line(&t, in, out, line);
	}
	end_thread(&t, in, out);
	if (in->tally->good == good && in->line > 0)
		input_bad(in, "not a Java thread dump");
	buf_free(&t.name);
	buf_free(&t.state);
	buf_free(&t.method);
	free(t.token);
}

int
main(int argc, char *argv[])
{
	static const struct reader jstack = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold thread dumps of Java.",
		.options = options,
		.setopt = set_option,
		.read = read_jstack
	};

	return collapse_main(argc, argv, &jstack);
}
