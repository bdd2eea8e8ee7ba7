/* ghc_costs.c - the current stack of cost centres in a profile of GHC. */
#include "formats/ghc_costs.h"

#include "base/mem.h"

#include <stdlib.h>

void
ghc_costs_free(struct ghc_costs *p)
{
	free(p->stack);
	buf_free(&p->name);
}

uint32_t
ghc_costs_token(struct ghc_costs *p, struct str name, struct str module,
		struct str source)
{
	struct frame frame = { .whole = true };

	p->name.len = 0;
	if (!str_eq(name, module)) {
		buf_str(&p->name, module);
		buf_char(&p->name, '.');
	}
	buf_str(&p->name, name);
	frame.name = buf_slice(&p->name);
	if (p->lines && !str_starts(source, STR("<")))
		frame.line = source;
	return sink_token(p->out, &frame, 0);
}

void
ghc_costs_put(struct ghc_costs *p, size_t level, uint32_t token)
{
	p->stack = mem_grow(p->stack, &p->stack_cap, level + 1,
			    sizeof(*p->stack));
	p->stack[level] = token;
	p->depth = level + 1;
}

void
ghc_costs_push(struct ghc_costs *p, struct count count)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (count_iszero(count)) {
		p->in->tally->good++;
		return;
	}
	sample.unit = p->alloc ? STR("bytes") : STR("samples");
	if (!p->alloc)
		sample_repeat(&sample, count.units, p->interval * 1000);
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, p->stack, p->depth);
	sink_end(p->out, count);
}
