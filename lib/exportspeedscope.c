/*
 * exportspeedscope.c - speedscope's own JSON.
 *
 * The format: src/lib/file-format-spec.ts of speedscope.  A profile is a row
 * of stacks and then one of weights; each thread of a stream is one, and so
 * is each of two counts.
 */
#include "exporttext.h"

#include "svgtext.h"

#include <err.h>
#include <stdlib.h>

struct speedscope {
	struct exported *e;
	struct buf out;
	struct export_path path;
	struct export_column weights; /* of the profile that is written */
	struct count total;
	uint64_t samples;  /* of it */
	uint32_t profiles; /* that have begun */
};

static struct str
unit_of(const struct exported *e)
{
	static const struct {
		const char *folded, *unit;
	} units[] = { { "ns", "nanoseconds" },
		      { "us", "microseconds" },
		      { "bytes", "bytes" } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (str_eq(export_unit(e), str_of(units[i].folded)))
			return str_of(units[i].unit);
	}
	return STR("none");
}

static void
begin_profile(struct speedscope *s, struct str name)
{
	if (s->profiles++ > 0)
		buf_char(&s->out, ',');
	buf_str(&s->out, STR("\n{\"type\":\"sampled\",\"name\":"));
	svgtext_json(&s->out, name);
	buf_str(&s->out, STR(",\"unit\":"));
	svgtext_json(&s->out, unit_of(s->e));
	buf_str(&s->out, STR(",\"startValue\":0,\"samples\":["));
	s->total = count_of(0);
	s->samples = 0;
}

static void
put_sample(struct speedscope *s, uint32_t stack, struct count weight)
{
	size_t i;

	export_path(s->e, stack, &s->path);
	buf_str(&s->out, s->samples++ > 0 ? STR(",\n[") : STR("\n["));
	for (i = 0; i < s->path.n; i++) {
		if (i > 0)
			buf_char(&s->out, ',');
		buf_u64(&s->out, s->path.id[i]);
	}
	buf_char(&s->out, ']');
	export_keep(&s->weights, weight);
	if (!count_add(&s->total, weight))
		errx(2, "the counts add up to more than 64 bits");
	export_flush(s->e, &s->out);
}

static void
end_profile(struct speedscope *s)
{
	buf_str(&s->out, STR("],\n\"weights\":"));
	export_array(s->e, &s->weights, 0, &s->out);
	buf_str(&s->out, STR(",\"endValue\":"));
	export_number(s->e, &s->out, s->total, 0);
	buf_char(&s->out, '}');
}

/* A profile of each count. */
static void
put_sums(struct speedscope *s)
{
	static const char *const sides[] = { "before", "after" };
	struct export_sample sample;
	int k;

	for (k = 0; k < s->e->counts; k++) {
		begin_profile(s, s->e->counts == 1 ? s->e->title :
						     str_of(sides[k]));
		while (export_next(s->e, &sample)) {
			if (!count_iszero(sample.count[k]))
				put_sample(s, sample.stack, sample.count[k]);
		}
		end_profile(s);
	}
}

/* A profile of each thread. */
static void
put_threads(struct speedscope *s)
{
	struct export_sample sample;
	struct buf name = { 0 };

	while (export_next(s->e, &sample)) {
		if (sample.thread == s->profiles) {
			if (s->profiles > 0)
				end_profile(s);
			name.len = 0;
			export_thread_name(s->e, sample.thread, &name);
			begin_profile(s, buf_slice(&name));
		}
		put_sample(s, sample.stack, sample.count[0]);
	}
	end_profile(s);
	buf_free(&name);
}

/* Suffixes stay in names, for which there is no other place. */
static void
put_frames(struct speedscope *s)
{
	uint32_t i, n = intern_size(s->e->names);
	struct str file;
	char suffix;

	for (i = 0; i < n; i++) {
		buf_str(&s->out,
			i > 0 ? STR(",\n{\"name\":") : STR("\n{\"name\":"));
		svgtext_json(&s->out, export_name(s->e, i, &suffix));
		file = export_object(s->e, i);
		if (file.len > 0) {
			buf_str(&s->out, STR(",\"file\":"));
			svgtext_json(&s->out, file);
		}
		buf_char(&s->out, '}');
		export_flush(s->e, &s->out);
	}
}

static void
write_speedscope(struct exported *e)
{
	struct speedscope s = { .e = e };

	buf_str(&s.out, STR("{\"$schema\":\"https://www.speedscope.app/"
			    "file-format-schema.json\",\"exporter\":"
			    "\"foldstack " PACKAGE_VERSION "\",\"name\":"));
	svgtext_json(&s.out, e->title);
	buf_str(&s.out, STR(",\"profiles\":["));
	if (e->nthreads > 0)
		put_threads(&s);
	else
		put_sums(&s);
	buf_str(&s.out, STR("],\n\"shared\":{\"frames\":["));
	put_frames(&s);
	buf_str(&s.out, STR("]}}\n"));
	buf_write(&s.out, e->out);
	buf_free(&s.out);
	free(s.path.id);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.summary = "the JSON of speedscope.app",
	.order = EXPORT_BY_THREAD,
	.write = write_speedscope
};
