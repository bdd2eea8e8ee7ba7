/*
 * exportspeedscope.c - the JSON of speedscope.
 *
 * src/lib/file-format-spec.ts of speedscope describes it.  A profile is an
 * array of stacks and an array of weights.  Each thread of a stream is a
 * profile, and each column of two counts.
 */
#include "export/exportspeedscope.h"

#include "export/exportread.h"
#include "export/exporttext.h"
#include "folded/label.h"

#include <err.h>
#include <stdlib.h>

struct speedscope_writer {
	struct export_profile *e;
	struct buf out;
	struct exporttext_path path;
	uint32_t profiles; /* begun so far */

	/* Of the current profile: */
	struct exporttext_column weights;
	struct count total;
	uint64_t samples;
};

static struct str
unit_of(const struct export_profile *e)
{
	static const struct {
		const char *folded, *unit;
	} units[] = { { "ns", "nanoseconds" },
		      { "us", "microseconds" },
		      { "bytes", "bytes" } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (str_eq(exporttext_unit(e), str_of(units[i].folded)))
			return str_of(units[i].unit);
	}
	return STR("none");
}

static void
begin_profile(struct speedscope_writer *s, struct str name)
{
	if (s->profiles++ > 0)
		buf_char(&s->out, ',');
	buf_str(&s->out, STR("\n{\"type\":\"sampled\",\"name\":"));
	label_json(&s->out, name);
	buf_str(&s->out, STR(",\"unit\":"));
	label_json(&s->out, unit_of(s->e));
	buf_str(&s->out, STR(",\"startValue\":0,\"samples\":["));
	s->total = count_of(0);
	s->samples = 0;
}

static void
put_sample(struct speedscope_writer *s, uint32_t stack, struct count weight)
{
	size_t i;

	exporttext_path(s->e, stack, &s->path);
	buf_str(&s->out, s->samples++ > 0 ? STR(",\n[") : STR("\n["));
	for (i = 0; i < s->path.n; i++) {
		if (i > 0)
			buf_char(&s->out, ',');
		buf_u64(&s->out, s->path.id[i]);
	}
	buf_char(&s->out, ']');
	exporttext_column_add(&s->weights, weight);
	if (!count_add(&s->total, weight))
		errx(2, "the counts add up to more than 64 bits");
	exporttext_flush(s->e, &s->out);
}

static void
end_profile(struct speedscope_writer *s)
{
	buf_str(&s->out, STR("],\n\"weights\":"));
	exporttext_column_write(s->e, &s->weights, 0, &s->out);
	buf_str(&s->out, STR(",\"endValue\":"));
	exporttext_number(s->e, &s->out, s->total, 0);
	buf_char(&s->out, '}');
}

/* Put a profile for each column of counts. */
static void
put_sums(struct speedscope_writer *s)
{
	static const char *const sides[] = { "before", "after" };
	struct export_sample sample;
	int k;

	for (k = 0; k < s->e->counts; k++) {
		begin_profile(s, s->e->counts == 1 ? s->e->title :
						     str_of(sides[k]));
		while (exportread_next(s->e, &sample)) {
			if (!count_iszero(sample.count[k]))
				put_sample(s, sample.stack, sample.count[k]);
		}
		end_profile(s);
	}
}

/* Put a profile for each thread. */
static void
put_threads(struct speedscope_writer *s)
{
	struct export_sample sample;
	struct buf name = { 0 };

	while (exportread_next(s->e, &sample)) {
		if (sample.thread == s->profiles) {
			if (s->profiles > 0)
				end_profile(s);
			name.len = 0;
			exporttext_thread_name(s->e, sample.thread, &name);
			begin_profile(s, buf_slice(&name));
		}
		put_sample(s, sample.stack, sample.count[0]);
	}
	end_profile(s);
	buf_free(&name);
}

/* Put the frames.  Suffixes stay in names: the format has no other place. */
static void
put_frames(struct speedscope_writer *s)
{
	uint32_t i, n = intern_size(s->e->names);
	struct str file;
	char suffix;

	for (i = 0; i < n; i++) {
		buf_str(&s->out,
			i > 0 ? STR(",\n{\"name\":") : STR("\n{\"name\":"));
		label_json(&s->out, exporttext_name(s->e, i, &suffix));
		file = exporttext_object(s->e, i);
		if (file.len > 0) {
			buf_str(&s->out, STR(",\"file\":"));
			label_json(&s->out, file);
		}
		buf_char(&s->out, '}');
		exporttext_flush(s->e, &s->out);
	}
}

static void
write_speedscope(struct export_profile *e)
{
	struct speedscope_writer s = { .e = e };

	buf_str(&s.out, STR("{\"$schema\":\"https://www.speedscope.app/"
			    "file-format-schema.json\",\"exporter\":"
			    "\"foldstack " PACKAGE_VERSION "\",\"name\":"));
	label_json(&s.out, e->title);
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

const struct export_format exportspeedscope = {
	.name = "speedscope",
	.summary = "the JSON of speedscope.app",
	.order = EXPORT_BY_THREAD,
	.write = write_speedscope
};
