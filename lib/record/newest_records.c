/* newest_records.c - the newest samples of a recording, kept in memory. */
#include "record/newest_records.h"

#include "perfdata/perfabi.h"

#include <string.h>

void
newest_records_free(struct newest_records *n)
{
	buf_free(&n->others);
	buf_free(&n->recent);
}

struct buf *
newest_records_for(struct newest_records *n, uint32_t type)
{
	return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_SWITCH ?
		   &n->recent :
		   &n->others;
}

void
newest_records_trim(struct newest_records *n)
{
	struct perf_header h;

	while (n->recent.len - n->first > n->size) {
		memcpy(&h, n->recent.p + n->first, sizeof(h));
		n->first += h.size;
	}
	/* Moving costs no more than what was appended since the last move. */
	if (n->first <= n->size)
		return;
	n->recent.len -= n->first;
	memmove(n->recent.p, n->recent.p + n->first, n->recent.len);
	n->first = 0;
}

void
newest_records_write(struct newest_records *n, struct buf *out)
{
	buf_str(out, buf_slice(&n->others));
	buf_str(out, str_skip(buf_slice(&n->recent), n->first));
	n->others.len = n->recent.len = n->first = 0;
}
