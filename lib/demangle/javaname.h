/* javaname.h - readable names of Java methods. */
#ifndef JAVANAME_H
#define JAVANAME_H

#include "base/buf.h"

/*
 * Convert the internal form of a class, a method and its descriptor (Java
 * Virtual Machine Specification, 4.3.3):
 *
 *	Ljava/lang/Object;equals(Ljava/lang/Object;)Z
 *	java.lang.Object.equals(java.lang.Object)
 *
 * Appends the result.  Returns false and appends nothing for other names.
 */
bool javaname(struct buf *out, struct str name);

#endif
