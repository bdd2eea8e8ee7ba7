/* plain.h - names as programmers wrote them, each demangled once. */
#ifndef PLAIN_H
#define PLAIN_H

#include "str.h"

struct plain;

/* Begin; mangled: leave names as they are. */
struct plain *plain_new(bool mangled);
void plain_free(struct plain *p);

/* As demangle(), or the name itself; as long as p if the name is. */
struct str plain_name(struct plain *p, struct str name);

#endif
