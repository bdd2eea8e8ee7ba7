/* task_samples.h - samples of tasks that a runtime schedules by itself. */
#ifndef TASK_SAMPLES_H
#define TASK_SAMPLES_H

#include "sampler/capture.h"
#include "sampler/live_threads.h"
#include "sampler/sampler.h"

/*
 * Write a sample of each suspended task of a process to options->sample, and
 * count them.
 */
void task_samples(struct live_threads *l, struct capture *capture,
		  const struct sampler_options *options,
		  struct sampler_counts *counts);

#endif
