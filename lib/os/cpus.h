/* cpus.h - how many CPUs this process may use. */
#ifndef CPUS_H
#define CPUS_H

/*
 * The number of CPUs of this process's affinity, and not more than the quotas
 * of its cgroups (version 2) allow.  At least 1.
 */
unsigned cpus_usable(void);

#endif
