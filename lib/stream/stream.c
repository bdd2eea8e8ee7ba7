/* stream.c - the headers, stacks and snapshots of one input. */
#include "stream/stream.h"

/* With times up to 63 bits, the sum of time and dur cannot overflow. */
static bool
get_time(const struct meta *m, const char *key, uint64_t *ns)
{
	return meta_ns(m, key, ns) && *ns <= INT64_MAX;
}

static void
begin_profile(struct stream *s)
{
	const struct meta *m = &s->f.header;
	const struct str kind = meta_get(m, "kind");
	uint64_t length;

	s->supersedes = kind.len > 0 && !str_eq(kind, STR("delta"));
	s->kind = STREAM_PLAIN;
	if (!get_time(m, "time", &s->begin) || !get_time(m, "dur", &length))
		return;
	s->kind = STREAM_SNAPSHOT;
	s->end = s->begin + length;
}

enum stream_event
stream_next(struct stream *s, struct input *in)
{
	enum folded_kind kind;

	while ((kind = folded_read(&s->f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			s->is_sample = get_time(&s->f.own, "time", &s->time);
			return STREAM_STACK;
		}
		if (kind == FOLDED_META && s->f.is_header) {
			begin_profile(s);
			return STREAM_HEADER;
		}
		if (kind == FOLDED_BLANK && s->kind == STREAM_SNAPSHOT) {
			s->kind = STREAM_PLAIN;
			return STREAM_END;
		}
	}
	return STREAM_NOTHING;
}

void
stream_free(struct stream *s)
{
	folded_free(&s->f);
}

double
stream_number(const struct stream *s, const char *key)
{
	const struct str text = meta_get(&s->f.header, key);
	struct count c;

	return count_parse(text, &c) == COUNT_OK ? count_double(c) : 0;
}

struct tallies
stream_tallies(const struct stream *s)
{
	return (struct tallies){ stream_number(s, "n"),
				 stream_number(s, "lost"),
				 stream_number(s, "broken"),
				 stream_number(s, "rounds") };
}
