/* arm64_leaf.c - the caller that aarch64 call chains lack after a leaf. */
#include "perf/arm64_leaf.h"

#include "base/mem.h"
#include "unwind/unwind.h"

#include <stdlib.h>

struct arm64_leaf {
	struct resolver *resolver;
	const struct perf_features *features;
	struct perf_record record; /* the copy, with a longer chain */
	uint64_t *ips;
	size_t cap;
};

struct arm64_leaf *
arm64_leaf_new(struct resolver *resolver, const struct perf_features *features)
{
	struct arm64_leaf *l = mem_zero(1, sizeof(*l));

	l->resolver = resolver;
	l->features = features;
	return l;
}

void
arm64_leaf_free(struct arm64_leaf *l)
{
	free(l->ips);
	free(l);
}

static bool
find_caller(struct arm64_leaf *l, const struct arch *arch,
	    const struct perf_record *r, uint64_t leaf, uint64_t *caller)
{
	struct unwind_thread thread = { .arch = arch };

	/* Ignore the result: unwind_link() needs no other registers. */
	arch_perf_registers(arch, r->user.mask, r->user.reg, r->user.n,
			    &thread.registers);
	arch_set(&thread.registers, arch->pc, leaf);
	process_image_unwind(resolve_image(l->resolver), &thread);
	return unwind_link(&thread, caller);
}

const struct perf_record *
arm64_leaf_add(struct arm64_leaf *l, const struct perf_record *r)
{
	const struct arch *arch = r->user.n == 0 ?
				      NULL :
				      arch_named(l->features->arch);
	size_t leaf;
	uint64_t caller;

	if (arch == NULL || !arch->chain_lacks_caller ||
	    arch_of_abi(arch, r->user.abi) != arch)
		return r;
	leaf = perfrecord_user(r) + 1;
	if (leaf >= r->nips || r->ips[leaf] >= PERF_CONTEXT_MAX ||
	    !find_caller(l, arch, r, r->ips[leaf], &caller))
		return r;
	/* The function has set up a frame record, whatever its table says. */
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
