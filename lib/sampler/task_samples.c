/* task_samples.c - samples of tasks that a runtime schedules by itself. */
#include "sampler/task_samples.h"

#include "base/mem.h"
#include "os/clock.h"

struct task_writer {
	const struct live_threads *process;
	struct capture *capture;
	const struct sampler_options *options;
	struct sampler_counts *counts;
	uint64_t time;
	int64_t tid; /* of any thread of the process */
	struct interp_entries entries;
	struct stack_frames native;
	struct buf text;
	uint64_t text_key;
};

/* Make entries of frames, without native ones among them. */
static void
set_entries(struct interp_entries *e, const struct interp_task *t)
{
	size_t i;

	e->n = 0;
	e->entry = mem_grow(e->entry, &e->cap, t->n, sizeof(*e->entry));
	for (i = 0; i < t->n; i++) {
		if (t->frame[i].function == INTERP_STACK_HIDDEN)
			continue;
		e->entry[e->n++] =
		    (struct interp_entry){ .function = t->frame[i].function,
					   .line = t->frame[i].line };
	}
}

/* Unwind a task that is suspended in native code. */
static void
unwind(struct task_writer *w, const struct interp_task *t)
{
	const struct live_process *p = &w->process->process;
	struct stack_copy copy = { .process = p,
				   .tid = w->tid,
				   .arch = p->arch,
				   .sp = t->sp,
				   .bytes = t->stack };

	w->native.n = 0;
	w->native.truncated = false;
	if (t->sp == 0)
		return;
	arch_set(&copy.registers, p->arch->pc, t->pc);
	arch_set(&copy.registers, p->arch->sp, t->sp);
	capture_unwind_task(w->capture, &copy, &w->native);
	/* A task that waits has called the scheduler. */
	if (!t->ready && w->native.n > 0)
		w->native.frame[0].exact = false;
	w->counts->truncated += w->native.truncated;
}

static void
write_task(void *arg, const struct interp_task *t)
{
	struct task_writer *w = arg;
	const struct lock_chain none = { .n = 0 };
	struct thread_sample sample = { .time = w->time,
					.pid = w->process->process.pid,
					.state = 'S',
					.call = t->ready ? STR("ready") :
							   STR("await"),
					.label = t->wait,
					.chain = &none,
					.file = t->lock,
					.wchan = STR(""),
					.name = t->kind,
					.is_task = true,
					.task = t->name,
					.text = &w->text,
					.text_key = &w->text_key,
					.vm = &w->entries };

	if (w->options->match_name != NULL &&
	    !w->options->match_name(w->options->arg, t->kind)) {
		w->counts->name_mismatches++;
		return;
	}
	set_entries(&w->entries, t);
	unwind(w, t);
	sample.frame = w->native.frame;
	sample.n = w->native.n;
	sample.truncated = w->native.truncated;
	w->text.len = 0;
	w->counts->samples++;
	w->counts->vm_samples += w->entries.n > 0;
	w->counts->tasks++;
	w->options->sample(w->options->arg, &sample);
}

void
task_samples(struct live_threads *l, struct capture *capture,
	     const struct sampler_options *options,
	     struct sampler_counts *counts)
{
	struct task_writer w = { .process = l,
				 .capture = capture,
				 .options = options,
				 .counts = counts,
				 .tid = l->n == 0 ?
					    l->process.pid :
					    l->thread[l->n - 1]->files.tid,
				 .time = clock_ns(CLOCK_MONOTONIC) };
	const struct interp_task_receiver receiver = {
		write_task, &w, options->with_task_names
	};
	const struct interp_reader reader = { .tid = w.tid,
					      .pid = l->process.pid };

	counts->unread_tasks += interp_report_tasks(
	    l->interp, &reader, options->functions, w.time, &receiver);
	interp_merge_free(&w.entries);
	unwind_copy_release(&w.native);
	buf_free(&w.text);
}
