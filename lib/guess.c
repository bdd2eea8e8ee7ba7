/* guess.c - which of the formats that we read a file is in. */
#include "guess.h"

#include "foldline.h"
#include "guessline.h"
#include "json.h"
#include "mojo.h"
#include "perfline.h"
#include "pprof.h"

/* Where the keys of JSON are looked for. */
#define HEAD 4096

static struct str
head(struct str s)
{
	return (struct str){ s.p, s.len < HEAD ? s.len : HEAD };
}

static bool
has(struct str s, const char *what)
{
	return str_search(head(s), str_of(what)) != NULL;
}

/* Whether it may be JSON that begins so. */
static bool
is_json(struct str s, char bracket)
{
	if (str_starts(s, JSON_MARK))
		s = str_skip(s, JSON_MARK.len);
	while (s.len > 0 && str_find(STR(" \t\r\n"), *s.p) != NULL)
		s = str_skip(s, 1);
	return s.len > 0 && *s.p == bracket;
}

/* Whether an object has a key, which is given with its quotes. */
static bool
has_key(struct str s, const char *key)
{
	struct str rest = head(s);
	const char *p;

	while ((p = str_search(rest, str_of(key))) != NULL) {
		rest = str_range(p + strlen(key), rest.p + rest.len);
		if (str_starts(str_trim(rest), STR(":")))
			return true;
	}
	return false;
}

static bool
is_perf_data(struct str s)
{
	return str_starts(s, STR("PERFILE2")) || str_starts(s, STR("2ELIFREP"));
}

/* "     15 leaf,caller,main", as uniq -c counts. */
static bool
is_counted(struct str line)
{
	struct str rest = str_trim(line);
	uint64_t n;

	return str_starts(line, STR("  ")) &&
	       str_u64(str_cut(&rest, ' '), &n) && rest.len > 0 &&
	       *rest.p != ' ' && str_find(rest, ',') != NULL;
}

/* Of stacksample, or the first lines, below the date, of its kind. */
static bool
is_pmp(struct str s)
{
	struct str line;
	int lines;

	if (str_starts(s, STR("#stacksample=")))
		return true;
	for (lines = 0; s.len > 0 && lines < 20; lines++) {
		line = str_cut(&s, '\n');
		if (is_counted(line) || str_starts(line, STR("ip = ")) ||
		    str_ends(line, STR(": Gathering stack traces..")) ||
		    str_starts(line, STR("#01  0x")) ||
		    str_starts(line, STR("Target process suspended ")) ||
		    (str_starts(line, STR("<")) &&
		     str_search(line, STR("> (/")) != NULL &&
		     str_ends(str_rtrim(line), STR(")"))) ||
		    (str_starts(line, STR("Thread: ")) &&
		     str_ends(str_rtrim(line), STR(" samples"))))
			return true;
	}
	return false;
}

/* "55f2c6ab5183 leaf+0x1a (/bin/a)" */
static bool
is_perf_frame(struct str frame)
{
	uint64_t n;

	return str_hex(str_cut(&frame, ' '), &n) && frame.len > 0;
}

/*
 * "comm 123 [000] 4.5: 1 event:", and a frame below it or, where there are
 * no stacks, behind it.  Above it may be samples that have none, and more of
 * other records than are looked at.
 */
static bool
is_perf_text(struct str s)
{
	const struct str record = STR("PERF_RECORD_");
	struct perfline_head head;
	struct str line;

	do {
		if (!perfline_head(guessline_first(&s), &head))
			return false;
		line = s;
		line = str_cut(&line, '\n');
		if ((str_starts(line, STR("\t")) ||
		     str_starts(line, STR(" "))) &&
		    is_perf_frame(str_trim(line)))
			return true;
		if (head.has_time && (is_perf_frame(head.rest) ||
				      str_starts(head.event, record) ||
				      str_starts(head.rest, record)))
			return true;
	} while (head.has_time);
	return false;
}

static bool
is_speedscope(struct str s)
{
	return is_json(s, '{') &&
	       (has(s, "speedscope.app/file-format-schema.json") ||
		(has_key(s, "\"profiles\"") &&
		 (has(s, "speedscope") || has_key(s, "\"shared\""))));
}

/*
 * An object with a list of events, or just the list.  DevTools writes before
 * it what else it knows, which may be the source of a whole site.
 */
static bool
is_chrome(struct str s)
{
	return (is_json(s, '{') &&
		(has_key(s, "\"traceEvents\"") ||
		 (has_key(s, "\"metadata\"") && has(s, "\"DevTools\"")))) ||
	       (is_json(s, '[') && has_key(s, "\"ph\"") &&
		has_key(s, "\"pid\""));
}

/* The log of --prof, or a profile; parts of one may be trace events. */
static bool
is_v8(struct str s)
{
	return str_starts(s, STR("v8-version,")) ||
	       (is_json(s, '{') && has_key(s, "\"callFrame\"") &&
		(has_key(s, "\"nodes\"") || has_key(s, "\"selfSize\"")) &&
		!is_chrome(s));
}

/* The profiles of Tarantool's LuaJIT have their kind behind the symbols. */
static bool
is_luajit(struct str s, struct str magic)
{
	return str_starts(s, STR("ljs")) && str_search(s, magic) != NULL;
}

static bool
is_sysprof(struct str s)
{
	return is_luajit(s, STR("\x80ljp"));
}

static bool
is_memprof(struct str s)
{
	return is_luajit(s, STR("\x80ljm"));
}

/* Both of these begin with words 0, 3, 0 of four or eight bytes. */
static size_t
word_size(struct str s)
{
	static const char wide[16] = { [8] = 3 }, narrow[8] = { [4] = 3 };

	if (s.len > 5 * 8 + 8 && memcmp(s.p, wide, sizeof(wide)) == 0)
		return 8;
	if (s.len > 5 * 4 + 4 && memcmp(s.p, narrow, sizeof(narrow)) == 0)
		return 4;
	return 0;
}

/* Behind five words, a header with a version, or the mark of an old one. */
static bool
is_vmprof(struct str s)
{
	size_t word = word_size(s);
	const char *p = s.p + 5 * word;

	return word > 0 && ((p[0] == 5 && p[1] == 0 && p[2] != 0) ||
			    (p[0] == 4 && p[1] != 0));
}

/* Behind five words the count and the depth of a stack, both small. */
static bool
is_gperftools(struct str s)
{
	size_t word = word_size(s);
	const char *p = s.p + 5 * word;

	return word > 0 && !is_vmprof(s) && p[word - 1] == 0;
}

static bool
is_stackprof(struct str s)
{
	return is_json(s, '{') && has_key(s, "\"gc_samples\"");
}

/* The report of +RTS -p, or the JSON of -pj. */
static bool
is_ghcprof(struct str s)
{
	return (has(s, " Profiling Report  (") && has(s, "\nCOST CENTRE")) ||
	       (is_json(s, '{') && has_key(s, "\"rts_arguments\""));
}

/* Or what people are to read, so that the reader tells them what to set. */
static bool
is_xdebug(struct str s)
{
	return str_starts(s, STR("TRACE START [")) ||
	       (str_starts(s, STR("Version: ")) && has(s, "\nTRACE START"));
}

/* The pid and the time, of Thread.dump_to_file, and threads: "#3 "main" ...".
 */
static bool
is_java_file(struct str s)
{
	struct str rest = head(s), pid = str_without_cr(str_cut(&rest, '\n')),
		   time = str_without_cr(str_cut(&rest, '\n'));
	uint64_t n;

	return str_u64(pid, &n) && str_find(time, 'T') != NULL &&
	       str_ends(time, STR("Z")) && has(rest, "\n#");
}

static bool
is_jstack(struct str s)
{
	/* the second is of jhsdb */
	return has(s, "Full thread dump ") || has(s, "Deadlock Detection:") ||
	       is_java_file(s);
}

/*
 * The leaf of a backtrace, "#0  f (n=5) at a.c:7" or "frame #0: 0x7f a`f";
 * or of one of Python.
 */
static bool
is_gdb(struct str s)
{
	struct str line;

	while (s.len > 0) {
		line = str_trim(str_cut(&s, '\n'));
		if (str_starts(line, STR("* ")))
			line = str_trim(str_skip(line, 1));
		if (str_starts(line, STR("#0  ")) ||
		    str_starts(line, STR("frame #0: 0x")) ||
		    str_starts(line,
			       STR("Traceback (most recent call first):")))
			return true;
	}
	return false;
}

static bool
is_faulthandler(struct str s)
{
	return has(s, " (most recent call first") && !is_gdb(s);
}

static bool
is_callgrind(struct str s)
{
	return str_starts(s, STR("# callgrind format")) ||
	       (has(s, "\nevents: ") && has(s, "\nfn="));
}

/* A map of bpftrace with a key that goes over lines. */
static bool
is_bpftrace(struct str s)
{
	struct str rest = head(s), line;

	while (rest.len > 0) {
		line = str_rtrim(str_cut(&rest, '\n'));
		if (str_starts(line, STR("@")) &&
		    (str_ends(line, STR("[")) || str_ends(line, STR(","))))
			return true;
	}
	return false;
}

/* Frames of a tracer, and a number below them, perhaps far behind keys. */
static bool
is_column(struct str s, struct str mark)
{
	struct str rest = head(s), line, keys;
	bool any = false;
	uint64_t n;

	while (rest.len > 0) {
		keys = line = str_trim(str_cut(&rest, '\n'));
		if (any && str_u64(foldline_word(&keys), &n) &&
		    (keys.len == 0 || keys.len + 18 <= line.len))
			return true;
		any |= str_search(line, mark) != NULL;
	}
	return false;
}

static bool
is_dtrace(struct str s)
{
	return is_column(s, STR("`")) && !is_gdb(s);
}

static bool
is_stap(struct str s)
{
	return str_starts(str_trim(head(s)), STR("0x")) &&
	       is_column(s, STR(" : "));
}

/* A reader that wants to be guessed is a line here. */
static const struct {
	const char *reader;
	bool (*is)(struct str begin);
} formats[] = {
	{ "stackcollapse-perf", is_perf_data },
	{ "stackcollapse-perf", is_perf_text },
	{ "stackcollapse-pmp", is_pmp },
	{ "stackcollapse-gdb", is_gdb },
	{ "stackcollapse-pprof", pprof_begins },
	{ "stackcollapse-v8", is_v8 },
	{ "stackcollapse-speedscope", is_speedscope },
	{ "stackcollapse-chrome", is_chrome },
	{ "stackcollapse-sysprof", is_sysprof },
	{ "stackcollapse-memprof", is_memprof },
	{ "stackcollapse-vmprof", is_vmprof },
	{ "stackcollapse-ghcprof", is_ghcprof },
	{ "stackcollapse-gperftools", is_gperftools },
	{ "stackcollapse-typhon", guessline_typhon },
	{ "stackcollapse-austin", guessline_austin },
	{ "stackcollapse-austin", mojo_begins },
	{ "stackcollapse-stackprof", is_stackprof },
	{ "stackcollapse-xdebug", is_xdebug },
	{ "stackcollapse-jstack", is_jstack },
	{ "stackcollapse-faulthandler", is_faulthandler },
	{ "stackcollapse-bpftrace", is_bpftrace },
	{ "stackcollapse-callgrind", is_callgrind },
	{ "stackcollapse-luajit", guessline_luajit },
	{ "stackcollapse-dtrace", is_dtrace },
	{ "stackcollapse-stap", is_stap },
	{ "foldmerge", guessline_folded },
};

const char *
guess_reader(struct str begin, const char **other)
{
	const char *reader = NULL;
	size_t i;

	*other = NULL;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (!formats[i].is(begin))
			continue;
		if (reader != NULL && strcmp(reader, formats[i].reader) != 0) {
			*other = formats[i].reader;
			return NULL;
		}
		reader = formats[i].reader;
	}
	return reader;
}
