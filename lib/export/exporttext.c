/* exporttext.c - names and numbers in the form that other tools expect. */
#include "export/exporttext.h"

#include "base/mem.h"
#include "folded/folded.h"
#include "folded/name.h"

#include <err.h>
#include <inttypes.h>

/* Bytes of text to write at once. */
#define FLUSH_SIZE ((size_t)1 << 16)

/* JavaScript represents whole numbers up to this one exactly. */
#define MAX_EXACT ((uint64_t)1 << 53)

void
exporttext_flush(struct export_profile *e, struct buf *text)
{
	if (text->len > FLUSH_SIZE)
		buf_write(text, e->out);
}

struct str
exporttext_name(const struct export_profile *e, uint32_t name, char *suffix)
{
	struct str whole = intern_name(e->names, name);
	struct str bare = folded_frame_name(whole, suffix);

	return e->strip_suffixes ? bare : whole;
}

struct str
exporttext_object(const struct export_profile *e, uint32_t name)
{
	struct str bare, module;
	bool has_addr;
	uint64_t addr;
	char suffix;

	bare = folded_frame_name(intern_name(e->names, name), &suffix);
	if (suffix == 'k')
		return STR("[kernel]");
	if (name_ismissing(bare, &module, &has_addr, &addr))
		return str_eq(module, STR("unknown")) ? STR("") : module;
	if (suffix == 'j' || suffix == '0' || suffix == '1')
		return STR("[jit]");
	return STR("");
}

void
exporttext_path(const struct export_profile *e, uint32_t stack,
		struct exporttext_path *p)
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
exporttext_thread_name(const struct export_profile *e, uint32_t thread,
		       struct buf *out)
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
exporttext_unit(const struct export_profile *e)
{
	struct str unit = meta_get(&e->meta, "unit");

	return unit.len > 0 ? unit : STR("samples");
}

void
exporttext_number(struct export_profile *e, struct buf *out, struct count c,
		  unsigned places)
{
	char decimals[32];
	uint64_t power = 1;
	unsigned i;
	int n;

	if (c.units > MAX_EXACT)
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

/* Whether whole counts are nanoseconds. */
static bool
counts_ns(const struct export_profile *e)
{
	return e->decimals && str_eq(exporttext_unit(e), STR("us"));
}

struct str
exporttext_whole_unit(const struct export_profile *e)
{
	return counts_ns(e) ? STR("ns") : exporttext_unit(e);
}

uint64_t
exporttext_whole(struct export_profile *e, struct count c, uint64_t max)
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

/* A count is three numbers in the queue. */
void
exporttext_column_add(struct exporttext_column *column, struct count c)
{
	spill_queue_add(&column->parts, (uint32_t)(c.units >> 32));
	spill_queue_add(&column->parts, (uint32_t)c.units);
	spill_queue_add(&column->parts, c.micro);
}

/* Get the next count back from the queue.  False if it is empty. */
static bool
get_count(struct spill_queue *parts, struct count *c)
{
	uint32_t high = 0, low = 0;

	if (!spill_queue_next(parts, &high))
		return false;
	spill_queue_next(parts, &low);
	spill_queue_next(parts, &c->micro);
	c->units = (uint64_t)high << 32 | low;
	return true;
}

void
exporttext_column_write(struct export_profile *e,
			struct exporttext_column *column, unsigned places,
			struct buf *out)
{
	bool first = true;
	struct count c;

	buf_char(out, '[');
	while (get_count(&column->parts, &c)) {
		if (!first)
			buf_char(out, ',');
		first = false;
		exporttext_number(e, out, c, places);
		exporttext_flush(e, out);
	}
	buf_char(out, ']');
	spill_queue_free(&column->parts);
}
