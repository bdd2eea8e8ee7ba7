/* code_log.h - the jitdump that the agent writes. */
#ifndef CODE_LOG_H
#define CODE_LOG_H

#include "bytes.h"

struct code_log;

/*
 * Create jit-PID.dump, which must not exist, in a folder.  Without one, it is
 * in a new folder java-jit-DATE.XXXXXX in .debug/jit of $JITDUMPDIR, $HOME or
 * /tmp, as with perf's own agent.  The file is readable for its owner only.  A
 * page of it is mapped as executable, so that perf records its name.  NULL,
 * with a reason in why, if that fails.
 */
struct code_log *code_log_new(const char *folder, char *why, size_t size);

/* End the file. */
void code_log_free(struct code_log *log);

/*
 * Write that code has this name from now on.  debug is the body of a record
 * JIT_CODE_DEBUG_INFO, or empty.  False, with errno, if that fails.
 */
bool code_log_load(struct code_log *log, const char *name, const void *code,
		   size_t size, const struct bytes *debug);

#endif
