/* jfr_printed.c - an event of Flight Recorder in the output of jfr print. */
#include "formats/jfr_printed.h"

#include "base/mem.h"

#include <stdlib.h>

/* jfr print shows this many frames of a stack by default. */
#define DEFAULT_DEPTH 5

void
jfr_printed_begin(struct jfr_printed *p, struct str name)
{
	p->kind = jfr_kinds_find(name);
	p->name.len = p->thread.len = p->subject.len = 0;
	buf_str(&p->name, name);
	p->tid = -1;
	p->has_time = p->has_stack = p->is_truncated = p->is_failed = false;
	p->has_weight = p->is_bad = false;
	p->weight = 1;
	p->unit = STR("samples");
	p->n = 0;
}

void
jfr_printed_frame(struct jfr_printed *p, const struct frame *frame)
{
	p->token = mem_grow(p->token, &p->cap, p->n + 1, sizeof(*p->token));
	p->token[p->n++] = sink_token(p->out, frame, 0);
	p->has_stack = true;
}

bool
jfr_printed_is_weight(const struct jfr_printed *p, struct str field)
{
	const char *weight = p->opt->weight != NULL ? p->opt->weight :
						      p->kind->weight;

	return weight != NULL && str_eq(field, str_of(weight));
}

static void
push_name(struct jfr_printed *p, struct str name)
{
	sink_frame(p->out, &(struct frame){ .name = name, .whole = true });
}

void
jfr_printed_end(struct jfr_printed *p)
{
	struct sample sample = SAMPLE_UNKNOWN;

	if (!p->has_stack && !p->is_failed && p->kind->name == NULL)
		return; /* an event that never has a stack */
	if (p->is_bad) {
		input_bad(p->in, "a count that is negative or not a number");
		return;
	}
	sample.event = buf_slice(&p->name);
	sample.tid = p->tid;
	sample.time = p->time;
	sample.has_time = p->has_time;
	sample.unit = p->unit;
	if (str_eq(p->unit, STR("ns")))
		sample.ns = p->weight;
	if (!sink_begin(p->out, &sample))
		return;
	if (p->opt->subjects && p->subject.len > 0)
		push_name(p, buf_slice(&p->subject));
	if (p->n > 0)
		sink_push(p->out, p->token, p->n);
	else
		push_name(p,
			  p->is_failed ? STR("[failed]") : STR("[no stack]"));
	if (p->is_truncated)
		sink_truncated(p->out);
	if (p->n > p->deepest)
		p->deepest = p->n;
	if (p->opt->threads && p->thread.len > 0)
		push_name(p, buf_slice(&p->thread));
	sink_end(p->out, count_of(p->weight));
}

void
jfr_printed_finish(struct jfr_printed *p)
{
	p->text.len = 0;
	if (p->deepest == DEFAULT_DEPTH) {
		buf_printf(&p->text,
			   "%s: no stack has more than %d frames; print them "
			   "with jfr print --stack-depth 64",
			   p->in->name, DEFAULT_DEPTH);
		sink_note(p->out, buf_slice(&p->text));
	}
	free(p->token);
	buf_free(&p->name);
	buf_free(&p->thread);
	buf_free(&p->subject);
	buf_free(&p->text);
}
