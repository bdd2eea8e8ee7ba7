/*
 * jittest - asks lib/jitdump and lib/jit, for t/jit.bats.
 *
 *	jittest records FILE	how many records of each kind there are, then
 *				what was not understood, or why it is rejected
 *	jittest at FILE [MS]	for each line "TIME PID ADDRESS" of standard
 *				input, TIME in ns or "last": the raw name, or
 *				"-"; MS are those of --grace
 *	jittest lines FILE	of each function: its number, its name, and
 *				its source lines by distance from its start
 *	jittest inlines FILE	the chain of each stretch that has inlined
 *				functions: NAME:FILE:LINE of the outermost, ...
 *	jittest write PID	a jitdump, from lines of standard input:
 *					load TIME START SIZE INDEX NAME
 *					move TIME OLD START SIZE INDEX
 *					close TIME
 *					lines TIME START [DISTANCE:LINE:FILE...]
 *					inlines TIME START [DISTANCE:CHAIN...]
 *				where CHAIN is METHOD,FILE,LINE,BCI|... from the
 *				outermost on
 *				where FILE "!" is what V8 writes at times
 *				numbers decimal, but START and OLD
 */
#include "jit/jit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int
records(const char *path)
{
	static const char *const names[] = { "LOAD", "MOVE", "DEBUG", "CLOSE",
					     "UNWIND" };
	struct buf why = { 0 };
	struct jitdump *dump = jitdump_open(path, OWNER_CHECK_ANYONE, 0, &why);
	struct jitdump_record r;
	struct str faults;
	unsigned n[5] = { 0 }, i;

	if (dump == NULL) {
		printf("reject\t%.*s\n", (int)why.len, why.p);
		buf_free(&why);
		return 0;
	}
	while (jitdump_next(dump, &r))
		n[r.id]++;
	printf(jitdump_bad(dump) > 0 ? "partial" : "ok");
	for (i = 0; i < 5; i++)
		printf("%c%s=%u", i == 0 ? '\t' : ' ', names[i], n[i]);
	faults = jitdump_faults(dump);
	printf("\t%.*s\n", (int)faults.len, faults.p);
	jitdump_close(dump);
	return 0;
}

static int
at(const char *path, const char *grace)
{
	struct jit_options options = { .mangled = true };
	struct jit *jit;
	struct jit_symbol symbol;
	struct buf why = { 0 };
	char when[32];
	int64_t pid;
	uint64_t time, address;

	options.grace = strtoull(grace, NULL, 10) * 1000000;
	jit = jit_new(&options);
	if (!jit_store_add_dump(jit_files(jit), path, &why))
		return 2;
	while (scanf("%31s %" SCNd64 " %" SCNx64, when, &pid, &address) == 3) {
		time = strcmp(when, "last") == 0 ? JIT_LAST :
						   strtoull(when, NULL, 10);
		if (jit_find(jit,
			     &(struct jit_place){ pid, time, address, false },
			     &symbol))
			printf("%.*s\n", (int)symbol.name.len, symbol.name.p);
		else
			printf("-\n");
	}
	jit_free(jit);
	buf_free(&why);
	return 0;
}

static void
print_lines(struct jitdump *dump, const struct jit_function *f)
{
	char *bytes = malloc(f->lines.len + 1);
	struct jitdump_lines lines;
	struct jitdump_line line;

	printf("%" PRIu32 "\t%.*s", f->number, (int)f->name.len, f->name.p);
	if (!jitdump_read(dump, f->lines.at, bytes, f->lines.len))
		abort();
	lines = jitdump_lines((struct str){ bytes, f->lines.len },
			      jitdump_swapped(dump), f->loaded, f->size);
	while (jitdump_line(&lines, &line))
		printf("\t%" PRId64 " %.*s:%" PRId64,
		       (int64_t)(line.address - f->loaded), (int)line.file.len,
		       line.file.p, line.line);
	printf("\n");
	free(bytes);
}

static int
lines(const char *path)
{
	const struct jit_clock clock = { 0 };
	struct buf why = { 0 };
	struct jitdump *dump = jitdump_open(path, OWNER_CHECK_ANYONE, 0, &why);
	struct jitcode *code;
	size_t i;

	if (dump == NULL)
		return 2;
	code = jitcode_read(dump, &clock);
	for (i = 0; i < jitcode_size(code); i++)
		print_lines(dump, jitcode_function(code, i));
	jitcode_free(code);
	return 0;
}

static void
print_inlines(struct jitcode *code, const struct jit_function *f)
{
	const struct jitinline *t = jitcode_inlines(code, f);
	struct jitinline_frame frame[JITINLINE_DEPTH];
	size_t i, n, k;
	struct str file;

	for (i = 0; t != NULL && i < jitinline_stretches(t); i++) {
		n = jitinline_frames(t, i, frame);
		for (k = 0; n > 1 && k < n; k++) {
			file = str_basename(frame[k].file);
			printf("%s%.*s:%.*s:%" PRId32, k == 0 ? "" : " ",
			       (int)frame[k].name.len, frame[k].name.p,
			       (int)file.len, file.p, frame[k].line);
		}
		if (n > 1)
			printf("\n");
	}
}

static int
inlines(const char *path)
{
	const struct jit_clock clock = { 0 };
	struct buf why = { 0 };
	struct jitdump *dump = jitdump_open(path, OWNER_CHECK_ANYONE, 0, &why);
	struct jitcode *code;
	size_t i;

	if (dump == NULL)
		return 2;
	code = jitcode_read(dump, &clock);
	for (i = 0; i < jitcode_size(code); i++)
		print_inlines(code, jitcode_function(code, i));
	jitcode_free(code);
	return 0;
}

/* Writing. */

static struct buf out;

static void
put(uint64_t n, size_t bytes)
{
	buf_add(&out, &n, bytes);
}

/* A prefix; the size that is not yet known is set by end_record(). */
static size_t
begin_record(unsigned id, uint64_t time, unsigned pid)
{
	size_t at = out.len;

	put(id, 4);
	put(0, 4);
	put(time, 8);
	if (id != JITDUMP_CLOSE) {
		put(pid, 4);
		put(pid, 4);
	}
	return at;
}

static void
end_record(size_t at)
{
	uint32_t size = (uint32_t)(out.len - at);

	memcpy(out.p + at + 4, &size, sizeof(size));
}

static void
write_entry(uint64_t start, struct str entry)
{
	static const char bad[] = "j\f\0\0\0\x9c\0\xff\xff\xff\xff\xff\xff\xff";
	struct str distance = str_cut(&entry, ':'), line = str_cut(&entry, ':');
	uint64_t n = 0;

	str_u64(distance, &n);
	put(start + n, 8);
	str_u64(line, &n);
	put(n, 4);
	put(0, 4);
	if (str_eq(entry, STR("!")))
		buf_add(&out, bad, sizeof(bad));
	else
		buf_str(&out, entry);
	put(0, 1);
}

/* Like V8, with zeros behind it up to a multiple of 8. */
static void
write_lines(const char *line)
{
	struct str rest = str_of(line), word;
	uint64_t time = 0, start = 0;
	size_t at, count;

	str_cut(&rest, ' ');
	str_u64(str_cut(&rest, ' '), &time);
	str_hex(str_cut(&rest, ' '), &start);
	at = out.len;
	put(JITDUMP_DEBUG, 4);
	put(0, 4);
	put(time, 8);
	put(start, 8);
	count = out.len;
	put(0, 8);
	while ((word = str_cut(&rest, ' ')).len > 0) {
		write_entry(start, word);
		out.p[count]++;
	}
	while ((out.len - at) % 8 != 0)
		put(0, 1);
	end_record(at);
}

/* Add the scopes of a chain, and its methods; nothing is merged. */
static void
add_chain(struct str chain, struct buf *methods, struct buf *scopes,
	  uint32_t *nscopes)
{
	const uint32_t none = 0;
	uint32_t scope[4] = { 0 }, i;
	struct str frame, file;
	uint64_t n = 0;

	for (i = 0; chain.len > 0; i++) {
		frame = str_cut(&chain, '|');
		buf_str(methods, str_cut(&frame, ','));
		buf_char(methods, '\0');
		file = str_cut(&frame, ',');
		buf_str(methods, file);
		buf_char(methods, '\0');
		scope[0] = i == 0 ? none : *nscopes;
		scope[1] = *nscopes;
		str_u64(str_cut(&frame, ','), &n);
		scope[3] = (uint32_t)n;
		str_u64(frame, &n);
		scope[2] = (uint32_t)n;
		buf_add(scopes, scope, sizeof(scope));
		++*nscopes;
	}
}

/*
 * A method is one of its name and file, here as in the agent, so equal ones are
 * made the first of them.
 */
static void
merge_methods(struct buf *methods, struct buf *scopes, uint32_t nscopes)
{
	struct str *text = calloc(2 * (size_t)nscopes + 1, sizeof(*text)),
		   rest = buf_slice(methods);
	uint32_t i, j, *scope = (uint32_t *)(void *)scopes->p;

	for (i = 0; i < 2 * nscopes; i++)
		text[i] = str_cut(&rest, '\0');
	for (i = 0; i < nscopes; i++) {
		for (j = 0; !str_eq(text[2 * j], text[2 * i]);)
			j++;
		scope[4 * i + 1] = j;
	}
	free(text);
}

static void
write_inlines(const char *line)
{
	struct buf methods = { 0 }, scopes = { 0 }, places = { 0 };
	struct str rest = str_of(line), word;
	uint32_t nscopes = 0, nplaces = 0, place[2];
	uint64_t time = 0, start = 0, offset = 0;
	size_t at = out.len;

	str_cut(&rest, ' ');
	str_u64(str_cut(&rest, ' '), &time);
	str_hex(str_cut(&rest, ' '), &start);
	while ((word = str_cut(&rest, ' ')).len > 0) {
		str_u64(str_cut(&word, ':'), &offset);
		add_chain(word, &methods, &scopes, &nscopes);
		place[0] = (uint32_t)offset;
		place[1] = nscopes - 1;
		buf_add(&places, place, sizeof(place));
		nplaces++;
	}
	merge_methods(&methods, &scopes, nscopes);
	put(JITDUMP_DEBUG, 4);
	put(0, 4);
	put(time, 8);
	put(start, 8);
	put(0, 8);
	buf_str(&out, STR("FOLDINL1"));
	put(nscopes, 4);
	put(nscopes, 4);
	put(nplaces, 4);
	buf_str(&out, buf_slice(&methods));
	buf_str(&out, buf_slice(&scopes));
	buf_str(&out, buf_slice(&places));
	end_record(at);
	buf_free(&methods);
	buf_free(&scopes);
	buf_free(&places);
}

static void
write_line(const char *line, unsigned pid)
{
	uint64_t time, start, old, size, index;
	int name = 0;
	size_t at, i;

	if (strncmp(line, "lines ", 6) == 0) {
		write_lines(line);
		return;
	}
	if (strncmp(line, "inlines ", 8) == 0) {
		write_inlines(line);
		return;
	}
	if (sscanf(line,
		   "load %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNu64 " %n",
		   &time, &start, &size, &index, &name) == 4) {
		at = begin_record(JITDUMP_LOAD, time, pid);
		put(start, 8);
		put(start, 8);
		put(size, 8);
		put(index, 8);
		buf_add(&out, line + name, strlen(line + name) + 1);
		for (i = 0; i < size; i++)
			put(0x90, 1);
	} else if (sscanf(line,
			  "move %" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNu64
			  " %" SCNu64,
			  &time, &old, &start, &size, &index) == 5) {
		at = begin_record(JITDUMP_MOVE, time, pid);
		put(start, 8);
		put(old, 8);
		put(start, 8);
		put(size, 8);
		put(index, 8);
	} else if (sscanf(line, "close %" SCNu64, &time) == 1) {
		at = begin_record(JITDUMP_CLOSE, time, pid);
	} else {
		abort();
	}
	end_record(at);
}

static int
write_dump(const char *number)
{
	unsigned pid = (unsigned)strtoul(number, NULL, 10);
	char line[4096];

	put(0x4a695444, 4);
	put(1, 4);
	put(40, 4);
	put(62, 4); /* x86-64 */
	put(0, 4);
	put(pid, 4);
	put(0, 8);
	put(0, 8);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		write_line(line, pid);
	}
	buf_write(&out, stdout);
	buf_free(&out);
	return 0;
}

int
main(int argc, char *argv[])
{
	if (argc == 3 && strcmp(argv[1], "records") == 0)
		return records(argv[2]);
	if (argc >= 3 && strcmp(argv[1], "at") == 0)
		return at(argv[2], argc > 3 ? argv[3] : "0");
	if (argc == 3 && strcmp(argv[1], "lines") == 0)
		return lines(argv[2]);
	if (argc == 3 && strcmp(argv[1], "inlines") == 0)
		return inlines(argv[2]);
	if (argc == 3 && strcmp(argv[1], "write") == 0)
		return write_dump(argv[2]);
	fprintf(stderr, "usage: jittest records|at|lines|inlines FILE [MS], or "
			"jittest write PID\n");
	return 2;
}
