/* jvm_names.h - names of methods in perf maps of JVMs. */
#ifndef JVM_NAMES_H
#define JVM_NAMES_H

#include "base/buf.h"

/*
 * Append a perf map with methods as they are named elsewhere:
 * "java/util/HashMap.get(java.lang.Object)" for
 * "java.lang.Object java.util.HashMap.get(java.lang.Object)".
 */
void jvm_names_convert(struct str map, struct buf *out);

#endif
