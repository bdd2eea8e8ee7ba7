/* perfrates.c - sampling frequencies of events, from perf script's header. */
#include "perfscript/perfrates.h"

#include "base/intern.h"
#include "base/mem.h"
#include "folded/event.h"

#include <stdlib.h>

void
perfrates_free(struct perfrates *r)
{
	intern_free(r->keys);
	free(r->hz);
	buf_free(&r->key);
}

/* A key that is equal for events that event_same() calls the same. */
static struct str
key_of(struct perfrates *r, struct str event)
{
	struct str modifiers, name = event_name(event, &modifiers);

	r->key.len = 0;
	buf_str(&r->key, modifiers);
	buf_char(&r->key, ':');
	buf_str(&r->key, name);
	return buf_slice(&r->key);
}

static void
add(struct perfrates *r, struct str event, uint64_t hz)
{
	uint32_t n;

	if (r->keys == NULL)
		r->keys = intern_new();
	n = intern_size(r->keys);
	r->hz = mem_grow(r->hz, &r->cap, n + 1, sizeof(*r->hz));
	/* the first of equal events counts */
	if (intern_id(r->keys, key_of(r, event)) == n)
		r->hz[n] = hz;
}

void
perfrates_read(struct perfrates *r, struct str line)
{
	const struct str head = STR("# event : name = ");
	struct str event, rest, field;
	const char *p;
	uint64_t hz;

	if (!str_starts(line, head))
		return;
	rest = str_skip(line, head.len);
	event = str_cut(&rest, ',');
	p = str_search(rest, STR("sample_freq"));
	if (p == NULL || str_search(rest, STR("freq = 1")) == NULL)
		return;
	field = str_range(p, rest.p + rest.len);
	str_cut(&field, '=');
	if (str_u64(str_trim(str_cut(&field, ',')), &hz))
		add(r, event, hz);
}

uint64_t
perfrates_hz(struct perfrates *r, struct str event)
{
	uint32_t id;

	if (r->keys == NULL || !intern_find(r->keys, key_of(r, event), &id))
		return 0;
	return r->hz[id];
}
