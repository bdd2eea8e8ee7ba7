/* rights.h - the capabilities that looking at processes takes, and no more. */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>

/*
 * Give up, for good, all capabilities but those by which processes of others
 * are looked at:
 *
 *	CAP_SYS_PTRACE          their maps, their memory, their registers
 *	CAP_DAC_READ_SEARCH     /proc/PID/syscall, which is its owner's alone,
 *	                        and programs where only their users may go
 *	CAP_CHECKPOINT_RESTORE  programs that were deleted or replaced
 *	CAP_SYS_NICE            a priority above theirs
 *
 * and, if JVMs are asked, those by which jvm_ask() becomes their users:
 * CAP_SETUID, CAP_SETGID and CAP_SYS_CHROOT.  What is not held is not gained.
 * What is executed later has these at most: start before what should have its
 * own.  Ends the program if that fails.
 */
void rights_keep_to_look(bool asks_jvms);

/* The same for all of them; false, with errno, if that fails. */
bool rights_keep_none(void);

/* Whether processes of other users may be looked at. */
bool rights_to_look(void);

#endif
