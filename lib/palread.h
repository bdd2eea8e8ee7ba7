/* palread.h - palettes as they stand in files; palette(5). */
#ifndef PALREAD_H
#define PALREAD_H

#include "arena.h"
#include "regex.h"
#include "shade.h"
#include "subst.h"

/* Where something stands, for messages. */
struct palplace {
	const char *path; /* kept in palfile.text */
	uint64_t line;
	struct str text; /* the line, kept there too */
};

/* A class has shades to choose from, or a formula for each part. */
struct palclass {
	struct str name;
	char suffix; /* 0 for none */
	uint32_t *light, *dark;
	size_t nlight, ndark, light_cap, dark_cap;
	bool has_formula;
	struct shade_formula formula;
};

/* What a frame can be asked: its class, or whether a pattern matches it. */
struct palfact {
	size_t class;
	struct regex *regex; /* NULL: it is the class that is asked for */
};

/* What a rule asks, and of which frames. */
struct palcontext {
	enum palwhere { PAL_CALLER, PAL_CALLEE, PAL_UNDER } where;
	size_t fact; /* in palfile.fact */
};

struct palrule {
	struct palplace place;
	size_t class;
	char suffix;         /* 0 if any */
	struct regex *regex; /* NULL matches all */
	struct palcontext *context;
	size_t ncontext, context_cap;
};

struct palrename {
	struct palplace place;
	struct subst *subst;
	uint64_t changed; /* names, as palette_rename() counts them */
};

/* All that is in a palette; all zero at the start. */
struct palfile {
	struct palclass *class;
	struct palrule *rule;
	struct palfact *fact;
	struct palrename *rename;
	size_t nclass, class_cap, nrule, rule_cap;
	size_t nfact, fact_cap, nrename, rename_cap, npath, path_cap;
	const char **path; /* of the files that were read */
	struct arena text;
	uint64_t errors;
};

/*
 * Read a palette, by name or as a file; NULL is the built-in one.  What it
 * has is added to what was read before.  Each error in it is said on standard
 * error, with file, line and column, and counted.  Ends the program with
 * status 2 if there is no such palette.
 */
void palread(struct palfile *p, const char *name);

/* The same for text; its name is for messages, and outlives p. */
void palread_text(struct palfile *p, const char *name, struct str text);

void palread_free(struct palfile *p);

#endif
