/*
 * jitdump - lib/jitdump, jitcode, claims and jit as a libFuzzer target: a
 * jitdump comes in, and is asked who was at the ends of its functions, and
 * when.
 */
#include "jit/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
walk_lines(struct jitdump *dump, const struct jit_function *f)
{
	char *bytes = malloc(f->lines.len + 1);
	struct jitdump_lines lines;
	struct jitdump_line line;

	if (!jitdump_read(dump, f->lines.at, bytes, f->lines.len))
		abort();
	lines = jitdump_lines((struct str){ bytes, f->lines.len },
			      jitdump_swapped(dump), f->loaded, f->size);
	while (jitdump_line(&lines, &line))
		if (line.file.len > f->lines.len)
			abort();
	free(bytes);
}

/* What a function has inlined, everywhere in it, is deep enough at most. */
static void
walk_inlines(struct jitcode *code, const struct jit_function *f)
{
	const struct jitinline *t = jitcode_inlines(code, f);
	struct jitinline_frame frame[JITINLINE_DEPTH];
	size_t i, n, k;

	for (i = 0; t != NULL && i < jitinline_stretches(t); i++) {
		n = jitinline_frames(t, i, frame);
		if (n > JITINLINE_DEPTH)
			abort();
		for (k = 0; k < n; k++)
			if (memchr(frame[k].name.p, 0, frame[k].name.len) !=
			    NULL)
				abort();
	}
	for (i = 0; t != NULL && i < 1024; i++)
		if (jitinline_stretch(t, i, i % 2) >= jitinline_stretches(t))
			abort();
}

/* Who holds an address last held it from some time on. */
static void
ask(const struct jitcode *code, uint64_t address)
{
	const struct jit_function *last, *then;
	uint64_t since, again;

	last = jitcode_at(code, address, JIT_LAST, &since);
	if (last == NULL)
		return;
	if (address - last->start >= last->size)
		abort();
	then = jitcode_at(code, address, since, &again);
	if (then == NULL || again != since)
		abort();
	if (since > 0)
		jitcode_after(code, address, since - 1, &again);
	if (since > 0 && again > since)
		abort();
}

static void
read_code(const char *path)
{
	const struct jit_clock clock = { 0 };
	struct buf why = { 0 };
	struct jitdump *dump = jitdump_open(path, OWNER_CHECK_ANYONE, 0, &why);
	const struct jit_function *f;
	struct jitcode *code;
	size_t i;

	buf_free(&why);
	if (dump == NULL)
		return;
	code = jitcode_read(dump, &clock);
	for (i = 0; i < jitcode_size(code); i++) {
		f = jitcode_function(code, i);
		walk_lines(dump, f);
		walk_inlines(code, f);
		ask(code, f->start);
		ask(code, f->start + f->size - 1);
		ask(code, f->start + f->size);
	}
	jitcode_free(code);
}

static void
read_jit(const char *path)
{
	const struct jit_options options = { .grace = 1000 };
	struct jit *jit = jit_new(&options);
	struct jit_symbol symbol;
	struct buf text = { 0 };
	uint64_t address;

	if (jit_store_add_dump(jit_files(jit), path, &text)) {
		for (address = 0x1000; address < 0x3000; address += 0x40)
			if (jit_find(jit,
				     &(struct jit_place){ 7, address, address,
							  address & 0x40 },
				     &symbol) &&
			    symbol.name.len == 0)
				abort();
	}
	for (; jit_note(jit, &text); text.len = 0)
		;
	jit_free(jit);
	buf_free(&text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_code(path);
	read_jit(path);
	close(fd);
	return 0;
}
