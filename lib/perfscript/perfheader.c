/* perfheader.c - the events in the header of perf script text. */
#include "perfscript/perfheader.h"

#include "base/intern.h"
#include "base/mem.h"
#include "folded/event.h"

#include <stdlib.h>

void
perfheader_free(struct perfheader *h)
{
	intern_free(h->names);
	intern_free(h->keys);
	free(h->hz);
	buf_free(&h->key);
}

static struct str
key_of(struct perfheader *h, struct str event)
{
	h->key.len = 0;
	event_key(&h->key, event);
	return buf_slice(&h->key);
}

static void
add_hz(struct perfheader *h, struct str event, uint64_t hz)
{
	uint32_t n;

	if (h->keys == NULL)
		h->keys = intern_new();
	n = intern_size(h->keys);
	h->hz = mem_grow(h->hz, &h->cap, n + 1, sizeof(*h->hz));
	/* the first of equal events counts */
	if (intern_id(h->keys, key_of(h, event)) == n)
		h->hz[n] = hz;
}

void
perfheader_read(struct perfheader *h, struct str line)
{
	const struct str head = STR("# event : name = ");
	struct str event, rest, field;
	const char *p;
	uint64_t hz;

	if (!str_starts(line, head))
		return;
	event = rest = str_skip(line, head.len);
	/* The terms of an event have commas too, but no blank after them. */
	p = str_search(rest, STR(", "));
	if (p != NULL) {
		event = str_range(rest.p, p);
		rest = str_range(p + 2, rest.p + rest.len);
	}
	if (h->names == NULL)
		h->names = intern_new();
	intern_id(h->names, event);
	p = str_search(rest, STR("sample_freq"));
	if (p == NULL || str_search(rest, STR("freq = 1")) == NULL)
		return;
	field = str_range(p, rest.p + rest.len);
	str_cut(&field, '=');
	if (str_u64(str_trim(str_cut(&field, ',')), &hz))
		add_hz(h, event, hz);
}

uint32_t
perfheader_events(const struct perfheader *h)
{
	return h->names == NULL ? 0 : intern_size(h->names);
}

struct str
perfheader_event(const struct perfheader *h, uint32_t i)
{
	return intern_name(h->names, i);
}

uint64_t
perfheader_hz(struct perfheader *h, struct str event)
{
	uint32_t id;

	if (h->keys == NULL || !intern_find(h->keys, key_of(h, event), &id))
		return 0;
	return h->hz[id];
}
