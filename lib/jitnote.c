/* jitnote.c - what jit.h has to say of names that may not be right. */
#include "intern.h"
#include "jit.h"
#include "jitset.h"

#include <inttypes.h>
#include <string.h>

/* Whether the maps of a process have several names for an address. */
static bool
maps_differ(const struct jit_process *p, uint64_t address)
{
	struct symbol first = { 0 }, symbol;
	size_t i;

	for (i = 0; p->maps > 1 && i < p->n; i++) {
		if (p->source[i].map == NULL ||
		    !perfmap_find(p->source[i].map, address, &symbol))
			continue;
		if (first.name.len == 0)
			first = symbol;
		if (!str_eq(first.name, symbol.name))
			return true;
	}
	return false;
}

bool
jit_is_shared(struct jit *j, int64_t pid, uint64_t address)
{
	struct jit_process *p = jitset_find(j, pid);
	const struct jit_function *first = NULL, *f;
	const struct jitcode *code;
	uint64_t when;
	size_t i;
	int n;

	if (p != NULL && maps_differ(p, address))
		return true;
	for (i = 0; p != NULL && i < p->n; i++) {
		code = jitset_code(j, p, &p->source[i]);
		f = code == NULL ? NULL :
				   jitcode_after(code, address, 0, &when);
		/* Who claims it many times under one name is enough. */
		for (n = 0; f != NULL && n < 64; n++) {
			if (first == NULL)
				first = f;
			if (!str_eq(first->name, f->name))
				return true;
			f = jitcode_after(code, address, when, &when);
		}
	}
	return false;
}

/* How many places have other names in other maps. */
static uint64_t
count_doubtful(const struct jit *j)
{
	struct jit_place key;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < intern_size(j->mapped); i++) {
		memcpy(&key, intern_name(j->mapped, i).p, sizeof(key));
		n += maps_differ(key.process, key.address);
	}
	return n;
}

/* The last notes. */
static void
sum_up(struct jit *j)
{
	uint64_t doubtful = count_doubtful(j);

	if (j->summed)
		return;
	j->summed = true;
	jitset_note_clocks(j);
	if (j->early > 0)
		buf_printf(&j->notes, "%" PRIu64 " %s named by --grace\n",
			   j->early,
			   str_plural(j->early,
				      "frame ran before its code was logged, "
				      "and is",
				      "frames ran before their code was "
				      "logged, and are"));
	if (j->too_early > 0)
		buf_printf(&j->notes,
			   "%" PRIu64 " frame%s ran where code was logged only "
			   "later: see --grace, and record with -k mono\n",
			   j->too_early, str_plural(j->too_early, "", "s"));
	if (j->other_clock)
		buf_str(&j->notes,
			STR("the recording's clock is not that of "
			    "jitdumps: the last code at an address "
			    "gives the name; record with -k mono\n"));
	if (doubtful > 0)
		buf_printf(
		    &j->notes, "%" PRIu64 " %s doubtful\n", doubtful,
		    str_plural(doubtful,
			       "address had another owner in an earlier "
			       "map: its name is",
			       "addresses had other owners in an earlier "
			       "map: their names are"));
}

bool
jit_note(struct jit *j, struct buf *line)
{
	struct str rest;

	sum_up(j);
	rest = str_skip(buf_slice(&j->notes), j->said);
	if (rest.len == 0)
		return false;
	buf_str(line, str_cut(&rest, '\n'));
	j->said = j->notes.len - rest.len;
	return true;
}
