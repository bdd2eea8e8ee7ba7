/* javaname.h - names of Java methods as the JVM writes them for machines. */
#ifndef JAVANAME_H
#define JAVANAME_H

#include "buf.h"

/*
 * Append "java.lang.Object.equals(java.lang.Object)" for
 * "Ljava/lang/Object;equals(Ljava/lang/Object;)Z": a class, a method and its
 * descriptor (Java VM specification, 4.3.3).  False, and nothing appended, if
 * the name is none of these.
 */
bool javaname(struct buf *out, struct str name);

#endif
