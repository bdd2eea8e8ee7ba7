/* parallel.h - one list of work for several threads. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#define PARALLEL_MAX 64 /* threads */

/*
 * Call work(arg, worker, item) once for each item from 0 to n - 1, in up to
 * threads threads.  A worker, a number below threads, does one item after
 * another, so what it needs can be the worker's own; worker 0 is the calling
 * thread.  Each worker begins with a range of items of its own, in order, then
 * helps the others.  Without the right to begin threads, fewer workers do the
 * same.
 *
 * False if work() returned false; then items that have not begun are left out.
 */
bool parallel_each(unsigned threads, size_t n,
		   bool (*work)(void *arg, unsigned worker, size_t item),
		   void *arg);

#endif
