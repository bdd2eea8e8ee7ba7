/* shade.c - FlameGraph's formulas for colours. */
#include "palette/shade.h"

#include "base/hash.h"
#include "base/utf8.h"

static bool
parse_number(struct str s, int *n)
{
	uint64_t value;

	if (!str_u64(s, &value) || value > 255)
		return false;
	*n = (int)value;
	return true;
}

/* Parse "205+50*v3", "50*v3" or "205". */
static bool
parse_part(struct str s, struct shade_part *part)
{
	struct str base = str_cut(&s, '+'), range;

	*part = (struct shade_part){ 0, 0, 1 };
	if (str_find(base, '*') != NULL)
		s = base;
	else if (!parse_number(base, &part->base))
		return false;
	else if (s.len == 0)
		return true;
	range = str_cut(&s, '*');
	if (s.len != 2 || s.p[0] != 'v' || s.p[1] < '1' || s.p[1] > '3')
		return false;
	part->which = s.p[1] - '0';
	return parse_number(range, &part->range) &&
	       part->base + part->range <= 255;
}

bool
shade_parse(struct str s, struct shade_formula *f)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (!parse_part(str_cut(&s, ','), &f->part[i]))
			return false;
	}
	return s.len == 0;
}

/* The next character; names are valid UTF-8. */
static uint32_t
next_char(struct str *s)
{
	size_t n = utf8_length(s->p, s->p + s->len);
	uint32_t c = utf8_char(s->p, n);

	*s = str_skip(*s, n == 0 ? 1 : n);
	return c;
}

/*
 * Perl's first rand() after srand(sum of the characters), which is drand48.
 * flamegraph.pl uses this number for v1, v2 and v3.
 */
static double
perl_random(struct str s)
{
	uint32_t sum = 0;
	uint64_t x;

	while (s.len > 0)
		sum += next_char(&s);
	x = (uint64_t)sum << 16 | 0x330e;
	x = (x * 0x5deece66d + 0xb) & 0xffffffffffff;
	return (double)x / (double)(1ULL << 48);
}

/* flamegraph.pl's namehash(): a weighted sum of three characters. */
static double
name_hash(const uint32_t *c, size_t n)
{
	double vector = 0, weight = 1, max = 1;
	uint32_t mod = 10;
	size_t i;

	for (i = 0; i < n; i++) {
		vector += (double)(c[i] % mod) / (mod - 1) * weight;
		mod++;
		max += weight;
		weight *= 0.70;
	}
	return 1 - vector / max;
}

/* The first three characters after a backtick, as in namehash(). */
static size_t
head_chars(struct str s, uint32_t *c)
{
	const char *tick = s.len > 1 ? str_find(str_skip(s, 1), '`') : NULL;
	size_t n = 0;

	if (tick != NULL)
		s = str_range(tick + 1, s.p + s.len);
	while (n < 3 && s.len > 0)
		c[n++] = next_char(&s);
	return n;
}

/* The same of the name read backwards. */
static size_t
tail_chars(struct str s, uint32_t *c)
{
	const char *tick = s.len > 1 ? memrchr(s.p, '`', s.len - 1) : NULL;
	const char *p;
	struct str one;
	size_t n = 0;

	if (tick != NULL)
		s = str_range(s.p, tick);
	while (n < 3 && s.len > 0) {
		p = s.p + s.len - 1;
		while (p > s.p && (*p & 0xc0) == 0x80)
			p--;
		one = str_range(p, s.p + s.len);
		c[n++] = next_char(&one);
		s = str_range(s.p, p);
	}
	return n;
}

static void
fill(double v[3], enum palette_shade shade, struct str frame)
{
	uint32_t c[3];
	uint64_t hash;
	int i;

	switch (shade) {
	case SHADE_NAME:
		v[0] = v[1] = v[2] = perl_random(frame);
		break;
	case SHADE_HASH:
		v[0] = name_hash(c, head_chars(frame, c));
		v[1] = v[2] = name_hash(c, tail_chars(frame, c));
		break;
	case SHADE_RANDOM:
		hash = hash_bytes(frame.p, frame.len);
		for (i = 0; i < 3; i++)
			v[i] = (double)(hash >> 16 * i & 0xffff) / 65536;
		break;
	}
}

uint32_t
shade_colour(const struct shade_formula *f, enum palette_shade shade,
	     struct str frame)
{
	uint32_t rgb = 0;
	double v[3] = { 0 };
	int i;

	fill(v, shade, frame);
	for (i = 0; i < 3; i++)
		rgb = rgb << 8 | (uint32_t)(f->part[i].base +
					    (int)(f->part[i].range *
						  v[f->part[i].which - 1]));
	return rgb;
}
