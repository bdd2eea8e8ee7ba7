/* recorder_add.h - open the events for what is to be recorded. */
#ifndef RECORDER_ADD_H
#define RECORDER_ADD_H

#include "record/recorder.h"

/*
 * Open the events for a child of launch_prepare(), for a process with all its
 * threads, for all processes, or for a cgroup, an open folder of a cgroup tree.
 * False with the reason appended to why.
 */
bool recorder_add_child(struct recorder *r, int64_t pid, struct buf *why);
bool recorder_add_process(struct recorder *r, int64_t pid, struct buf *why);
bool recorder_add_machine(struct recorder *r, struct buf *why);
bool recorder_add_cgroup(struct recorder *r, int cgroup, struct buf *why);

#endif
