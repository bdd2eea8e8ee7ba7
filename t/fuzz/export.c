/*
 * export - what foldexport writes as a libFuzzer target: a byte that says the
 * format, the unit and whether it is a stream, a line that is the host's name,
 * and lines that are stacks of any bytes.  Whatever these are, JSON has to be
 * JSON, a message of Protocol Buffers one, and nothing may be lost.
 */
#include "codec/pprof.h"
#include "export/exportcallgrind.h"
#include "export/exportcsv.h"
#include "export/exportpprof.h"
#include "export/exportread.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
open_bytes(struct input *in, struct str bytes, struct tally *tally)
{
	int fd = memfd_create("bytes", 0);

	if (fd < 0 || write(fd, bytes.p, bytes.len) != (ssize_t)bytes.len ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	input_open_fd(in, "bytes", fd, tally);
}

/* Folded text of lines that are stacks; their sum. */
static uint64_t
fold(struct buf *out, struct str text, unsigned choice)
{
	static const char *const units[] = { "samples", "ns", "us", "bytes" };
	struct meta head = { 0 };
	struct str line;
	uint64_t sum = 0, n = 0;

	meta_set(&head, "fold", STR("1"));
	meta_set(&head, "counts", STR("1"));
	meta_set(&head, "unit", str_of(units[choice & 3]));
	meta_set(&head, "host", str_cut(&text, '\n'));
	meta_print(out, &head);
	meta_free(&head);
	while (text.len > 0) {
		line = str_cut(&text, '\n');
		if ((choice & 4) != 0)
			buf_printf(out, "#time=%zu.000000000;tid=%zu\n",
				   line.len, line.len & 1);
		/* one that has no frame, or is a comment, is not read */
		buf_str(out, STR("x"));
		buf_str(out, line);
		buf_printf(out, " %zu\n", line.len + 1);
		sum += line.len + 1;
		n++;
	}
	return sum;
}

static void
check_json(struct str bytes)
{
	struct json_tokener *t = json_tokener_new();
	enum json_tokener_error status;

	json_object_put(json_tokener_parse_ex(t, bytes.p, (int)bytes.len));
	status = json_tokener_get_error(t);
	if (status != json_tokener_success &&
	    status != json_tokener_error_depth)
		abort();
	json_tokener_free(t);
}

static void
gunzip(struct buf *out, struct str s)
{
	z_stream z = { 0 };
	int status;

	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		abort();
	z.next_in = (Bytef *)(uintptr_t)s.p;
	z.avail_in = (uInt)s.len;
	do {
		buf_reserve(out, 1 << 16);
		z.next_out = (Bytef *)out->p + out->len;
		z.avail_out = 1 << 16;
		status = inflate(&z, Z_NO_FLUSH);
		out->len += (1 << 16) - z.avail_out;
	} while (status == Z_OK);
	if (status != Z_STREAM_END)
		abort();
	inflateEnd(&z);
}

/* The value of a sample, whose locations all have to be there. */
static uint64_t
check_sample(const struct pprof *p, struct str message)
{
	struct proto f;
	uint64_t id, value = 0;
	bool bad = false;
	uint32_t i;

	while (proto_next(&message, &f)) {
		while (f.number == PPROF_SAMPLE_LOCATION &&
		       proto_number(&f, &id, &bad)) {
			if (!pprof_find(&p->locations, id, &i))
				abort();
		}
		if (f.number == PPROF_SAMPLE_VALUE)
			proto_number(&f, &value, &bad);
	}
	if (bad || message.len > 0)
		abort();
	return value;
}

static void
check_pprof(struct str bytes, uint64_t sum)
{
	struct pprof_fields fields = { 0 };
	struct buf message = { 0 };
	struct tally tally = { 0 };
	struct pprof p = { 0 };
	struct input in;
	struct proto f;

	gunzip(&message, bytes);
	open_bytes(&in, buf_slice(&message), &tally);
	if (pprof_index(&p, &in) != NULL || p.types.n != 1 ||
	    !input_seek(&in, 0))
		abort();
	fields.in = &in;
	while (pprof_next(&fields, &f)) {
		if (f.number == PPROF_SAMPLE)
			sum -= check_sample(&p, f.bytes);
	}
	if (sum != 0)
		abort();
	pprof_free(&p);
	input_close(&in);
	buf_free(&message);
}

/* No line but those we begin, and the sum that was read. */
static void
check_lines(struct str bytes, bool is_csv, uint64_t sum)
{
	struct str line, cell;
	uint64_t n;

	for (cell = line = str_cut(&bytes, '\n'); bytes.len > 0;) {
		cell = line = str_cut(&bytes, '\n');
		if (!is_csv && str_starts(line, STR("summary: ")) &&
		    (!str_u64(str_skip(line, 9), &n) || n != sum))
			abort();
		while (is_csv && str_find(cell, ',') != NULL)
			str_cut(&cell, ',');
		if (is_csv && (!str_u64(cell, &n) || n > sum))
			abort();
		sum -= is_csv ? n : 0;
	}
	if (is_csv && sum != 0)
		abort();
}

static void
check(const struct export_format *format, struct str bytes, uint64_t sum)
{
	if (format == &exportpprof)
		check_pprof(bytes, sum);
	else if (format == &exportcsv || format == &exportcallgrind)
		check_lines(bytes, format == &exportcsv, sum);
	else
		check_json(bytes);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct buf folded = { 0 };
	struct exportread read = { 0 };
	struct tally tally = { 0 };
	struct str bytes = { 0 };
	struct input in;
	unsigned n = 0;
	uint64_t sum;
	char *p;
	FILE *out;

	if (size == 0)
		return 0;
	while (export_formats[n] != NULL)
		n++;
	read.format = export_formats[data[0] % n];
	read.keep_suffixes = (data[0] & 128) != 0;
	sum = fold(&folded, str_skip(text, 1), data[0] / n);
	open_bytes(&in, buf_slice(&folded), &tally);
	exportread_file(&read, &in);
	input_close(&in);
	out = open_memstream(&p, &bytes.len);
	exportread_write(&read, out);
	fclose(out);
	bytes.p = p;
	check(read.format, bytes, sum);
	exportread_free(&read);
	buf_free(&tally.first);
	buf_free(&folded);
	free(p);
	return 0;
}
