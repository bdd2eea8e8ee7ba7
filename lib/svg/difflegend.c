/* difflegend.c - what the colours of a tested diff mean. */
#include "svg/difflegend.h"

#include "base/count.h"

static void
add_line(struct buf *out, double y, double size, struct str text)
{
	buf_printf(out,
		   "<text class=\"pale\" data-fg=\"tested\" x=\"50%%\" "
		   "y=\"%.1f\" text-anchor=\"middle\" font-size=\"%g\" "
		   "fill=\"#555\" font-family=\"system-ui,sans-serif\">",
		   y, size);
	label_escape(out, text);
	buf_str(out, STR("</text>\n"));
}

/* Append one assumption: "user:0.03" is "user code 3 %". */
static void
add_assumption(struct buf *out, struct str one)
{
	struct str name = str_cut(&one, ':');
	struct count n;

	if (count_parse(one, &n) != COUNT_OK)
		return;
	if (str_eq(name, STR("phi")))
		buf_printf(out, "dispersion %g", count_double(n));
	else
		buf_printf(out, "%.*s code %g %%", (int)name.len, name.p,
			   100 * count_double(n));
}

/* Append how much runs differ, as the profile's metadata have it. */
static void
add_spread(struct buf *out, struct str assumed)
{
	size_t start;

	buf_str(out, STR("spread between runs, assumed and not measured: "));
	while (assumed.len > 0) {
		start = out->len;
		add_assumption(out, str_cut(&assumed, ','));
		if (out->len > start && assumed.len > 0)
			buf_str(out, STR(", "));
	}
}

void
difflegend_add(const struct svgdraw *d, double y)
{
	const struct verdicts *v = d->svg->verdicts;
	double size = d->svg->font_size;
	struct buf text = { 0 };

	if (y == 0 || v == NULL)
		return;
	add_line(
	    d->out, y, size,
	    v->any_tested ?
		STR("strong: beyond noise \xc2\xb7 pale: among the largest "
		    "differences, not beyond noise \xc2\xb7 grey: the rest") :
		STR("not tested \xc2\xb7 pale: among the largest "
		    "differences \xc2\xb7 grey: the rest"));
	if (v->assumed.len > 0)
		add_spread(&text, v->assumed);
	else if (v->any_tested)
		buf_str(&text, STR("spread between runs: measured"));
	add_line(d->out, y + size * 1.4, size, buf_slice(&text));
	buf_free(&text);
}
