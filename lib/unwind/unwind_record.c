/* unwind_record.c - whose frame record the frame pointer points to. */
#include "unwind/unwind_record.h"

#include "unwind/unwind-internal.h"
#include "unwind/unwind_memory.h"
#include "unwind/unwind_rules.h"
#include "unwind/unwind_tableless.h"

/* A question for the record at an address, and where its facts are kept. */
struct record_query {
	const struct unwind *u;
	const struct unwind_thread *t;
	struct unwind_map map;
	uint64_t address;
	bool exact;
	uint64_t owner;
};

/*
 * The slot for a fact of an address; empty, if it had another's.  A table has
 * 1 << log slots.
 */
static struct place_fact *
fact_of(const struct record_query *q, struct place_fact *table, int log,
	uint64_t address)
{
	const uint64_t vaddr = address - q->map.bias;
	struct place_fact *f =
	    &table[unwind_mix(vaddr, q->owner) >> (64 - log)];

	if (f->vaddr != vaddr || f->owner != q->owner)
		*f = (struct place_fact){ q->owner, vaddr, 0 };
	return f;
}

/* Whether the code at the start of a function sets the frame pointer. */
static bool
sets_fp(const struct record_query *q, const struct cfi_row *row)
{
	enum { BEGINNING = 64 }; /* where functions make their frames */
	const uint64_t start = row->start + q->map.bias;
	const uint64_t size = row->end - row->start;
	struct place_fact *f = fact_of(q, q->u->setters, SETTERS_LOG, start);
	char code[BEGINNING];
	size_t n;

	if (f->fact1 == 0) {
		n = unwind_memory_code(q->t, start, code,
				       size < BEGINNING ? (size_t)size :
							  BEGINNING);
		f->fact1 = 1 + q->t->arch->sets_fp((struct str){ code, n });
	}
	return f->fact1 - 1;
}

/* The record by rules that say where the frame pointer was saved. */
static enum unwind_record
saved_record(const struct record_query *q, const struct cfi_row *row)
{
	const struct arch *a = q->t->arch;
	const int64_t cfa = row->cfa.n, at = row->rules[a->fp].n;

	if (row->cfa.how != CFI_REGISTER)
		return UNWIND_RECORD_UNKNOWN;
	if (row->cfa_register == a->fp)
		return cfa == a->frame.cfa && at == a->frame.fp - a->frame.cfa ?
			   UNWIND_RECORD_OWN :
			   UNWIND_RECORD_UNKNOWN;
	if (row->cfa_register != a->sp)
		return UNWIND_RECORD_UNKNOWN;
	/* Only the return address is on the stack: it was popped again. */
	if (cfa == a->word)
		return UNWIND_RECORD_CALLERS;
	if (!sets_fp(q, row))
		return UNWIND_RECORD_NONE;
	/*
	 * It was just pushed, or will be popped.  Otherwise, Go's tables do
	 * not follow the frame pointer.
	 */
	return cfa == -at ? UNWIND_RECORD_CALLERS : UNWIND_RECORD_UNKNOWN;
}

static enum unwind_record
record_of_row(const struct record_query *q, const struct cfi_row *row)
{
	const struct arch *a = q->t->arch;

	if (row->signal || row->return_column != a->pc)
		return UNWIND_RECORD_UNKNOWN;
	if (row->rules[a->fp].how == CFI_AT_CFA)
		return saved_record(q, row);
	if (row->rules[a->fp].how != CFI_SAME)
		return UNWIND_RECORD_UNKNOWN;
	if (row->cfa.how == CFI_REGISTER && row->cfa_register == a->sp &&
	    row->cfa.n == a->word)
		return UNWIND_RECORD_CALLERS;
	return sets_fp(q, row) ? UNWIND_RECORD_UNKNOWN : UNWIND_RECORD_CALLERS;
}

static enum unwind_record
find_record(const struct record_query *q)
{
	struct cfi_row row;

	switch (unwind_rules_mapped(q->t, &q->map, q->address, &row)) {
	case SITE_RULES:
		return record_of_row(q, &row);
	case SITE_ROOT:
		return UNWIND_RECORD_ROOT;
	case SITE_POINTER:
		return q->exact &&
			       unwind_tableless_is_frameless(q->t, q->address) ?
			   UNWIND_RECORD_CALLERS :
			   UNWIND_RECORD_UNKNOWN;
	case SITE_EMPTY:
	case SITE_OFFSETS:
	case SITE_GUESSED:
	case SITE_SEARCH:
	case SITE_UNMAPPED:
		break;
	}
	return UNWIND_RECORD_UNKNOWN;
}

enum unwind_record
unwind_record(struct unwind *u, const struct unwind_thread *thread, uint64_t pc,
	      bool exact)
{
	struct record_query q = { .u = u,
				  .t = thread,
				  .address = pc - (exact ? 0 : 1),
				  .exact = exact };
	struct place_fact *f;

	if (thread->arch->sets_fp == NULL ||
	    !thread->map(thread->arg, q.address, &q.map))
		return UNWIND_RECORD_UNKNOWN;
	/* A place that has the rules of another one is its process's own. */
	q.owner = q.map.cfi != NULL && q.map.like == 0 ? (uintptr_t)q.map.cfi :
							 thread->space;
	f = fact_of(&q, u->records, RECORDS_LOG, q.address);
	if (f->fact1 == 0)
		f->fact1 = (uint8_t)(1 + find_record(&q));
	return (enum unwind_record)(f->fact1 - 1);
}
