/* guess.c - guesses the format of a file from its first bytes. */
#include "formats/guess.h"

#include "base/count.h"
#include "codec/json.h"
#include "codec/pprof.h"
#include "formats/austin_mojo.h"
#include "formats/foldline.h"
#include "perfscript/perfframe.h"
#include "perfscript/perfline.h"

/* The part of an input that is searched for keys of JSON and the like. */
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

/* Formats of which each line, or the first, shows what it is. */

/* Cut off the first line that is neither a comment nor blank. */
static struct str
first_line(struct str *s)
{
	struct str line;

	do {
		line = str_rtrim(str_without_cr(str_cut(s, '\n')));
	} while (s->len > 0 && (line.len == 0 || *line.p == '#'));
	return line;
}

/* "Thread 7f;f (a.py);L12 42", "P12;T34;a.py:f:12 42" */
static bool
is_austin(struct str s)
{
	struct str line = first_line(&s), process = line;
	uint64_t n;

	if (line.len == 0 || !str_isdigit(line.p[line.len - 1]))
		return false;
	process = str_cut(&line, ';');
	return str_starts(process, STR("Thread ")) ||
	       str_starts(process, STR("Process ")) ||
	       (str_starts(process, STR("P")) &&
		str_u64(str_skip(process, 1), &n) &&
		str_starts(line, STR("T")));
}

/* "84%  f < main", of -jp; -jp=G prints folded text */
static bool
is_luajit_jp(struct str s)
{
	struct str line = first_line(&s), number = str_trim(line);
	bool any = str_find(line, '%') != NULL;
	uint64_t n;

	return any && str_u64(str_cut(&number, '%'), &n) && n <= 100 &&
	       str_starts(number, STR("  "));
}

/*
 * "   84  f < main", of -jp=r, in descending order.  "  <-    12  g" is a part
 * of the line above it.  The last line may be cut.
 */
static bool
is_luajit_raw(struct str s)
{
	uint64_t n, last = UINT64_MAX;
	struct str line, number;
	int lines;

	for (lines = 0; str_find(s, '\n') != NULL && lines < 100; lines++) {
		line = first_line(&s);
		number = str_trim(line);
		if (lines > 0 &&
		    (line.len == 0 || str_starts(line, STR("  <-")) ||
		     str_starts(line, STR("  ->")) ||
		     str_starts(line, STR("  --"))))
			continue;
		if (!str_u64(str_cut(&number, ' '), &n) || n > last ||
		    number.p - line.p <= (ptrdiff_t)strlen("   84") ||
		    number.len < 2 || number.p[0] != ' ' || number.p[1] == ' ')
			return false;
		last = n;
	}
	return lines > 0;
}

static bool
is_luajit(struct str s)
{
	return is_luajit_jp(s) || is_luajit_raw(s);
}

/* Whether there are bytes that text does not have. */
static bool
is_binary(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if ((unsigned char)s.p[i] < ' ' &&
		    str_find(STR("\t\r\n\f\x1b"), s.p[i]) == NULL)
			return true;
	}
	return false;
}

/* Cut the last word off, if it is a count. */
static bool
cut_count(struct str *line)
{
	const char *p = line->p + line->len;
	struct count count;
	struct str word;

	while (p > line->p && p[-1] != ' ' && p[-1] != '\t')
		p--;
	word = str_range(p, line->p + line->len);
	if (p == line->p || count_parse(word, &count) != COUNT_OK)
		return false;
	*line = str_rtrim(str_range(line->p, p));
	return true;
}

/* "main 42", a stack of one frame; other tables have numbers, or more words. */
static bool
is_lone_frame(struct str stack)
{
	return stack.len > 0 && !str_isdigit(*stack.p) &&
	       str_find(stack, ' ') == NULL && str_find(stack, '\t') == NULL;
}

/* "main;parse;read 42" in all lines; some or all may have only one frame. */
static bool
is_folded_lines(struct str s)
{
	struct str line;
	bool any = false, lone = true;
	int lines;

	if (is_binary(head(s)))
		return false;
	for (lines = 0; s.len > 0 && lines < 100; lines++) {
		/* the last line may be cut */
		if (lines > 0 && str_find(s, '\n') == NULL)
			break;
		line = first_line(&s);
		if (line.len == 0 && s.len == 0 && lines > 0)
			break; /* blank lines at the end */
		if (!cut_count(&line))
			return false;
		any |= str_find(line, ';') != NULL;
		lone &= is_lone_frame(line);
	}
	return any || (lone && lines > 0);
}

/* "name.verb/2", perhaps with " (JIT)"; "module:function/2" is Erlang. */
static bool
is_typhon_frame(struct str s)
{
	struct str name;
	uint64_t n;

	if (str_ends(s, STR(" (JIT)")))
		s.len -= strlen(" (JIT)");
	name = str_cut(&s, '/');
	return str_u64(s, &n) && str_find(name, '.') != NULL &&
	       str_find(name, ':') == NULL;
}

static bool
is_typhon(struct str s)
{
	bool is = is_folded_lines(s);
	struct str stack = first_line(&s);

	foldline_word(&stack);
	is &= stack.len > 0;
	while (is && stack.len > 0)
		is = is_typhon_frame(str_cut(&stack, ';'));
	return is;
}

/* Folded text, or a header alone; but not text that has its own reader. */
static bool
is_folded(struct str s)
{
	return (is_folded_lines(s) || str_starts(s, STR("#fold="))) &&
	       !is_typhon(s) && !is_austin(s);
}

/* Other formats. */

/* Whether s may be the start of JSON, an object or a list. */
static bool
is_json(struct str s, char bracket)
{
	if (str_starts(s, JSON_MARK))
		s = str_skip(s, JSON_MARK.len);
	while (s.len > 0 && str_find(STR(" \t\r\n"), *s.p) != NULL)
		s = str_skip(s, 1);
	return s.len > 0 && *s.p == bracket;
}

/* Whether an object has a key, given with its quotes. */
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

/* "     15 leaf,caller,main", as uniq -c prints */
static bool
is_counted(struct str line)
{
	struct str rest = str_trim(line);
	uint64_t n;

	return str_starts(line, STR("  ")) &&
	       str_u64(str_cut(&rest, ' '), &n) && rest.len > 0 &&
	       *rest.p != ' ' && str_find(rest, ',') != NULL;
}

/* A raw trace of stacksample, or the text of a poor man's profiler. */
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

/* The line of a frame: in column 0 it must have its module. */
static bool
is_perf_frame_line(struct str line)
{
	struct perfframe frame;

	if (str_starts(line, STR("\t")) || str_starts(line, STR(" ")))
		return is_perf_frame(str_trim(line));
	return perfframe_read(str_rtrim(line), true, &frame);
}

/*
 * "comm 123 [000] 4.5: 1 event:", and a frame below it or, without call chains,
 * after it.  Before that may come samples without frames, and any number of
 * other records.
 */
static bool
is_perf_text(struct str s)
{
	const struct str record = STR("PERF_RECORD_");
	struct perfline_head head;
	struct str line;

	do {
		if (!perfline_head(first_line(&s), &head))
			return false;
		line = s;
		line = str_cut(&line, '\n');
		if (is_perf_frame_line(line))
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
 * An object with a list of events, or just the list.  DevTools writes metadata
 * before the list, which may contain the source of a whole site.
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

/* The log of --prof, or a profile; trace events may contain profiles too. */
static bool
is_v8(struct str s)
{
	return str_starts(s, STR("v8-version,")) ||
	       (is_json(s, '{') && has_key(s, "\"callFrame\"") &&
		(has_key(s, "\"nodes\"") || has_key(s, "\"selfSize\"")) &&
		!is_chrome(s));
}

/* Profiles of Tarantool's LuaJIT: symbols, and then the kind of profile. */
static bool
is_tarantool(struct str s, struct str magic)
{
	return str_starts(s, STR("ljs")) && str_search(s, magic) != NULL;
}

static bool
is_sysprof(struct str s)
{
	return is_tarantool(s, STR("\x80ljp"));
}

static bool
is_memprof(struct str s)
{
	return is_tarantool(s, STR("\x80ljm"));
}

/* vmprof and gperftools begin with words 0, 3, 0 of four or eight bytes. */
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

/* After five words, a header with a version, or the mark of an old file. */
static bool
is_vmprof(struct str s)
{
	size_t word = word_size(s);
	const char *p = s.p + 5 * word;

	return word > 0 && ((p[0] == 5 && p[1] == 0 && p[2] != 0) ||
			    (p[0] == 4 && p[1] != 0));
}

/* After five words, the count and the depth of a stack, both small. */
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

/* Also the format for humans, as the reader's message says what to set. */
static bool
is_xdebug(struct str s)
{
	return str_starts(s, STR("TRACE START [")) ||
	       (str_starts(s, STR("Version: ")) && has(s, "\nTRACE START"));
}

/* A recording, or "jdk.ExecutionSample {" or JSON, as jfr print writes it. */
static bool
is_jfr(struct str s)
{
	struct str rest = s, line = str_without_cr(str_cut(&rest, '\n'));

	return str_starts(s, STR("FLR\0\0\2")) ||
	       (str_ends(line, STR(" {")) && has(s, "\n  startTime = ")) ||
	       (is_json(s, '{') && has_key(s, "\"recording\"") &&
		has_key(s, "\"events\""));
}

/* A pid and a time, as Thread.dump_to_file writes, and threads "#3 "main"". */
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
 * The leaf of a backtrace, "#0  f (n=5) at a.c:7" or "frame #0: 0x7f a`f", or
 * the start of a Python one.
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

/* A map of bpftrace with a key of several lines. */
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

/* Frames of a tracer, and a number below them, perhaps far after keys. */
static bool
is_tracer_stack(struct str s, struct str infix)
{
	struct str rest = head(s), line, keys;
	bool any = false;
	uint64_t n;

	while (rest.len > 0) {
		keys = line = str_trim(str_cut(&rest, '\n'));
		if (any && str_u64(foldline_word(&keys), &n) &&
		    (keys.len == 0 || keys.len + 18 <= line.len))
			return true;
		any |= str_search(line, infix) != NULL;
	}
	return false;
}

static bool
is_dtrace(struct str s)
{
	return is_tracer_stack(s, STR("`")) && !is_gdb(s);
}

static bool
is_stap(struct str s)
{
	return str_starts(str_trim(head(s)), STR("0x")) &&
	       is_tracer_stack(s, STR(" : "));
}

/* The formats that can be guessed: one line each. */
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
	{ "stackcollapse-typhon", is_typhon },
	{ "stackcollapse-austin", is_austin },
	{ "stackcollapse-austin", austin_mojo_begins },
	{ "stackcollapse-stackprof", is_stackprof },
	{ "stackcollapse-xdebug", is_xdebug },
	{ "stackcollapse-jfr", is_jfr },
	{ "stackcollapse-jstack", is_jstack },
	{ "stackcollapse-faulthandler", is_faulthandler },
	{ "stackcollapse-bpftrace", is_bpftrace },
	{ "stackcollapse-callgrind", is_callgrind },
	{ "stackcollapse-luajit", is_luajit },
	{ "stackcollapse-dtrace", is_dtrace },
	{ "stackcollapse-stap", is_stap },
	{ "foldmerge", is_folded },
};

#define MAGIC(lit) \
	{ \
		lit, sizeof(lit) - 1 \
	}

/*
 * What files are that no command reads, by their first bytes, and the program
 * that converts or unpacks them.
 */
static const struct {
	struct str magic;
	size_t at;
	const char *hint;
} others[] = {
	{ MAGIC("\x04\x08{"), 0,
	  "a Ruby dump, perhaps of stackprof: convert it with stackprof "
	  "--json" },
	{ MAGIC("Nettrace"), 0,
	  "a trace of .NET: convert it with dotnet-trace convert --format "
	  "Speedscope" },
	{ MAGIC("PERFFILE"), 0,
	  "perf.data of perf before 2010: convert it with its perf script" },
	{ MAGIC("\x17\x08\x44tracing"), 0,
	  "a trace of trace-cmd: record with perf record -g" },
	{ MAGIC("JAVA PROFILE 1.0"), 0,
	  "a Java heap dump, which has no stacks to count" },
	{ MAGIC("\xfd"
		"7zXZ"),
	  0, "compressed: decompress it with xz -dc" },
	{ MAGIC("BZh"), 0, "compressed: decompress it with bzip2 -dc" },
	{ MAGIC("\x04\x22\x4d\x18"), 0,
	  "compressed: decompress it with lz4 -dc" },
	{ MAGIC("PK\x03\x04"), 0, "an archive: extract it with unzip" },
	{ MAGIC("ustar"), 257, "an archive: extract it with tar -xf" },
	{ MAGIC("\x7f"
		"ELF"),
	  0, "a program, not a trace" },
	{ MAGIC("SQLite format 3"), 0, "an SQLite database" }
};

/* Whether text is SVG, perhaps after what XML files begin with. */
static bool
is_svg(struct str s)
{
	return str_starts(str_trim(head(s)), STR("<")) && has(s, "<svg");
}

const char *
guess_hint(struct str begin)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (begin.len > others[i].at &&
		    str_starts(str_skip(begin, others[i].at), others[i].magic))
			return others[i].hint;
	}
	if (is_svg(begin))
		return "a flame graph: extract its folded stacks with unflame";
	return NULL;
}

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
