/* exporttext.c - names and numbers as formats of other tools have them. */
#include "exporttext.h"

#include "folded.h"
#include "mem.h"
#include "name.h"

#include <err.h>
#include <inttypes.h>

#define FLUSH ((size_t)1 << 16)

/* Whole numbers up to this one are exact in JavaScript. */
#define EXACT ((uint64_t)1 << 53)

void
export_flush(struct exported *e, struct buf *text)
{
	if (text->len > FLUSH)
		buf_write(text, e->out);
}

struct str
export_name(const struct exported *e, uint32_t name, char *suffix)
{
	struct str whole = intern_name(e->names, name);
	struct str bare = frame_name(whole, suffix);

	return e->annotates ? bare : whole;
}

struct str
export_object(const struct exported *e, uint32_t name)
{
	struct str bare, module;
	bool has_addr;
	uint64_t addr;
	char suffix;

	bare = frame_name(intern_name(e->names, name), &suffix);
	if (suffix == 'k')
		return STR("[kernel]");
	if (name_ismissing(bare, &module, &has_addr, &addr))
		return str_eq(module, STR("unknown")) ? STR("") : module;
	if (suffix == 'j' || suffix == '0' || suffix == '1')
		return STR("[jit]");
	return STR("");
}

void
export_path(const struct exported *e, uint32_t stack, struct export_path *p)
{
	uint32_t i;
	size_t at;

	p->n = 0;
	for (i = stack; i != 0; i = e->frame[i].parent)
		p->n++;
	p->id = mem_grow(p->id, &p->cap, p->n, sizeof(*p->id));
	at = p->n;
	for (i = stack; i != 0; i = e->frame[i].parent)
		p->id[--at] = e->frame[i].name;
}

void
export_thread_name(const struct exported *e, uint32_t thread, struct buf *out)
{
	const struct export_thread *t = &e->thread[thread];

	buf_str(out, intern_name(e->names, t->root_name));
	if (t->pid >= 0 || t->tid >= 0)
		buf_char(out, ' ');
	if (t->pid >= 0)
		buf_u64(out, (uint64_t)t->pid);
	if (t->tid >= 0)
		buf_printf(out, "/%" PRId64, t->tid);
}

struct str
export_unit(const struct exported *e)
{
	struct str unit = meta_get(&e->meta, "unit");

	return unit.len > 0 ? unit : STR("samples");
}

void
export_number(struct exported *e, struct buf *out, struct count c,
	      unsigned places)
{
	char decimals[32];
	uint64_t power = 1;
	unsigned i;
	int n;

	if (c.units > EXACT)
		e->large++;
	for (i = 0; i < places; i++)
		power *= 10;
	buf_u64(out, c.units / power);
	n = snprintf(decimals, sizeof(decimals), ".%0*" PRIu64, (int)places + 6,
		     c.units % power * 1000000 + c.micro);
	while (n > 0 && (decimals[n - 1] == '0' || decimals[n - 1] == '.'))
		n--;
	buf_add(out, decimals, (size_t)n);
}

static bool
counts_ns(const struct exported *e)
{
	return e->decimals && str_eq(export_unit(e), STR("us"));
}

struct str
export_whole_unit(const struct exported *e)
{
	return counts_ns(e) ? STR("ns") : export_unit(e);
}

uint64_t
export_whole(struct exported *e, struct count c, uint64_t max)
{
	uint64_t scale = counts_ns(e) ? 1000 : 1;
	uint64_t rest = c.micro * scale, n;

	if (__builtin_mul_overflow(c.units, scale, &n) ||
	    __builtin_add_overflow(n, (rest + 500000) / 1000000, &n) || n > max)
		errx(2,
		     "a count is too large for the format: more than %" PRIu64,
		     max);
	if (rest % 1000000 != 0)
		e->rounded++;
	return n;
}

/* Each is three numbers of the queue. */
void
export_keep(struct export_column *column, struct count c)
{
	queue_put(&column->parts, (uint32_t)(c.units >> 32));
	queue_put(&column->parts, (uint32_t)c.units);
	queue_put(&column->parts, c.micro);
}

static bool
take(struct queue *parts, struct count *c)
{
	uint32_t high = 0, low = 0;

	if (!queue_take(parts, &high))
		return false;
	queue_take(parts, &low);
	queue_take(parts, &c->micro);
	c->units = (uint64_t)high << 32 | low;
	return true;
}

void
export_array(struct exported *e, struct export_column *column, unsigned places,
	     struct buf *out)
{
	bool first = true;
	struct count c;

	buf_char(out, '[');
	while (take(&column->parts, &c)) {
		if (!first)
			buf_char(out, ',');
		first = false;
		export_number(e, out, c, places);
		export_flush(e, out);
	}
	buf_char(out, ']');
	queue_free(&column->parts);
}
