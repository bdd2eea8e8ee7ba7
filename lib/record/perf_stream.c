/* perf_stream.c - write the pipe format of perf.data. */
#include "record/perf_stream.h"

#include "perfdata/perfabi.h"
#include "perfdata/perffeat.h"
#include "record/running_kernel.h"
#include "sampler/procfile.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

/* PERF_RECORD_EVENT_UPDATE: this one has a name. */
enum { UPDATE_NAME = 2 };

/* A record has a size of 16 bits. */
enum { LARGEST = 65528 };

/* What to keep of a recording for a slow reader. */
enum { MAY_WAIT = 64 << 20 };

/*
 * How many bytes to compress into one record; incompressible bytes get a
 * little longer.  perf decompresses a record, and what was left of the last
 * one, into a buffer of the size that the recording says.
 */
enum { PIECE = 60000, UNPACKED = 256 << 10 };

#define KALLSYMS "[kernel.kallsyms]"

/* Records. */

static void
add_u32(struct perf_stream *s, uint64_t n)
{
	const uint32_t word = (uint32_t)n;

	buf_add(&s->out, &word, sizeof(word));
}

static void
add_u64(struct perf_stream *s, uint64_t n)
{
	buf_add(&s->out, &n, sizeof(n));
}

/* Text with a NUL, padded to a multiple of 8 bytes. */
static void
add_text(struct perf_stream *s, struct str text)
{
	static const char zeros[8];

	buf_str(&s->out, text);
	buf_add(&s->out, zeros, 8 - text.len % 8);
}

/* A string of a feature, with its size. */
static void
add_string(struct perf_stream *s, struct str text)
{
	static const char zeros[64];
	const size_t size = (text.len + 64) & ~(size_t)63;

	add_u32(s, size);
	buf_str(&s->out, text);
	buf_add(&s->out, zeros, size - text.len);
}

/* Begin a record; returns its place for end(). */
static size_t
begin(struct perf_stream *s, uint32_t type, unsigned misc)
{
	const struct perf_header h = { type, (uint16_t)misc, 0 };
	const size_t at = s->out.len;

	buf_add(&s->out, &h, sizeof(h));
	return at;
}

/* A record that is too large is left out: a command line of megabytes. */
static void
end(struct perf_stream *s, size_t at)
{
	const size_t size = s->out.len - at;
	struct perf_header h;

	if (size > LARGEST) {
		s->out.len = at;
		return;
	}
	memcpy(&h, s->out.p + at, sizeof(h));
	h.size = (uint16_t)size;
	memcpy(s->out.p + at, &h, sizeof(h));
}

/* Of records that are older than the first sample. */
enum { BEFORE = 0 };

/* The trailer of the kernel's records. */
static void
add_trailer(struct perf_stream *s, int64_t pid, int64_t tid, uint64_t time,
	    uint64_t id)
{
	add_u32(s, (uint64_t)pid);
	add_u32(s, (uint64_t)tid);
	add_u64(s, time);
	add_u64(s, 0); /* CPU */
	add_u64(s, id);
}

void
perf_stream_begin(struct perf_stream *s, int fd, int interrupt, bool compress)
{
	const uint64_t size = 16;

	*s = (struct perf_stream){ 0 };
	record_output_open(&s->output, fd, interrupt);
	if (compress)
		s->zstd = zstd_pack_new();
	buf_str(&s->out, STR("PERFILE2"));
	add_u64(s, size);
}

struct buf *
perf_stream_records(struct perf_stream *s)
{
	return s->zstd != NULL ? &s->records : &s->out;
}

bool
perf_stream_flush(struct perf_stream *s)
{
	return record_output_write(&s->output, &s->out, MAY_WAIT);
}

bool
perf_stream_finish(struct perf_stream *s)
{
	s->output.interrupt = -1;
	return record_output_write(&s->output, &s->out, 0);
}

void
perf_stream_free(struct perf_stream *s)
{
	buf_free(&s->out);
	buf_free(&s->records);
	zstd_pack_free(s->zstd);
	record_output_close(&s->output);
}

void
perf_stream_event(struct perf_stream *s, const struct counter_attr *attr,
		  uint64_t id, struct str name)
{
	const struct counter_attr native = counter_native(*attr);
	size_t at = begin(s, PERF_RECORD_HEADER_ATTR, 0);

	buf_add(&s->out, &native, sizeof(native));
	add_u64(s, id);
	end(s, at);
	at = begin(s, PERF_RECORD_EVENT_UPDATE, 0);
	add_u64(s, UPDATE_NAME);
	add_u64(s, id);
	add_text(s, name);
	end(s, at);
}

/* The formats follow the record, whose size does not include them. */
void
perf_stream_formats(struct perf_stream *s, struct str formats)
{
	static const char zeros[8];
	size_t at;

	if (formats.len == 0)
		return;
	at = begin(s, PERF_RECORD_HEADER_TRACING_DATA, 0);
	add_u32(s, (formats.len + 7) & ~(uint64_t)7);
	end(s, at);
	buf_str(&s->out, formats);
	buf_add(&s->out, zeros, -formats.len & 7);
}

/* A record that would be too large is left out, as are the names. */
void
perf_stream_threads(struct perf_stream *s, const int64_t *tid, size_t n)
{
	static const char name[16];
	const size_t at = begin(s, PERF_RECORD_THREAD_MAP, 0);
	size_t i;

	add_u64(s, n);
	for (i = 0; i < n; i++) {
		add_u64(s, (uint64_t)tid[i]);
		buf_add(&s->out, name, sizeof(name));
	}
	end(s, at);
}

/* Features. */

static size_t
begin_feature(struct perf_stream *s, uint64_t feature)
{
	const size_t at = begin(s, PERF_RECORD_HEADER_FEATURE, 0);

	add_u64(s, feature);
	return at;
}

static void
end_feature(struct perf_stream *s, size_t at)
{
	static const char zeros[8];

	buf_add(&s->out, zeros, -s->out.len & 7);
	end(s, at);
}

static void
add_feature(struct perf_stream *s, uint64_t feature, struct str text)
{
	const size_t at = begin_feature(s, feature);

	add_string(s, text);
	end_feature(s, at);
}

static void
add_command_line(struct perf_stream *s, char *const argv[])
{
	const size_t at = begin_feature(s, PERF_FEAT_CMDLINE);
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	add_u32(s, n);
	for (n = 0; argv[n] != NULL; n++)
		add_string(s, str_of(argv[n]));
	end_feature(s, at);
}

/* In perf's names: version, type, level, ratio, mmap_len. */
static void
add_compression(struct perf_stream *s)
{
	const uint32_t values[] = { 1, 1, 1, 0, UNPACKED };
	const size_t at = begin_feature(s, PERF_FEAT_COMPRESSED);

	buf_add(&s->out, values, sizeof(values));
	end_feature(s, at);
}

void
perf_stream_features(struct perf_stream *s, char *const argv[])
{
	const long all = sysconf(_SC_NPROCESSORS_CONF);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname u;
	size_t at;

	if (uname(&u) == 0) {
		add_feature(s, PERF_FEAT_HOSTNAME, str_of(u.nodename));
		add_feature(s, PERF_FEAT_OSRELEASE, str_of(u.release));
		add_feature(s, PERF_FEAT_ARCH, str_of(u.machine));
	}
	at = begin_feature(s, PERF_FEAT_NRCPUS);
	add_u32(s, all > 0 ? (uint64_t)all : 1);
	add_u32(s, online > 0 ? (uint64_t)online : 1);
	end_feature(s, at);
	add_command_line(s, argv);
	if (s->zstd != NULL)
		add_compression(s);
}

/* The kernel. */

static void
add_kernel_id(struct perf_stream *s, struct str id, struct str name)
{
	enum { LONGEST = 20 };
	static const char zeros[24];
	const size_t at = begin(s, PERF_RECORD_HEADER_BUILD_ID,
				PERF_RECORD_MISC_KERNEL |
				    PERF_RECORD_MISC_BUILD_ID_SIZE);

	if (id.len > LONGEST)
		id.len = LONGEST;
	add_u32(s, UINT32_MAX); /* of no process */
	buf_str(&s->out, id);
	buf_add(&s->out, zeros, LONGEST - id.len);
	buf_char(&s->out, (char)id.len);
	buf_add(&s->out, zeros, 3);
	add_text(s, name);
	end(s, at);
}

static void
add_kernel_map(struct perf_stream *s, uint64_t address, uint64_t size,
	       uint64_t offset, struct str name, uint64_t id)
{
	const size_t at = begin(s, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	add_u32(s, UINT32_MAX);
	add_u32(s, 0);
	add_u64(s, address);
	add_u64(s, size);
	add_u64(s, offset);
	add_text(s, name);
	add_trailer(s, -1, 0, BEFORE, id);
	end(s, at);
}

/* The name of a module's mapping is "[ext4]". */
static void
add_modules(struct perf_stream *s, uint64_t id)
{
	struct buf text = { 0 }, name = { 0 }, build_id = { 0 };
	struct running_kernel_module m;
	struct str rest;

	if (procfile_read(&text, "/proc/modules"))
		rest = buf_slice(&text);
	else
		rest = STR("");
	while (running_kernel_module(&rest, &m)) {
		name.len = build_id.len = 0;
		buf_printf(&name, "[%.*s]", (int)m.name.len, m.name.p);
		if (running_kernel_module_id(&build_id, m.name))
			add_kernel_id(s, buf_slice(&build_id),
				      buf_slice(&name));
		add_kernel_map(s, m.address, m.size, 0, buf_slice(&name), id);
	}
	buf_free(&text);
	buf_free(&name);
	buf_free(&build_id);
}

/*
 * Readers find out by the address of _text whether a list of symbols is of the
 * recorded boot.  Without it, perf names no frame of the kernel.
 */
void
perf_stream_kernel(struct perf_stream *s, uint64_t id)
{
	const uint64_t size = UINT64_C(64) << 20, text = running_kernel_text();
	struct buf build_id = { 0 };

	if (running_kernel_id(&build_id))
		add_kernel_id(s, buf_slice(&build_id), STR(KALLSYMS));
	buf_free(&build_id);
	if (text == 0)
		return;
	add_kernel_map(s, text, size, text, STR(KALLSYMS "_text"), id);
	add_modules(s, id);
}

/* Processes. */

void
perf_stream_comm(struct perf_stream *s, int64_t pid, int64_t tid,
		 struct str comm, uint64_t id)
{
	const size_t at = begin(s, PERF_RECORD_COMM, 0);

	add_u32(s, (uint64_t)pid);
	add_u32(s, (uint64_t)tid);
	add_text(s, comm);
	add_trailer(s, pid, tid, BEFORE, id);
	end(s, at);
}

static uint32_t
protection(struct str prot)
{
	return (prot.p[0] == 'r' ? PROT_READ : 0) |
	       (prot.p[1] == 'w' ? PROT_WRITE : 0) |
	       (prot.p[2] == 'x' ? PROT_EXEC : 0);
}

/* The union of the file's build-id and of its inode. */
static void
add_file(struct perf_stream *s, const struct proc_map *map, struct str build_id)
{
	static const char zeros[20];

	if (build_id.len > 0) {
		buf_char(&s->out, (char)build_id.len);
		buf_add(&s->out, zeros, 3);
		buf_str(&s->out, build_id);
		buf_add(&s->out, zeros, sizeof(zeros) - build_id.len);
		return;
	}
	add_u32(s, map->major);
	add_u32(s, map->minor);
	add_u64(s, map->inode);
	add_u64(s, 0); /* generation */
}

void
perf_stream_map(struct perf_stream *s, int64_t pid, const struct proc_map *map,
		struct str build_id, uint64_t id)
{
	const bool is_known = build_id.len > 0 && build_id.len <= 20;
	const struct str anonymous = STR("//anon");
	const size_t at = begin(
	    s, PERF_RECORD_MMAP2,
	    PERF_RECORD_MISC_USER |
		(proctext_is_code(map) ? 0 : PERF_RECORD_MISC_MMAP_DATA) |
		(is_known ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));

	add_u32(s, (uint64_t)pid);
	add_u32(s, (uint64_t)pid);
	add_u64(s, map->start);
	add_u64(s, map->end - map->start);
	add_u64(s, map->offset);
	add_file(s, map, is_known ? build_id : STR(""));
	add_u32(s, protection(map->prot));
	add_u32(s, map->prot.p[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	add_text(s, map->path.len > 0 ? map->path : anonymous);
	add_trailer(s, pid, pid, BEFORE, id);
	end(s, at);
}

void
perf_stream_namespaces(struct perf_stream *s, int64_t pid, uint64_t (*ns)[2],
		       uint64_t id)
{
	const size_t at = begin(s, PERF_RECORD_NAMESPACES, 0);

	add_u32(s, (uint64_t)pid);
	add_u32(s, (uint64_t)pid);
	add_u64(s, PERF_STREAM_NAMESPACES);
	buf_add(&s->out, ns, PERF_STREAM_NAMESPACES * sizeof(*ns));
	add_trailer(s, pid, pid, BEFORE, id);
	end(s, at);
}

/* The end. */

void
perf_stream_moment(struct perf_stream *s, uint64_t time, uint64_t id)
{
	const size_t at = begin(s, PERF_RECORD_SWITCH, 0);

	add_trailer(s, 0, 0, time, id);
	end(s, at);
}

void
perf_stream_lost(struct perf_stream *s, uint64_t lost, uint64_t id)
{
	const size_t at = begin(s, PERF_RECORD_LOST_SAMPLES, 0);

	add_u64(s, lost);
	add_trailer(s, 0, 0, BEFORE, id);
	end(s, at);
}

/* A piece may end inside a record, which the next piece continues. */
static void
compress(struct perf_stream *s)
{
	struct str rest = buf_slice(&s->records), piece;
	size_t at;

	while (rest.len > 0) {
		piece = rest;
		if (piece.len > PIECE)
			piece.len = PIECE;
		rest = str_skip(rest, piece.len);
		at = begin(s, PERF_RECORD_COMPRESSED, 0);
		zstd_pack_add(s->zstd, piece, &s->out);
		end(s, at);
	}
	s->records.len = 0;
}

void
perf_stream_round(struct perf_stream *s)
{
	if (s->zstd != NULL)
		compress(s);
	end(s, begin(s, PERF_RECORD_FINISHED_ROUND, 0));
}

void
perf_stream_ready(struct perf_stream *s)
{
	end(s, begin(s, PERF_RECORD_FINISHED_INIT, 0));
}
