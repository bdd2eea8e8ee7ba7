/* diagnosis.c - why threads make no progress: locks, debuggers, job control,
 * busy CPUs. */
#include "sampler/diagnosis.h"

#include "base/table.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "sampler/cpu_quota.h"
#include "sampler/procfile.h"

#include <inttypes.h>
#include <stdlib.h>

/* Findings that are kept, and printed. */
enum { MAX_FINDINGS = 4096, MAX_PRINTED = 5, MAX_QUOTAS = 64 };

enum finding_kind {
	FINDING_LOCK,
	FINDING_STOPPED,
	FINDING_TRACED,
	FINDING_CPU
};

/* Threads on average that are worth a word: fewer are printed as 0. */
#define LEAST_THREADS 0.05
/* Waits for a CPU are worth a word if they are this share of the time. */
#define QUEUED_SHARE 0.1
/* The kernel updates its counters at ticks, up to 10 ms late. They say nothing
   about an interval as short as that of --dump, in ns. */
#define MIN_INTERVAL 200000000

struct finding_key {
	int64_t pid;
	int64_t kind;
	int64_t other; /* thread with the lock, or process of the debugger */
};

struct finding {
	struct finding_key key;
	uint64_t samples;
	uint64_t longest;                 /* wait that was seen, ns */
	uint64_t begin, end, ran, queued; /* of the CPU, ns */
	struct buf who; /* of the last sample: the other one, and its wait */
	UT_hash_handle hh;
};

struct diagnosis {
	struct finding *findings;
	struct cpu_quota *quota; /* each folder once */
	size_t nquota, quota_cap;
};

struct diagnosis *
diagnosis_new(void)
{
	return mem_zero(1, sizeof(struct diagnosis));
}

void
diagnosis_free(struct diagnosis *d)
{
	struct finding *f, *next;
	size_t i;

	HASH_ITER(hh, d->findings, f, next)
	{
		HASH_DEL(d->findings, f);
		buf_free(&f->who);
		free(f);
	}
	for (i = 0; i < d->nquota; i++)
		cpu_quota_free(&d->quota[i]);
	free(d->quota);
	free(d);
}

/* "thread 12 (flusher)" */
static void
print_thread(struct buf *out, const struct lock_link *link)
{
	buf_printf(out, "thread %" PRId64, link->tid);
	if (link->name.len == 0)
		return;
	buf_str(out, STR(" ("));
	utf8_escape(out, link->name);
	buf_char(out, ')');
}

/* "thread 12 (a), which waits for a lock of thread 13 (b), which is ..." */
static void
print_chain(struct buf *out, const struct lock_chain *chain)
{
	size_t i;

	for (i = 0; i < chain->n; i++) {
		if (i > 0)
			buf_str(out, chain->link[i].is_join ?
					 STR(", which waits for the end of ") :
					 STR(", which waits for a lock of "));
		print_thread(out, &chain->link[i]);
	}
	if (chain->is_deadlock)
		buf_str(out, STR(", which waits for one of them: a deadlock"));
	else if (chain->last.len > 0) {
		buf_str(out, STR(", which is "));
		utf8_escape(out, buf_slice(&chain->last));
	}
}

/* "gdb (pid 12)" */
static void
print_process(struct buf *out, int64_t pid)
{
	struct buf name = { 0 };

	/* The last byte is LF. */
	if (procfile_read_thread(&name, pid, pid, "comm") && name.len > 0)
		utf8_escape(out, (struct str){ name.p, name.len - 1 });
	else
		buf_str(out, STR("a debugger"));
	buf_printf(out, " (pid %" PRId64 ")", pid);
	buf_free(&name);
}

static struct finding *
find(struct diagnosis *d, const struct finding_key *key)
{
	struct finding *f;

	HASH_FIND(hh, d->findings, key, sizeof(*key), f);
	if (f != NULL || HASH_COUNT(d->findings) == MAX_FINDINGS)
		return f;
	f = mem_zero(1, sizeof(*f));
	f->key = *key;
	HASH_ADD(hh, d->findings, key, sizeof(f->key), f);
	return f;
}

/*
 * Whether a thread waits for its turn in an interpreter, whose lock another one
 * has that runs, or that waits in futex(2) to hand it over: this is how
 * interpreters work.
 */
static bool
waits_its_turn(const struct live_thread *t, const struct lock_chain *chain)
{
	return t->cache.frames.lock == INTERP_LOCK_WAITS && chain->n == 1 &&
	       (str_eq(buf_slice(&chain->last), STR("running")) ||
		str_eq(buf_slice(&chain->last), STR("in futex")));
}

void
diagnosis_add(struct diagnosis *d, const struct live_threads *l,
	      const struct live_thread *t, const struct lock_chain *chain)
{
	struct finding_key key = { .pid = l->process.pid };
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct finding *f;

	if (t->state == 'T') {
		key.kind = FINDING_STOPPED;
	} else if (t->state == 't') {
		key.kind = FINDING_TRACED;
		key.other = t->tracer;
	} else if (chain->n > 0 && !chain->link[0].is_join &&
		   !waits_its_turn(t, chain)) {
		key.kind = FINDING_LOCK;
		key.other = chain->link[0].tid;
	} else {
		return;
	}
	f = find(d, &key);
	if (f == NULL)
		return;
	f->samples++;
	if (now - t->cause.since > f->longest)
		f->longest = now - t->cause.since;
	if (key.kind == FINDING_LOCK) {
		f->who.len = 0;
		print_chain(&f->who, chain);
	} else if (key.kind == FINDING_TRACED && f->samples == 1) {
		print_process(&f->who, t->tracer);
	}
}

void
diagnosis_add_cpu(struct diagnosis *d, int64_t pid, const struct cpu_time *cpu)
{
	const struct finding_key key = { .pid = pid, .kind = FINDING_CPU };
	struct finding *f = find(d, &key);

	if (f == NULL)
		return;
	if (f->begin == 0)
		f->begin = cpu->time;
	f->end = cpu->time;
	f->ran += cpu->ran;
	f->queued += cpu->queued;
	f->samples += cpu->is_queued;
}

void
diagnosis_watch(struct diagnosis *d, int64_t pid)
{
	struct cpu_quota quota = { 0 };
	bool is_new = d->nquota < MAX_QUOTAS && cpu_quota_find(&quota, pid);
	size_t i;

	for (i = 0; is_new && i < d->nquota; i++)
		is_new = !str_eq(buf_slice(&d->quota[i].folder),
				 buf_slice(&quota.folder));
	if (!is_new) {
		cpu_quota_free(&quota);
		return;
	}
	cpu_quota_begin(&quota);
	d->quota = mem_grow(d->quota, &d->quota_cap, d->nquota + 1,
			    sizeof(*d->quota));
	d->quota[d->nquota++] = quota;
}

static int
by_samples(const struct finding *a, const struct finding *b)
{
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->key.other > b->key.other) - (a->key.other < b->key.other);
}

/* "17 threads", or "0.4 threads" on average */
static void
print_threads(struct buf *out, double n)
{
	const double whole = (double)(uint64_t)(n + 0.5);

	if (n - whole < 0.05 && whole - n < 0.05)
		buf_printf(out, "%.0f thread%s", whole, whole == 1 ? "" : "s");
	else
		buf_printf(out, "%.1f threads", n);
}

/* The kernel's counters, not samples. */
static void
print_cpu(struct buf *out, const struct finding *f)
{
	const double time = (double)(f->end - f->begin);

	buf_printf(out,
		   "process %" PRId64 " waits for CPUs: by the kernel's "
		   "counters, on average %.2f of its threads have one, and "
		   "%.2f wait for one",
		   f->key.pid, (double)f->ran / time, (double)f->queued / time);
}

/* Whether a finding is worth a line; "0 threads wait" is not. */
static bool
matters(const struct finding *f, uint64_t rounds)
{
	const double n = (double)f->samples / (double)rounds;
	const double all = (double)f->ran + (double)f->queued;
	const double queued = (double)f->queued;
	const uint64_t time = f->end - f->begin;

	if (f->key.kind != FINDING_CPU)
		return n >= LEAST_THREADS;
	return time >= MIN_INTERVAL && queued > QUEUED_SHARE * all &&
	       queued > QUEUED_SHARE * (double)time;
}

static void
print_quotas(const struct diagnosis *d, struct buf *out)
{
	struct cpu_quota_count count;
	struct str name;
	size_t i;

	for (i = 0; i < d->nquota; i++) {
		count = cpu_quota_end(&d->quota[i], &name);
		if (count.throttled == 0)
			continue;
		buf_str(out, STR("the CPU quota of the cgroup "));
		utf8_escape(out, name);
		buf_printf(out,
			   " stopped its threads in %" PRIu64 " of %" PRIu64
			   " periods\n",
			   count.throttled, count.periods);
	}
}

static void
print_finding(struct buf *out, const struct finding *f, uint64_t rounds)
{
	const double second = 1e9, n = (double)f->samples / (double)rounds;

	switch (f->key.kind) {
	case FINDING_LOCK:
		print_threads(out, n);
		buf_printf(out, " of process %" PRId64 " wait%s for a lock of ",
			   f->key.pid, n > 0.95 && n < 1.05 ? "s" : "");
		buf_str(out, buf_slice(&f->who));
		if ((double)f->longest > second)
			buf_printf(out, "; seen for up to %.1f s",
				   (double)f->longest / second);
		break;
	case FINDING_TRACED:
		buf_str(out, buf_slice(&f->who));
		buf_printf(out, " is debugging process %" PRId64 ": ",
			   f->key.pid);
		print_threads(out, n);
		buf_str(out, STR(" stopped"));
		break;
	case FINDING_CPU:
		print_cpu(out, f);
		break;
	default:
		buf_printf(out, "process %" PRId64 " is stopped: ", f->key.pid);
		print_threads(out, n);
		buf_printf(out, "; kill -CONT %" PRId64 " resumes it",
			   f->key.pid);
		break;
	}
	buf_char(out, '\n');
}

void
diagnosis_print(struct diagnosis *d, uint64_t rounds, struct buf *out)
{
	const struct finding *f;
	int n = 0;

	if (rounds == 0)
		return;
	HASH_SORT(d->findings, by_samples);
	for (f = d->findings; f != NULL && n < MAX_PRINTED; f = f->hh.next) {
		if (!matters(f, rounds))
			continue;
		print_finding(out, f, rounds);
		n++;
	}
	print_quotas(d, out);
}
