/* capabilities.h - drop all capabilities but those for sampling processes. */
#ifndef CAPABILITIES_H
#define CAPABILITIES_H

#include <stdbool.h>

/*
 * Drop all capabilities for good, except those needed to sample processes of
 * other users:
 *
 *	CAP_SYS_PTRACE          their maps, memory and registers
 *	CAP_DAC_READ_SEARCH     /proc/PID/syscall, which only the owner may
 *	                        read, and programs in private folders
 *	CAP_CHECKPOINT_RESTORE  programs that were deleted or replaced
 *	CAP_SYS_NICE            a priority above theirs
 *
 * With for_jvms, also keep CAP_SETUID, CAP_SETGID and CAP_SYS_CHROOT, by which
 * jvm_map_start() becomes the user of a JVM.  No capability is gained. Programs
 *that are executed later have these capabilities at most.  Ends the program if
 *it fails.
 */
void capabilities_keep_ptrace(bool for_jvms);

/* Drop all capabilities; false, with errno set, if that fails. */
bool capabilities_drop_all(void);

/* Whether the process may trace processes of other users. */
bool capabilities_have_ptrace(void);

#endif
