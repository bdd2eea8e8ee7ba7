/* perflink.c - callers that aarch64's chains of frame pointers lack. */
#include "perflink.h"

#include "mem.h"
#include "unwind.h"

#include <elf.h>
#include <stdlib.h>

/* DWARF's numbers, which are those of perf. */
enum { LINK = 30, PC = 32 };

enum { ABI_64 = 2 };

struct perflink {
	struct resolver *resolver;
	const struct perf_features *features;
	struct unwind *unwind;     /* NULL: not needed yet */
	struct perf_record record; /* with one address more */
	uint64_t *ips;
	size_t cap;
};

struct perflink *
perflink_new(struct resolver *r, const struct perf_features *features)
{
	struct perflink *l = mem_zero(1, sizeof(*l));

	l->resolver = r;
	l->features = features;
	return l;
}

void
perflink_free(struct perflink *l)
{
	unwind_free(l->unwind);
	free(l->ips);
	free(l);
}

static bool
is_aarch64(const struct perf_features *features)
{
#ifdef __aarch64__
	if (features->arch.len == 0)
		return true;
#endif
	return str_eq(features->arch, STR("aarch64"));
}

static bool
find_caller(struct perflink *l, const struct perf_record *r, uint64_t leaf,
	    uint64_t *caller)
{
	struct unwind_thread thread = { .stack_start = 0 };

	if (l->unwind == NULL)
		l->unwind = unwind_new(EM_AARCH64);
	/* There are too few to unwind with. */
	unwind_perf_registers(&thread.registers, EM_AARCH64, r->user.abi,
			      r->user.mask, r->user.reg, r->user.n);
	thread.registers.value[PC] = leaf;
	thread.registers.known |= UINT64_C(1) << PC;
	resolver_unwind(l->resolver, &thread);
	return unwind_link(l->unwind, &thread, caller);
}

const struct perf_record *
perflink_add(struct perflink *l, const struct perf_record *r)
{
	size_t leaf;
	uint64_t caller;

	if (r->user.abi != ABI_64 || !(r->user.mask >> LINK & 1) ||
	    !is_aarch64(l->features))
		return r;
	leaf = perfrecord_user(r) + 1;
	if (leaf >= r->nips || r->ips[leaf] >= PERF_CONTEXT_MAX ||
	    !find_caller(l, r, r->ips[leaf], &caller))
		return r;
	/* The function set a frame record, whatever its table says. */
	if (leaf + 1 < r->nips && r->ips[leaf + 1] == caller)
		return r;
	l->ips = mem_grow(l->ips, &l->cap, r->nips + 1, sizeof(*l->ips));
	memcpy(l->ips, r->ips, (leaf + 1) * sizeof(*l->ips));
	l->ips[leaf + 1] = caller;
	memcpy(l->ips + leaf + 2, r->ips + leaf + 1,
	       (r->nips - leaf - 1) * sizeof(*l->ips));
	l->record = *r;
	l->record.ips = l->ips;
	l->record.nips++;
	return &l->record;
}
