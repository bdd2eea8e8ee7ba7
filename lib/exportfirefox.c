/*
 * exportfirefox.c - a processed profile of the Firefox Profiler.
 *
 * The format: src/types/profile.ts of firefox-devtools/profiler, and its
 * docs-developer/CHANGELOG-formats.md.  It is version 60, the first whose
 * tables are shared by all threads; later Profilers read it.
 */
#include "exporttext.h"

#include "mem.h"
#include "svgtext.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORMAT_VERSION "60"

/*
 * What a frame is, by its suffix.  The first, which is grey, is for those who
 * know nothing.
 */
static const struct {
	char suffix;
	const char *name, *color;
} categories[] = {
	{ '?', "Other", "grey" },           { '\0', "User", "yellow" },
	{ 'k', "Kernel", "orange" },        { 'j', "JIT", "green" },
	{ '1', "JIT, lower tier", "blue" }, { '0', "Interpreter", "red" },
	{ 'i', "Inlined", "lightblue" },    { 'w', "Waker", "purple" }
};
enum { CATEGORIES = sizeof(categories) / sizeof(*categories) };

struct firefox {
	struct exported *e;
	struct buf out;
	struct intern *functions;              /* by name as it is shown */
	uint32_t *function, *category, *depth; /* by frame */
	uint32_t threads;                      /* that have begun */
	uint64_t samples;                      /* of the thread, */
	struct export_column times, weights;
	struct count clock; /* what went before, where time is not known */
};

static void
put(struct firefox *f, const char *text)
{
	buf_str(&f->out, str_of(text));
}

/* "key":[ for what is written one by one, with put_next() before each. */
static void
begin_column(struct firefox *f, const char *key)
{
	buf_printf(&f->out, "\"%s\":[", key);
}

static void
put_next(struct firefox *f, uint64_t i)
{
	export_flush(f->e, &f->out);
	if (i > 0)
		buf_char(&f->out, ',');
}

/* A column of n numbers, and a comma. */
static void
put_numbers(struct firefox *f, const char *key, const uint32_t *number,
	    uint32_t n)
{
	uint32_t i;

	begin_column(f, key);
	for (i = 0; i < n; i++) {
		put_next(f, i);
		buf_u64(&f->out, number[i]);
	}
	put(f, "],");
}

/* The same of values that are all the same. */
static void
put_same(struct firefox *f, const char *key, uint64_t n, const char *value)
{
	uint64_t i;

	begin_column(f, key);
	for (i = 0; i < n; i++) {
		put_next(f, i);
		put(f, value);
	}
	put(f, "],");
}

/* How counts are shown: as milliseconds if they are times. */
static const char *
weight_type(const struct exported *e, unsigned *places)
{
	struct str unit = export_unit(e);

	*places = str_eq(unit, STR("ns")) ? 6 : str_eq(unit, STR("us")) ? 3 : 0;
	if (*places > 0)
		return "tracing-ms";
	return str_eq(unit, STR("bytes")) ? "bytes" : "samples";
}

static uint32_t
category_of(char suffix)
{
	uint32_t i = CATEGORIES;

	while (--i > 0 && categories[i].suffix != suffix)
		continue;
	return i;
}

static void
put_categories(struct firefox *f)
{
	unsigned i;

	put(f, "\"categories\":[");
	for (i = 0; i < CATEGORIES; i++) {
		put_next(f, i);
		buf_printf(&f->out,
			   "{\"name\":\"%s\",\"color\":\"%s\","
			   "\"subcategories\":[\"Other\"]}",
			   categories[i].name, categories[i].color);
	}
	put(f, "],");
}

/* What else is known, as the Profiler shows it under "more info". */
static void
put_extra(struct firefox *f)
{
	const struct meta *meta = &f->e->meta;
	size_t i;

	put(f, "\"extra\":[{\"label\":\"foldstack\",\"entries\":[");
	for (i = 0; i < meta->n; i++) {
		put_next(f, i);
		put(f, "{\"label\":");
		svgtext_json(&f->out, meta->entry[i].key);
		put(f, ",\"format\":\"string\",\"value\":");
		svgtext_json(&f->out, meta->entry[i].value);
		put(f, "}");
	}
	put(f, "]}]");
}

/* Times of samples are from the start on. */
static void
put_meta(struct firefox *f)
{
	struct exported *e = f->e;
	struct str clock = meta_get(&e->meta, "clock");
	uint64_t start = e->nthreads > 0 ? e->start : 0, hz;

	put(f, "\"meta\":{\"interval\":");
	if (!meta_u64(&e->meta, "hz", &hz) || hz == 0)
		hz = 1000;
	export_number(e, &f->out, count_of(1000000000 / hz), 6);
	put(f, ",\"startTime\":");
	export_number(e, &f->out,
		      count_of(str_eq(clock, STR("realtime")) ? start : 0), 6);
	if (str_eq(clock, STR("monotonic")) && start > 0)
		buf_printf(&f->out,
			   ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":"
			   "%" PRIu64,
			   start);
	put(f, ",\"product\":");
	svgtext_json(&f->out, e->title);
	put(f, ",\"importedFrom\":\"foldstack " PACKAGE_VERSION "\","
	       "\"processType\":0,\"stackwalk\":1,\"version\":30,"
	       "\"preprocessedProfileVersion\":" FORMAT_VERSION ","
	       "\"symbolicated\":true,\"symbolicationNotSupported\":true,"
	       "\"usesOnlyOneStackType\":true,"
	       "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],");
	put_categories(f);
	put_extra(f);
	put(f, "},\n");
}

/* Frames of one name are one function, whatever their suffixes. */
static void
find_functions(struct firefox *f)
{
	uint32_t i, n = intern_size(f->e->names);
	char suffix;

	f->function = mem_zero(n + (size_t)1, sizeof(*f->function));
	f->category = mem_zero(n + (size_t)1, sizeof(*f->category));
	f->depth = mem_zero(n + (size_t)1, sizeof(*f->depth));
	for (i = 0; i < n; i++) {
		f->function[i] = intern_id(f->functions,
					   export_name(f->e, i, &suffix));
		f->category[i] = category_of(suffix);
		f->depth[i] = suffix == 'i';
	}
}

static void
put_functions(struct firefox *f)
{
	uint32_t i, n = intern_size(f->functions);

	begin_column(f, "stringArray");
	for (i = 0; i < n; i++) {
		put_next(f, i);
		svgtext_json(&f->out, intern_name(f->functions, i));
	}
	put(f, "],\n\"funcTable\":{");
	begin_column(f, "name");
	for (i = 0; i < n; i++) {
		put_next(f, i);
		buf_u64(&f->out, i);
	}
	put(f, "],");
	put_same(f, "isJS", n, "false");
	put_same(f, "relevantForJS", n, "false");
	put_same(f, "resource", n, "-1");
	put_same(f, "source", n, "null");
	put_same(f, "lineNumber", n, "null");
	put_same(f, "columnNumber", n, "null");
	buf_printf(&f->out, "\"length\":%" PRIu32 "},\n", n);
}

static void
put_frames(struct firefox *f)
{
	uint32_t n = intern_size(f->e->names);

	put(f, "\"frameTable\":{");
	put_numbers(f, "func", f->function, n);
	put_numbers(f, "category", f->category, n);
	put_numbers(f, "inlineDepth", f->depth, n);
	put_same(f, "subcategory", n, "0");
	put_same(f, "address", n, "-1");
	put_same(f, "nativeSymbol", n, "null");
	put_same(f, "innerWindowID", n, "null");
	put_same(f, "line", n, "null");
	put_same(f, "column", n, "null");
	buf_printf(&f->out, "\"length\":%" PRIu32 "},\n", n);
}

/* Stacks are numbered as frames of the trie are, but that has a root. */
static void
put_stacks(struct firefox *f)
{
	const struct trie_frame *frame = f->e->frame;
	uint32_t i, n = f->e->nframes;

	put(f, "\"stackTable\":{");
	begin_column(f, "frame");
	for (i = 1; i < n; i++) {
		put_next(f, i - 1);
		buf_u64(&f->out, frame[i].name);
	}
	put(f, "],");
	begin_column(f, "prefix");
	for (i = 1; i < n; i++) {
		put_next(f, i - 1);
		if (frame[i].parent == 0)
			put(f, "null");
		else
			buf_u64(&f->out, frame[i].parent - 1);
	}
	buf_printf(&f->out, "],\"length\":%" PRIu32 "},\n", n - 1);
}

static void
put_shared(struct firefox *f)
{
	put(f, "\"shared\":{");
	put_functions(f);
	put_frames(f);
	put_stacks(f);
	put(f, "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],"
	       "\"host\":[],\"type\":[]},\n"
	       "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
	       "\"address\":[],\"name\":[],\"functionSize\":[]},\n"
	       "\"sources\":{\"length\":0,\"uuid\":[],\"filename\":[]}},\n");
}

static void
begin_thread(struct firefox *f, struct str process, struct str name,
	     int64_t pid, int64_t tid)
{
	put_next(f, f->threads++);
	put(f, "\n{\"processType\":\"default\",\"processStartupTime\":0,"
	       "\"processShutdownTime\":null,\"registerTime\":0,"
	       "\"unregisterTime\":null,\"pausedRanges\":[],"
	       "\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
	       "\"startTime\":[],\"endTime\":[],\"phase\":[],"
	       "\"category\":[]},\"processName\":");
	svgtext_json(&f->out, process);
	put(f, ",\"name\":");
	svgtext_json(&f->out, name);
	buf_printf(&f->out,
		   ",\"isMainThread\":%s,\"pid\":\"%" PRId64
		   "\",\"tid\":%" PRId64 ",\n\"samples\":{",
		   pid == tid ? "true" : "false", pid < 0 ? 0 : pid,
		   tid < 0 ? 0 : tid);
	begin_column(f, "stack");
	f->samples = 0;
	f->clock = count_of(0);
}

static void
put_sample(struct firefox *f, uint32_t stack, struct count time,
	   struct count weight)
{
	put_next(f, f->samples++);
	buf_u64(&f->out, stack - 1);
	export_keep(&f->times, time);
	export_keep(&f->weights, weight);
}

static void
end_thread(struct firefox *f)
{
	unsigned places;
	const char *type = weight_type(f->e, &places);

	put(f, "],\n\"time\":");
	export_array(f->e, &f->times, f->e->nthreads > 0 ? 6 : places, &f->out);
	put(f, ",\n\"weight\":");
	export_array(f->e, &f->weights, places, &f->out);
	buf_printf(&f->out, ",\"weightType\":\"%s\",\"length\":%" PRIu64 "}}",
		   type, f->samples);
}

/* Without time, each stack begins when the one before it ends. */
static void
put_sums(struct firefox *f)
{
	static const char *const sides[] = { "before", "after" };
	struct exported *e = f->e;
	struct export_sample s;
	int k;

	for (k = 0; k < e->counts; k++) {
		begin_thread(f, e->title,
			     e->counts == 1 ? e->title : str_of(sides[k]), k,
			     k);
		while (export_next(e, &s)) {
			if (count_iszero(s.count[k]))
				continue;
			put_sample(f, s.stack, f->clock, s.count[k]);
			count_add(&f->clock, s.count[k]);
		}
		end_thread(f);
	}
}

static void
put_threads(struct firefox *f)
{
	struct exported *e = f->e;
	const struct export_thread *t;
	struct buf name = { 0 };
	struct export_sample s;

	while (export_next(e, &s)) {
		if (s.thread == f->threads) {
			if (f->threads > 0)
				end_thread(f);
			name.len = 0;
			export_thread_name(e, s.thread, &name);
			t = &e->thread[s.thread];
			begin_thread(f, intern_name(e->names, t->root_name),
				     buf_slice(&name), t->pid, t->tid);
		}
		put_sample(f, s.stack, count_of(s.time - e->start), s.count[0]);
	}
	end_thread(f);
	buf_free(&name);
}

static void
write_firefox(struct exported *e)
{
	struct firefox f = { .e = e, .functions = intern_new() };

	find_functions(&f);
	put(&f, "{");
	put_meta(&f);
	put(&f, "\"libs\":[],\n");
	put_shared(&f);
	put(&f, "\"threads\":[");
	if (e->nthreads > 0)
		put_threads(&f);
	else
		put_sums(&f);
	put(&f, "]}\n");
	buf_write(&f.out, e->out);
	buf_free(&f.out);
	intern_free(f.functions);
	free(f.function);
	free(f.category);
	free(f.depth);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.summary = "a processed profile, for profiler.firefox.com",
	.order = EXPORT_BY_THREAD,
	.annotates = true,
	.write = write_firefox
};
