/*
 * stackcollapse-v8 - fold the profiles of V8: .cpuprofile and .heapprofile of
 * node --cpu-prof and --heap-prof and of browsers, and the log of node --prof.
 *
 * Sources: the Profiler and HeapProfiler domains of the DevTools protocol, and
 * tools/tickprocessor.mjs of V8.
 */
#include "formats/v8cpu.h"
#include "formats/v8heap.h"
#include "formats/v8log.h"
#include "reader/collapse.h"

enum { OPT_TIERS = CMD_LONG, OPT_STATE };

static const struct cmd_option options[] = {
	{ "tiers", OPT_TIERS, NULL, "keep V8's tier marks ~ ^ + * of logs",
	  false },
	{ "state", OPT_STATE, NULL, "add a root frame to logs: V8's state",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

static struct v8log_options log_options;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	if (value == OPT_TIERS)
		log_options.tiers = true;
	else if (value == OPT_STATE)
		log_options.state = true;
	return value == OPT_TIERS || value == OPT_STATE;
}

/* A profile in JSON, of either kind. */
struct v8profile {
	struct input *in;
	struct sink *out;
	struct v8cpu *cpu;
	struct v8heap *heap; /* NULL if it is no .heapprofile */
};

static void
read_member(struct v8profile *p, struct json *j, struct str key)
{
	bool is_seen = str_eq(key, STR("samples"));

	if (v8cpu_member(p->cpu, j, key))
		return;
	if (str_eq(key, STR("head")) && p->heap == NULL && json_enter(j, '{')) {
		p->heap = v8heap_new(p->in, p->out);
		v8heap_head(p->heap, j);
	} else if (is_seen && p->heap != NULL) {
		v8heap_samples(p->heap, j);
	} else {
		if (is_seen || str_eq(key, STR("timeDeltas")))
			input_bad(p->in,
				  "%.*s come before the objects they refer to",
				  (int)key.len, key.p);
		json_skip(j);
	}
}

static void
read_profile(struct input *in, struct sink *out)
{
	struct v8profile p = { .in = in,
			       .out = out,
			       .cpu = v8cpu_new(in, out) };
	struct json *j = json_new(in);
	struct str key;

	in->tally->bad_unit = "sample";
	if (json_enter(j, '{')) {
		while (json_key(j, &key))
			read_member(&p, j, key);
	}
	if (json_end(j) != NULL)
		input_bad(in, "%s", json_bad(j));
	else if (!v8cpu_any(p.cpu) && p.heap == NULL)
		input_bad(in, "neither a V8 profile with samples nor a log");
	if (p.heap != NULL)
		v8heap_push(p.heap);
	v8cpu_push(p.cpu);
	json_free(j);
	v8cpu_free(p.cpu);
	if (p.heap != NULL)
		v8heap_free(p.heap);
}

static void
read_v8(struct input *in, struct sink *out)
{
	struct str begin = input_peek(in, 256);

	if (begin.len == 0)
		return;
	if (str_starts(begin, STR("v8-version,")))
		v8log_read(in, out, &log_options);
	else
		read_profile(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .spills = true };
	static const struct reader v8 = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of V8, or the log of --prof.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_v8
	};

	return collapse_main(argc, argv, &v8);
}
