/*
 * palette - lib/palfile and lib/subst as a libFuzzer target: a palette comes
 * in, and frames behind its first empty line.  Palettes that include others
 * are left out, which would read files.
 */
#include "base/utf8.h"
#include "palette/palfile.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Ask about a frame, which is UTF-8 by then, all that the palette asks. */
static void
ask(const struct palfile *p, struct str frame)
{
	struct buf text = { 0 }, changed = { 0 };
	struct str name;
	size_t i;

	utf8_escape(&text, frame);
	name = buf_slice(&text);
	for (i = 0; i < p->nrename; i++)
		subst_apply(p->rename[i].subst, name, &changed);
	for (i = 0; i < p->nrule; i++) {
		if (p->rule[i].regex != NULL)
			regex_match(p->rule[i].regex, name);
	}
	for (i = 0; i < p->nfact; i++) {
		if (p->fact[i].regex != NULL)
			regex_match(p->fact[i].regex, name);
	}
	buf_free(&text);
	buf_free(&changed);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct str text = { (const char *)data, size }, frames = { 0 };
	struct palfile p = { 0 };
	const char *end = str_search(text, STR("\n\n"));

	if (size == 0 || str_search(text, STR("include")) != NULL)
		return 0;
	if (end != NULL) {
		frames = str_range(end + 2, text.p + text.len);
		text = str_range(text.p, end);
	}
	palfile_read_text(&p, "fuzz", text);
	while (frames.len > 0)
		ask(&p, str_cut(&frames, ';'));
	palfile_free(&p);
	return 0;
}
