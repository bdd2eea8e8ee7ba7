/* meta.c - metadata lines of folded text. */
#include "folded/meta.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

#define NANO 1000000000u

static struct str
copy(struct str s)
{
	char *p = mem_alloc(s.len + 1);

	if (s.len > 0)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return (struct str){ p, s.len };
}

static void
free_str(struct str s)
{
	free((char *)(uintptr_t)s.p);
}

static struct meta_entry *
find(const struct meta *m, struct str key)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (str_eq(m->entry[i].key, key))
			return &m->entry[i];
	}
	return NULL;
}

static void
set(struct meta *m, struct str key, struct str value)
{
	struct meta_entry *e = find(m, key);

	if (e == NULL) {
		m->entry = mem_grow(m->entry, &m->cap, m->n + 1, sizeof(*e));
		e = &m->entry[m->n++];
		*e = (struct meta_entry){ .key = copy(key) };
	} else {
		free_str(e->value);
	}
	e->value = copy(value);
}

/* Whether a value has this byte without percent-encoding. */
static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       str_isdigit(c) || (c != '\0' && strchr("._:/@+,~-", c) != NULL);
}

static bool
is_key(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && !str_isdigit(s.p[i]) &&
		    s.p[i] != '_' && s.p[i] != '-')
			return false;
	}
	return s.len > 0;
}

static bool
is_value(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '%' && i + 2 < s.len &&
		    str_hexdigit(s.p[i + 1]) >= 0 &&
		    str_hexdigit(s.p[i + 2]) >= 0)
			i += 2;
		else if (!is_plain(s.p[i]))
			return false;
	}
	return true;
}

size_t
meta_keys(struct str line)
{
	struct str rest = str_skip(line, 1), key;
	const char *equals;
	size_t n;

	for (n = 0; rest.len > 0; n++) {
		key = str_cut(&rest, ';');
		equals = str_find(key, '=');
		if (equals == NULL || !is_key(str_range(key.p, equals)) ||
		    !is_value(str_range(equals + 1, key.p + key.len)))
			return 0;
	}
	return n;
}

bool
meta_parse(struct meta *m, struct str line)
{
	struct str rest = str_skip(line, 1), key, value;

	if (meta_keys(line) == 0)
		return false;
	while (rest.len > 0) {
		value = str_cut(&rest, ';');
		key = str_cut(&value, '=');
		set(m, key, value);
	}
	return true;
}

struct str
meta_get(const struct meta *m, const char *key)
{
	const struct meta_entry *e = find(m, str_of(key));

	return e == NULL ? (struct str){ NULL, 0 } : e->value;
}

bool
meta_has(const struct meta *m, const char *key)
{
	return find(m, str_of(key)) != NULL;
}

bool
meta_u64(const struct meta *m, const char *key, uint64_t *value)
{
	return str_u64(meta_get(m, key), value);
}

bool
meta_ns(const struct meta *m, const char *key, uint64_t *ns)
{
	struct str decimals = meta_get(m, key);
	struct str seconds = str_cut(&decimals, '.');
	uint64_t sum = 0, part = 0;
	size_t i;

	if (!str_u64(seconds, &sum) || decimals.len > 9 ||
	    (decimals.len > 0 && !str_u64(decimals, &part)) ||
	    __builtin_mul_overflow(sum, NANO, &sum))
		return false;
	for (i = decimals.len; i < 9; i++)
		part *= 10;
	return !__builtin_add_overflow(sum, part, ns);
}

void
meta_set_raw(struct meta *m, const char *key, struct str value)
{
	set(m, str_of(key), value);
}

void
meta_set(struct meta *m, const char *key, struct str value)
{
	struct buf encoded = { 0 };

	meta_encode(&encoded, value);
	meta_set_raw(m, key, buf_slice(&encoded));
	buf_free(&encoded);
}

void
meta_set_u64(struct meta *m, const char *key, uint64_t value)
{
	struct buf digits = { 0 };

	buf_u64(&digits, value);
	meta_set_raw(m, key, buf_slice(&digits));
	buf_free(&digits);
}

void
meta_set_ns(struct meta *m, const char *key, uint64_t ns)
{
	struct buf seconds = { 0 };

	buf_printf(&seconds, "%" PRIu64 ".%09" PRIu64, ns / NANO, ns % NANO);
	meta_set_raw(m, key, buf_slice(&seconds));
	buf_free(&seconds);
}

void
meta_unset(struct meta *m, const char *key)
{
	struct meta_entry *e = find(m, str_of(key));

	if (e == NULL)
		return;
	free_str(e->key);
	free_str(e->value);
	m->n--;
	memmove(e, e + 1, (size_t)(m->entry + m->n - e) * sizeof(*e));
}

/* 0 for fold, 1 for counts, 2 for the others. */
static int
key_rank(struct str key)
{
	return str_eq(key, STR("fold"))   ? 0 :
	       str_eq(key, STR("counts")) ? 1 :
					    2;
}

static int
compare_keys(const void *a, const void *b)
{
	const struct meta_entry *x = a, *y = b;
	int order = key_rank(x->key) - key_rank(y->key);

	return order != 0 ? order : str_cmp(x->key, y->key);
}

void
meta_sort(struct meta *m)
{
	if (m->n > 0)
		qsort(m->entry, m->n, sizeof(*m->entry), compare_keys);
}

static void
print_entry(struct buf *out, const struct meta_entry *e)
{
	buf_char(out, out->len > 0 && out->p[out->len - 1] != '\n' ? ';' : '#');
	buf_str(out, e->key);
	buf_char(out, '=');
	buf_str(out, e->value);
}

void
meta_print(struct buf *out, const struct meta *m)
{
	const struct meta_entry *fold = find(m, STR("fold"));
	size_t i;

	if (m->n == 0)
		return;
	if (fold != NULL)
		print_entry(out, fold);
	for (i = 0; i < m->n; i++) {
		if (&m->entry[i] != fold)
			print_entry(out, &m->entry[i]);
	}
	buf_char(out, '\n');
}

void
meta_decode(struct buf *out, struct str value)
{
	int high, low;
	size_t i;

	for (i = 0; i < value.len; i++) {
		high = low = -1;
		if (value.p[i] == '%' && i + 2 < value.len) {
			high = str_hexdigit(value.p[i + 1]);
			low = str_hexdigit(value.p[i + 2]);
		}
		if (high < 0 || low < 0) {
			buf_char(out, value.p[i]);
			continue;
		}
		buf_char(out, (char)(high << 4 | low));
		i += 2;
	}
}

void
meta_encode(struct buf *out, struct str bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++) {
		if (is_plain(bytes.p[i]))
			buf_char(out, bytes.p[i]);
		else
			buf_printf(out, "%%%02X", (unsigned char)bytes.p[i]);
	}
}

void
meta_free(struct meta *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		free_str(m->entry[i].key);
		free_str(m->entry[i].value);
	}
	free(m->entry);
	*m = (struct meta){ 0 };
}
