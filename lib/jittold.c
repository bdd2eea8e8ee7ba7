/* jittold.c - code of JITs that a trace tells of. */
#include "claims.h"
#include "jitset.h"
#include "mem.h"

#include <stdlib.h>

struct jit_told {
	struct claims *claims;
	struct symbol *code; /* by the numbers of their claims */
	size_t n, cap;
	bool sorted;
};

void
jittold_free(struct jit_told *told)
{
	if (told == NULL)
		return;
	claims_free(told->claims);
	free(told->code);
	free(told);
}

void
jit_tell(struct jit *j, int64_t pid, uint64_t time, uint64_t start,
	 uint64_t end, struct str name)
{
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	struct jit_told *told = p->told;

	if (told == NULL) {
		told = p->told = mem_zero(1, sizeof(*told));
		told->claims = claims_new();
	}
	claims_add(told->claims, time, start, end, (uint32_t)told->n);
	told->code = mem_grow(told->code, &told->cap, told->n + 1,
			      sizeof(*told->code));
	told->code[told->n++] = (struct symbol){ start, end,
						 arena_str(&j->arena, name) };
	told->sorted = false;
}

bool
jittold_find(struct jit_told *told, uint64_t time, uint64_t address,
	     struct symbol *found)
{
	uint64_t when;
	uint32_t owner;

	if (!told->sorted)
		claims_sort(told->claims);
	told->sorted = true;
	if ((claims_at(told->claims, address, time, &owner, &when) &&
	     told->code[owner].name.len > 0) ||
	    claims_after(told->claims, address, time, &owner, &when))
		*found = told->code[owner];
	else
		return false;
	return found->name.len > 0;
}
