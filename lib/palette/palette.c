/* palette.c - the class, colour and new name of a frame. */
#include "palette/palette.h"

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "folded/folded.h"
#include "io/input.h"
#include "palette/palfile.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Grey, for a frame that no rule matches. */
#define NO_RULE ((struct colour){ 0xc1bfc0, 0x6f6b6e })

/* Skip a rename that makes a name longer by more than this. */
#define MAX_GROWTH 65536

/* A colour in a palette.map. */
struct palette_mapped {
	uint32_t rgb;
	bool set;
};

struct palette {
	enum palette_shade shade;
	struct palfile file;
	struct intern *map_names;
	struct palette_mapped *map;
	size_t map_cap;
	struct buf renamed, next; /* for palette_rename() */
};

struct palette *
palette_new(const char *name, enum palette_shade shade)
{
	struct palette *p = mem_zero(1, sizeof(*p));

	p->shade = shade;
	p->map_names = intern_new();
	palette_add(p, name);
	return p;
}

void
palette_add(struct palette *p, const char *name)
{
	palfile_read(&p->file, name);
	if (p->file.errors > 0)
		exit(2);
}

void
palette_free(struct palette *p)
{
	if (p == NULL)
		return;
	palfile_free(&p->file);
	free(p->map);
	intern_free(p->map_names);
	buf_free(&p->renamed);
	buf_free(&p->next);
	free(p);
}

const struct palfile *
palette_file(const struct palette *p)
{
	return &p->file;
}

bool
palette_renames(const struct palette *p)
{
	return p->file.nrename > 0;
}

/* Escape a changed name as in folded(5). */
static void
escape(struct buf *out, struct str name)
{
	size_t i;

	name = str_trim(name);
	out->len = 0;
	if (str_starts(name, STR("#"))) {
		buf_str(out, STR("\\x23"));
		name = str_skip(name, 1);
	}
	utf8_escape(out, name);
	for (i = 0; i < out->len; i++) {
		if (out->p[i] == ';')
			out->p[i] = ':';
	}
}

struct str
palette_rename(struct palette *p, struct str frame)
{
	char suffix, inner;
	struct str name = folded_frame_name(frame, &suffix);
	struct buf spare;
	bool changed = false;
	size_t i;

	for (i = 0; i < p->file.nrename; i++) {
		p->next.len = 0;
		if (!subst_apply(p->file.rename[i].subst, name, &p->next) ||
		    str_trim(buf_slice(&p->next)).len == 0 ||
		    p->next.len > name.len + MAX_GROWTH)
			continue;
		spare = p->renamed;
		p->renamed = p->next;
		p->next = spare;
		name = buf_slice(&p->renamed);
		p->file.rename[i].changed++;
		changed = true;
	}
	if (!changed)
		return frame;
	escape(&p->next, name);
	name = buf_slice(&p->next);
	if (suffix != 0) {
		p->next.len = folded_frame_name(name, &inner).len;
		buf_printf(&p->next, "_[%c]", suffix);
	}
	return buf_slice(&p->next);
}

/* Parse "rgb(1,2,3)". */
static bool
parse_rgb(struct str s, uint32_t *rgb)
{
	uint64_t part;
	int i;

	if (!str_starts(s, STR("rgb(")) || !str_ends(s, STR(")")))
		return false;
	s = str_range(s.p + 4, s.p + s.len - 1);
	*rgb = 0;
	for (i = 0; i < 3; i++) {
		if (!str_u64(str_cut(&s, ','), &part) || part > 255)
			return false;
		*rgb = *rgb << 8 | (uint32_t)part;
	}
	return s.len == 0;
}

static void
map_name(struct palette *p, struct str name, uint32_t rgb)
{
	size_t old = p->map_cap;
	uint32_t id = intern_id(p->map_names, name);

	p->map = mem_grow(p->map, &p->map_cap, (size_t)id + 1, sizeof(*p->map));
	memset(p->map + old, 0, (p->map_cap - old) * sizeof(*p->map));
	p->map[id] = (struct palette_mapped){ rgb, true };
}

void
palette_read_map(struct palette *p, const char *path)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line, name;
	const char *arrow;
	uint32_t rgb;

	if (access(path, F_OK) != 0)
		return;
	input_open(&in, path, &tally);
	while (input_line(&in, &line)) {
		arrow = str_search(line, STR("->rgb("));
		if (arrow == NULL)
			continue;
		name = str_range(line.p, arrow);
		if (parse_rgb(str_range(arrow + 2, line.p + line.len), &rgb))
			map_name(p, name, rgb);
	}
	input_close(&in);
}

size_t
palette_rule(const struct palette *p, struct str name, char suffix)
{
	const struct palfile_rule *r = p->file.rule;
	size_t i;

	for (i = 0; i < p->file.nrule; i++, r++) {
		if (r->ncontext == 0 && palette_matches(r, name, suffix))
			break;
	}
	return i;
}

bool
palette_matches(const struct palfile_rule *r, struct str name, char suffix)
{
	return (r->suffix == 0 || r->suffix == suffix) &&
	       (r->regex == NULL || regex_find(r->regex, name, 0));
}

static struct colour
class_colour(const struct palette *p, const struct palfile_class *c,
	     struct str name, struct str frame)
{
	struct colour colour;
	uint64_t hash;

	if (c->has_formula) {
		colour.light = shade_colour(&c->formula, p->shade, frame);
		colour.dark = colour.light;
		return colour;
	}
	hash = hash_bytes(name.p, name.len);
	if (p->shade == SHADE_RANDOM)
		hash = hash * 0x9e3779b97f4a7c15 >> 32;
	colour.light = c->light[hash % c->nlight];
	colour.dark = c->ndark == 0 ? colour.light : c->dark[hash % c->ndark];
	return colour;
}

struct colour
palette_colour(struct palette *p, struct str frame, size_t *class)
{
	const struct palfile *f = &p->file;
	uint32_t id;
	struct str name;
	char suffix;
	size_t rule, unused = 0;

	class = class == NULL ? &unused : class;
	*class = PALETTE_MAPPED;
	if (intern_find(p->map_names, frame, &id) && p->map[id].set)
		return (struct colour){ p->map[id].rgb, p->map[id].rgb };
	frame = palette_rename(p, frame);
	name = folded_frame_name(frame, &suffix);
	rule = palette_rule(p, name, suffix);
	*class = rule == f->nrule ? PALETTE_NO_RULE : f->rule[rule].class;
	if (rule == f->nrule)
		return NO_RULE;
	return class_colour(p, &f->class[*class], name, frame);
}

/* One part of the relative luminance of WCAG 2. */
static double
linear(uint32_t part)
{
	double c = part / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

bool
palette_wants_black(uint32_t rgb)
{
	double l = 0.2126 * linear(rgb >> 16) +
		   0.7152 * linear(rgb >> 8 & 0xff) +
		   0.0722 * linear(rgb & 0xff);

	/* The contrast with black exceeds the contrast with white. */
	return (l + 0.05) * (l + 0.05) > 0.05 * 1.05;
}
