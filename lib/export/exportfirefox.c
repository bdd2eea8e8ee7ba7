/*
 * exportfirefox.c - processed profiles of the Firefox Profiler.
 *
 * src/types/profile.ts of firefox-devtools/profiler describes the format, and
 * docs-developer/CHANGELOG-formats.md its versions.  This is version 60, the
 * first whose tables are shared by all threads; later Profilers read it.
 */
#include "export/exportfirefox.h"

#include "base/mem.h"
#include "export/exportread.h"
#include "export/exporttext.h"
#include "folded/label.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORMAT_VERSION "60"

/* Categories of frames, by suffix.  The first, grey, is for unknown frames. */
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
	struct export_profile *e;
	struct buf out;
	struct intern *functions;              /* their names */
	uint32_t *function, *category, *depth; /* by name of the frame */
	uint32_t threads;                      /* written so far */
	uint64_t samples;                      /* of the current thread */
	struct exporttext_column times, weights;
	struct count clock; /* sum of the weights so far, as a time */
};

static void
put(struct firefox *f, const char *text)
{
	buf_str(&f->out, str_of(text));
}

/* Put "key":[ for a column; put_next() goes before each element. */
static void
begin_column(struct firefox *f, const char *key)
{
	buf_printf(&f->out, "\"%s\":[", key);
}

static void
put_next(struct firefox *f, uint64_t i)
{
	exporttext_flush(f->e, &f->out);
	if (i > 0)
		buf_char(&f->out, ',');
}

/* Put a column of n numbers, and a comma. */
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

/* Put a column of n equal values, and a comma. */
static void
put_equal(struct firefox *f, const char *key, uint64_t n, const char *value)
{
	uint64_t i;

	begin_column(f, key);
	for (i = 0; i < n; i++) {
		put_next(f, i);
		put(f, value);
	}
	put(f, "],");
}

/*
 * The type of weights.  Times are shown as milliseconds; *places receives the
 * decimal places that takes.
 */
static const char *
weight_type(const struct export_profile *e, unsigned *places)
{
	struct str unit = exporttext_unit(e);

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

/* Put the other metadata, which the Profiler shows under "more info". */
static void
put_extra(struct firefox *f)
{
	const struct meta *meta = &f->e->meta;
	size_t i;

	put(f, "\"extra\":[{\"label\":\"foldstack\",\"entries\":[");
	for (i = 0; i < meta->n; i++) {
		put_next(f, i);
		put(f, "{\"label\":");
		label_json(&f->out, meta->entry[i].key);
		put(f, ",\"format\":\"string\",\"value\":");
		label_json(&f->out, meta->entry[i].value);
		put(f, "}");
	}
	put(f, "]}]");
}

/* Put the metadata.  Times of samples are relative to startTime. */
static void
put_meta(struct firefox *f)
{
	struct export_profile *e = f->e;
	struct str clock = meta_get(&e->meta, "clock");
	uint64_t start = e->nthreads > 0 ? e->start : 0, hz;

	put(f, "\"meta\":{\"interval\":");
	if (!meta_u64(&e->meta, "hz", &hz) || hz == 0)
		hz = 1000;
	exporttext_number(e, &f->out, count_of(1000000000 / hz), 6);
	put(f, ",\"startTime\":");
	exporttext_number(e, &f->out,
			  count_of(str_eq(clock, STR("realtime")) ? start : 0),
			  6);
	if (str_eq(clock, STR("monotonic")) && start > 0)
		buf_printf(&f->out,
			   ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":"
			   "%" PRIu64,
			   start);
	put(f, ",\"product\":");
	label_json(&f->out, e->title);
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

/* Frames with the same name but for the suffix are one function. */
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
					   exporttext_name(f->e, i, &suffix));
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
		label_json(&f->out, intern_name(f->functions, i));
	}
	put(f, "],\n\"funcTable\":{");
	begin_column(f, "name");
	for (i = 0; i < n; i++) {
		put_next(f, i);
		buf_u64(&f->out, i);
	}
	put(f, "],");
	put_equal(f, "isJS", n, "false");
	put_equal(f, "relevantForJS", n, "false");
	put_equal(f, "resource", n, "-1");
	put_equal(f, "source", n, "null");
	put_equal(f, "lineNumber", n, "null");
	put_equal(f, "columnNumber", n, "null");
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
	put_equal(f, "subcategory", n, "0");
	put_equal(f, "address", n, "-1");
	put_equal(f, "nativeSymbol", n, "null");
	put_equal(f, "innerWindowID", n, "null");
	put_equal(f, "line", n, "null");
	put_equal(f, "column", n, "null");
	buf_printf(&f->out, "\"length\":%" PRIu32 "},\n", n);
}

/* Stack i is frame i + 1 of the trie, whose frame 0 is the root. */
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
	label_json(&f->out, process);
	put(f, ",\"name\":");
	label_json(&f->out, name);
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
	exporttext_column_add(&f->times, time);
	exporttext_column_add(&f->weights, weight);
}

static void
end_thread(struct firefox *f)
{
	unsigned places;
	const char *type = weight_type(f->e, &places);

	put(f, "],\n\"time\":");
	exporttext_column_write(f->e, &f->times,
				f->e->nthreads > 0 ? 6 : places, &f->out);
	put(f, ",\n\"weight\":");
	exporttext_column_write(f->e, &f->weights, places, &f->out);
	buf_printf(&f->out, ",\"weightType\":\"%s\",\"length\":%" PRIu64 "}}",
		   type, f->samples);
}

/* Without timestamps, each stack starts when the previous one ends. */
static void
put_sums(struct firefox *f)
{
	static const char *const sides[] = { "before", "after" };
	struct export_profile *e = f->e;
	struct export_sample sample;
	int k;

	for (k = 0; k < e->counts; k++) {
		begin_thread(f, e->title,
			     e->counts == 1 ? e->title : str_of(sides[k]), k,
			     k);
		while (exportread_next(e, &sample)) {
			if (count_iszero(sample.count[k]))
				continue;
			put_sample(f, sample.stack, f->clock, sample.count[k]);
			count_add(&f->clock, sample.count[k]);
		}
		end_thread(f);
	}
}

static void
put_threads(struct firefox *f)
{
	struct export_profile *e = f->e;
	const struct export_thread *t;
	struct buf name = { 0 };
	struct export_sample sample;

	while (exportread_next(e, &sample)) {
		if (sample.thread == f->threads) {
			if (f->threads > 0)
				end_thread(f);
			name.len = 0;
			exporttext_thread_name(e, sample.thread, &name);
			t = &e->thread[sample.thread];
			begin_thread(f, intern_name(e->names, t->root_name),
				     buf_slice(&name), t->pid, t->tid);
		}
		put_sample(f, sample.stack, count_of(sample.time - e->start),
			   sample.count[0]);
	}
	end_thread(f);
	buf_free(&name);
}

static void
write_firefox(struct export_profile *e)
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

const struct export_format exportfirefox = {
	.name = "firefox",
	.summary = "a processed profile, for profiler.firefox.com",
	.order = EXPORT_BY_THREAD,
	.has_annotations = true,
	.write = write_firefox
};
