/* debug_info.h - lines and inlined methods of compiled code, for a jitdump. */
#ifndef DEBUG_INFO_H
#define DEBUG_INFO_H

#include "bytes.h"

#include <jvmti.h>

/*
 * Append the name of a method as perf's agent writes it: "LApp;run(I)V".  False
 * if the JVM does not say it.
 */
bool debug_info_name(jvmtiEnv *jvmti, jmethodID method, struct bytes *out);

/*
 * Append the body of a record JIT_CODE_DEBUG_INFO, as foldjvm(5) says, for code
 * with the compile_info of the event CompiledMethodLoad.  Nothing is appended
 * if the JVM does not describe the code.
 */
void debug_info_write(jvmtiEnv *jvmti, const void *code, size_t size,
		      const void *compile_info, struct bytes *out);

#endif
