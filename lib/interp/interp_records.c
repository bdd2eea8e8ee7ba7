/* interp_records.c - a cache of what is known of the functions of a process. */
#include "interp/interp_records.h"

#include "base/mem.h"

#include <stdlib.h>

enum { MAX_RECORDS = 65536 };

struct interp_records {
	size_t identity; /* bytes */
	struct interp_record *table;
	struct interp_record **record; /* by number, from first on */
	size_t n, cap;
	uint64_t first;
};

struct interp_records *
interp_records_new(size_t identity)
{
	struct interp_records *all = mem_zero(1, sizeof(*all));

	all->identity = identity;
	return all;
}

static void
clear(struct interp_records *all)
{
	struct interp_record *r, *next;

	HASH_ITER(hh, all->table, r, next)
	{
		HASH_DEL(all->table, r);
		free(r->line);
		free(r->text);
		free(r);
	}
	all->first += all->n;
	all->n = 0;
}

void
interp_records_free(struct interp_records *all)
{
	if (all == NULL)
		return;
	clear(all);
	free(all->record);
	free(all);
}

struct interp_record *
interp_records_find(struct interp_records *all, const void *identity)
{
	struct interp_record *r;

	HASH_FIND(hh, all->table, identity, all->identity, r);
	if (r != NULL)
		return r;
	if (all->n >= MAX_RECORDS)
		clear(all);
	r = mem_zero(1, sizeof(*r) + all->identity);
	memcpy(r->identity, identity, all->identity);
	r->number = all->first + all->n;
	all->record = mem_grow(all->record, &all->cap, all->n + 1,
			       sizeof(struct interp_record *));
	all->record[all->n++] = r;
	HASH_ADD_KEYPTR(hh, all->table, r->identity, all->identity, r);
	return r;
}

struct interp_record *
interp_records_get(struct interp_records *all,
		   struct interp_functions *functions, struct str language,
		   struct interp_vm_frame *f)
{
	f->line = 0;
	if (f->code - all->first < all->n)
		return all->record[f->code - all->first];
	f->function = interp_functions_add(functions, language, STR(""),
					   STR(""));
	return NULL;
}
