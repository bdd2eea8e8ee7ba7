/* cpus.h - how many CPUs this process may use. */
#ifndef CPUS_H
#define CPUS_H

/*
 * The number of CPUs of this process's affinity, and not more than the quotas
 * of its cgroups (version 2) allow.  At least 1.
 */
unsigned cpus_usable(void);

/*
 * So many threads, but fewer if RLIMIT_AS leaves less than 128 MB of addresses
 * to each: with the heap that the C library reserves for a thread, its tables
 * do not fit into less.  At least 1.
 */
unsigned cpus_fit(unsigned threads);

#endif
