/* jitfork.c - processes that begin with the code of another one. */
#include "jitset.h"

void
jit_fork(struct jit *j, int64_t parent, int64_t child)
{
	const struct jit_process *from = jitset_find(j, parent);
	struct jit_process *p;

	if (parent == child || from == NULL ||
	    (from->n == 0 && from->parent == 0))
		return;
	p = jitset_get(j, jitset_inside(j, child));
	p->parent = parent;
	p->until = JIT_LAST;
}

void
jit_exec(struct jit *j, int64_t pid, uint64_t time)
{
	struct jit_process *p = jitset_find(j, pid);

	if (p != NULL && p->until > time)
		p->until = time;
}

size_t
jitset_family(const struct jit *j, int64_t pid, uint64_t time,
	      struct jit_process *family[JIT_FAMILY])
{
	struct jit_process *p = jitset_find(j, pid);
	size_t n = 0;

	while (p != NULL && n < JIT_FAMILY) {
		family[n++] = p;
		p = p->parent != 0 && time <= p->until ?
			jitset_find(j, p->parent) :
			NULL;
	}
	return n;
}
