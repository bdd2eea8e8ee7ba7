/* perf_stream.h - write the pipe format of perf.data. */
#ifndef PERF_STREAM_H
#define PERF_STREAM_H

#include "base/buf.h"
#include "codec/zstd.h"
#include "os/proctext.h"
#include "record/counter.h"
#include "record/record_output.h"

/*
 * A recording that is being written: perf's pipe format, also in a file,
 * because it is whole at any moment.  Records gather in out, and
 * perf_stream_flush() writes them.
 */
struct perf_stream {
	struct record_output output;
	struct buf out;         /* to be written */
	struct buf records;     /* of the kernel, to be compressed */
	struct zstd_pack *zstd; /* NULL: nothing is compressed */
};

/*
 * Begin with the header of the format.  While perf_stream_flush() waits for a
 * slow reader, readable data on interrupt, if that is not -1, ends the wait.
 */
void perf_stream_begin(struct perf_stream *s, int fd, int interrupt,
		       bool compress);

/* Where the kernel's records go; perf_stream_round() may compress them. */
struct buf *perf_stream_records(struct perf_stream *s);

/*
 * Write what has gathered.  If the output is a pipe whose reader is slow, keep
 * up to 64 MB for later, as the rings have to be read meanwhile.  False if
 * this, or an earlier write, failed.
 */
bool perf_stream_flush(struct perf_stream *s);

/* Write all, however slow the reader is. */
bool perf_stream_finish(struct perf_stream *s);

void perf_stream_free(struct perf_stream *s);

/* An event: its attr as it was opened, its id in all records, its name. */
void perf_stream_event(struct perf_stream *s, const struct counter_attr *attr,
		       uint64_t id, struct str name);

/* The formats of tracepoints, see tracepoints.h; nothing if they are empty. */
void perf_stream_formats(struct perf_stream *s, struct str formats);

/* The threads that are recorded from the start. */
void perf_stream_threads(struct perf_stream *s, const int64_t *tid, size_t n);

/* What perf.data calls features: host, kernel, machine, CPU, command line. */
void perf_stream_features(struct perf_stream *s, char *const argv[]);

/* The kernel and its modules: build-ids and, if we may know them, addresses. */
void perf_stream_kernel(struct perf_stream *s, uint64_t id);

/* A thread's name and a process' mapping, older than the recording. */
void perf_stream_comm(struct perf_stream *s, int64_t pid, int64_t tid,
		      struct str comm, uint64_t id);
void perf_stream_map(struct perf_stream *s, int64_t pid,
		     const struct proc_map *map, struct str build_id,
		     uint64_t id);

/* The namespaces of a process: (device, inode) of each, in perf's order. */
enum { PERF_STREAM_NAMESPACES = 7 };
void perf_stream_namespaces(struct perf_stream *s, int64_t pid,
			    uint64_t (*ns)[2], uint64_t id);

/*
 * A moment of the recording, in ns of CLOCK_MONOTONIC: a switch to the idle
 * task of no CPU, which readers pass over.  It dates the begin and the end of
 * waits during which nothing else happened.
 */
void perf_stream_moment(struct perf_stream *s, uint64_t time, uint64_t id);

/* What an event has lost in all, which the kernel counts. */
void perf_stream_lost(struct perf_stream *s, uint64_t lost, uint64_t id);

/* All records before have been read from all rings. */
void perf_stream_round(struct perf_stream *s);

/* All about older processes has been written. */
void perf_stream_ready(struct perf_stream *s);

#endif
