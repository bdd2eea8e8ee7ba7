/*
 * vision - whether the classes of a palette stay apart, for every eye.
 *
 *	vision PALETTE [EXEMPT...]	lines of "PAGE EYE DISTANCE CLASS
 *CLASS": the two closest classes, by CIEDE2000 vision -d
 *the same for the colours of a diff vision -c PALETTE		lines of "PAGE
 *CONTRAST CLASS": the label that is hardest to read, by WCAG 2 vision -t
 *lines of two colours L a b L a b on standard input: their distance
 *
 * The page is light or dark.  The eye is normal or has one of the three
 * dichromacies, simulated by the matrices of Machado, Oliveira and Fernandes
 * (2009), at severity 1.0, for linear RGB.
 */
#include "base/mem.h"
#include "palette/palfile.h"
#include "svg/diffcolour.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* For each of v1, v2 and v3, a formula is evaluated for this many names. */
#define NAMES 2000

#define INK 0x111111
#define WHITE 0xffffff
#define DARK_PAGE_INK 0xf4f4f4

enum { EYES = 4 };
static const char *const eye_name[EYES] = { "normal", "deutan", "protan",
					    "tritan" };
static const double eye[EYES][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 1.255528, -0.076749, -0.178779 },
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

struct lab {
	double l, a, b;
};

/* A colour of a class, as each eye sees it. */
struct seen_colour {
	const char *class;
	int class_length;
	uint32_t rgb;
	struct lab lab[EYES];
};

struct seen_colours {
	struct seen_colour *colour;
	size_t n, cap;
};

static double
linear(uint32_t part)
{
	double c = (part & 0xff) / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
lab_part(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE L*a*b* under D65 of a colour that an eye sees. */
static struct lab
look(uint32_t rgb, int which)
{
	const double in[3] = { linear(rgb >> 16), linear(rgb >> 8),
			       linear(rgb) };
	double c[3], x, y, z;
	int i;

	for (i = 0; i < 3; i++) {
		c[i] = eye[which][i][0] * in[0] + eye[which][i][1] * in[1] +
		       eye[which][i][2] * in[2];
		c[i] = fmin(1, fmax(0, c[i]));
	}
	x = 0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2];
	y = 0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2];
	z = 0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2];
	x = lab_part(x / 0.95047);
	y = lab_part(y);
	z = lab_part(z / 1.08883);
	return (struct lab){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

static double
radians(double degrees)
{
	return degrees * acos(-1) / 180;
}

/* Hue in degrees, 0 to 360. */
static double
hue(double a, double b)
{
	double h = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / acos(-1);

	return h < 0 ? h + 360 : h;
}

static double
power7(double x)
{
	return sqrt(pow(x, 7) / (pow(x, 7) + pow(25, 7)));
}

/* The weights of CIEDE2000 at a mean lightness, chroma and hue. */
static double
weigh(double dl, double dc, double dh, double l, double c, double h)
{
	double t = 1 - 0.17 * cos(radians(h - 30)) +
		   0.24 * cos(radians(2 * h)) + 0.32 * cos(radians(3 * h + 6)) -
		   0.20 * cos(radians(4 * h - 63));
	double turn = 30 * exp(-pow((h - 275) / 25, 2));
	double rt = -2 * power7(c) * sin(radians(2 * turn));

	dl /= 1 + 0.015 * pow(l - 50, 2) / sqrt(20 + pow(l - 50, 2));
	dc /= 1 + 0.045 * c;
	dh /= 1 + 0.015 * c * t;
	return sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh);
}

/* The distance of two colours by CIEDE2000. */
static double
distance(struct lab x, struct lab y)
{
	double mean = (hypot(x.a, x.b) + hypot(y.a, y.b)) / 2;
	double g = 1.5 - power7(mean) / 2;
	double c1 = hypot(x.a * g, x.b), c2 = hypot(y.a * g, y.b);
	double h1 = hue(x.a * g, x.b), h2 = hue(y.a * g, y.b);
	double by = h2 - h1, h = h1 + h2;

	if (c1 * c2 == 0) {
		by = 0;
	} else if (fabs(h1 - h2) <= 180) {
		h /= 2;
	} else {
		by += by > 0 ? -360 : 360;
		h = (h < 360 ? h + 360 : h - 360) / 2;
	}
	return weigh(y.l - x.l, c2 - c1,
		     2 * sqrt(c1 * c2) * sin(radians(by / 2)), (x.l + y.l) / 2,
		     (c1 + c2) / 2, h);
}

static void
add(struct seen_colours *s, struct str class, uint32_t rgb)
{
	struct seen_colour *c;
	size_t i;
	int which;

	for (i = 0; i < s->n; i++) {
		c = &s->colour[i];
		if (c->rgb == rgb && (size_t)c->class_length == class.len &&
		    memcmp(c->class, class.p, class.len) == 0)
			return;
	}
	s->colour = mem_grow(s->colour, &s->cap, s->n + 1, sizeof(*s->colour));
	c = &s->colour[s->n++];
	c->class = class.p;
	c->class_length = (int)class.len;
	c->rgb = rgb;
	for (which = 0; which < EYES; which++)
		c->lab[which] = look(rgb, which);
}

/* Add the colours that a formula gives to names, in all ways to choose. */
static void
add_formula(struct seen_colours *s, const struct palfile_class *c)
{
	char name[32];
	struct str frame = { name, 0 };
	int i;

	for (i = 0; i < NAMES; i++) {
		frame.len = (size_t)snprintf(name, sizeof(name), "%c%dx%c",
					     'a' + i % 26, i, 'a' + i % 23);
		add(s, c->name, shade_colour(&c->formula, SHADE_NAME, frame));
		add(s, c->name, shade_colour(&c->formula, SHADE_HASH, frame));
		add(s, c->name, shade_colour(&c->formula, SHADE_RANDOM, frame));
	}
}

static bool
is_exempt(struct str class, char *const *exempt)
{
	for (; *exempt != NULL; exempt++) {
		if (str_eq(class, str_of(*exempt)))
			return true;
	}
	return false;
}

static void
add_class(struct seen_colours *s, const struct palfile_class *c, bool dark)
{
	const uint32_t *shade = dark && c->ndark > 0 ? c->dark : c->light;
	size_t i, n = dark && c->ndark > 0 ? c->ndark : c->nlight;

	if (c->has_formula)
		add_formula(s, c);
	for (i = 0; i < n && !c->has_formula; i++)
		add(s, c->name, shade[i]);
}

/* The colours of all classes that a rule gives. */
static struct seen_colours
add_palette(const struct palfile *p, bool dark, char *const *exempt)
{
	struct seen_colours s = { 0 };
	size_t i, k;

	for (i = 0; i < p->nclass; i++) {
		for (k = 0; k < p->nrule && p->rule[k].class != i; k++)
			;
		if (k < p->nrule && !is_exempt(p->class[i].name, exempt))
			add_class(&s, &p->class[i], dark);
	}
	return s;
}

static struct seen_colours
add_diff(bool dark)
{
	struct seen_colours s = { 0 };
	struct colour c;
	uint32_t i;
	int by;

	for (i = 0; i < DIFF_COLOURS; i++) {
		c = diffcolour(i);
		by = abs((int)i - DIFF_SAME);
		/* What diffcolour_tested_step() uses. */
		if (by != 0 && by != 3 && by < 7)
			continue;
		add(&s,
		    by == 0       ? STR("grey") :
		    by < 4        ? (i < DIFF_SAME ? STR("pale-less") :
						     STR("pale-more")) :
		    i < DIFF_SAME ? STR("strong-less") :
				    STR("strong-more"),
		    dark ? c.dark : c.light);
	}
	return s;
}

static bool
same_class(const struct seen_colour *x, const struct seen_colour *y)
{
	return x->class_length == y->class_length &&
	       memcmp(x->class, y->class, (size_t)x->class_length) == 0;
}

static void
print_closest(const struct seen_colours *s, const char *page, int which)
{
	const struct seen_colour *x = NULL, *y = NULL;
	double least = INFINITY, d;
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < i; k++) {
			if (same_class(&s->colour[i], &s->colour[k]))
				continue;
			d = distance(s->colour[i].lab[which],
				     s->colour[k].lab[which]);
			if (d >= least)
				continue;
			least = d;
			x = &s->colour[k];
			y = &s->colour[i];
		}
	}
	if (x == NULL)
		return;
	printf("%s %s %.2f %.*s#%06" PRIx32 " %.*s#%06" PRIx32 "\n", page,
	       eye_name[which], least, x->class_length, x->class, x->rgb,
	       y->class_length, y->class, y->rgb);
}

static double
luminance(uint32_t rgb)
{
	return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) +
	       0.0722 * linear(rgb);
}

static double
contrast(uint32_t x, uint32_t y)
{
	double a = luminance(x) + 0.05, b = luminance(y) + 0.05;

	return a > b ? a / b : b / a;
}

/* Where no class has colours of its own for dark pages, labels keep theirs. */
static bool
is_fixed(const struct palfile *p)
{
	size_t i;

	for (i = 0; i < p->nclass; i++) {
		if (p->class[i].ndark > 0)
			return false;
	}
	return true;
}

static void
print_contrast(const struct palfile *p, bool dark)
{
	char *const none = NULL;
	struct seen_colours s = add_palette(p, dark, &none);
	const struct seen_colour *least = NULL;
	uint32_t ink, rgb;
	double c, worst = INFINITY;
	size_t i;

	for (i = 0; i < s.n; i++) {
		rgb = s.colour[i].rgb;
		ink = palette_wants_black(rgb) ? INK :
		      dark && !is_fixed(p)     ? DARK_PAGE_INK :
						 WHITE;
		c = contrast(rgb, ink);
		if (c < worst) {
			worst = c;
			least = &s.colour[i];
		}
	}
	if (least != NULL)
		printf("%s %.2f %.*s#%06" PRIx32 "\n", dark ? "dark" : "light",
		       worst, least->class_length, least->class, least->rgb);
	free(s.colour);
}

static void
print_distances(const struct palfile *p, char *const *exempt)
{
	struct seen_colours s;
	int dark, which;

	for (dark = 0; dark < 2; dark++) {
		s = p == NULL ? add_diff(dark) : add_palette(p, dark, exempt);
		for (which = 0; which < EYES; which++)
			print_closest(&s, dark ? "dark" : "light", which);
		free(s.colour);
	}
}

static void
test_distance(void)
{
	struct lab x, y;

	while (scanf("%lf %lf %lf %lf %lf %lf", &x.l, &x.a, &x.b, &y.l, &y.a,
		     &y.b) == 6)
		printf("%.4f\n", distance(x, y));
}

int
main(int argc, char *argv[])
{
	struct palfile p = { 0 };
	bool contrasts = argc == 3 && strcmp(argv[1], "-c") == 0;

	if (argc == 2 && strcmp(argv[1], "-t") == 0) {
		test_distance();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "-d") == 0) {
		print_distances(NULL, NULL);
		return 0;
	}
	if (argc < 2)
		errx(2, "usage: vision [-c] PALETTE [EXEMPT...] | -d | -t");
	palfile_read(&p, contrasts ? argv[2] : argv[1]);
	if (p.errors > 0)
		return 2;
	if (contrasts) {
		print_contrast(&p, false);
		print_contrast(&p, true);
	} else {
		print_distances(&p, argv + 2);
	}
	palfile_free(&p);
	return 0;
}
