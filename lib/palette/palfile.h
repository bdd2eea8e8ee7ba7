/* palfile.h - parser of palette files; palette(5). */
#ifndef PALFILE_H
#define PALFILE_H

#include "base/arena.h"
#include "base/regex.h"
#include "base/subst.h"
#include "palette/shade.h"

/* A line of a file, for messages.  palfile.text owns the strings. */
struct palfile_place {
	const char *path;
	uint64_t line;
	struct str text;
};

/* A class: a choice of shades, or a formula. */
struct palfile_class {
	struct str name;
	struct str label; /* for a legend, with '_' for blanks; may be
			     empty: the name */
	char suffix;      /* 0 for none */
	uint32_t *light, *dark;
	size_t nlight, ndark, light_cap, dark_cap;
	bool has_formula;
	struct shade_formula formula;
};

/* A condition on a frame: it matches a pattern, or it has a class. */
struct palfile_fact {
	size_t class;
	struct regex *regex; /* NULL: the class is the condition */
};

/* A condition of a rule, and the frame that has to meet it. */
struct palfile_context {
	enum palfile_where {
		PALFILE_CALLER,
		PALFILE_CALLEE,
		PALFILE_UNDER /* any frame above */
	} where;
	size_t fact; /* number in palfile.fact */
};

struct palfile_rule {
	struct palfile_place place;
	size_t class;
	char suffix;         /* 0 for any */
	struct regex *regex; /* NULL matches all */
	struct palfile_context *context;
	size_t ncontext, context_cap;
};

struct palfile_rename {
	struct palfile_place place;
	struct subst *subst;
	uint64_t changed; /* names that palette_rename() changed by it */
};

/* A palette with all the files it includes; all zero at the start. */
struct palfile {
	struct palfile_class *class;
	struct palfile_rule *rule;
	struct palfile_fact *fact;
	struct palfile_rename *rename;
	size_t nclass, class_cap, nrule, rule_cap;
	size_t nfact, fact_cap, nrename, rename_cap, npath, path_cap;
	const char **path; /* files read so far */
	struct arena text;
	uint64_t errors;
};

/*
 * Read a palette by name or as a file, NULL for the built-in one, and add it to
 * *p.  Each error goes to standard error with file, line and column, and counts
 * in p->errors.  If there is no such palette, end the program with status 2.
 */
void palfile_read(struct palfile *p, const char *name);

/* The same for text.  The name is for messages, and must outlive p. */
void palfile_read_text(struct palfile *p, const char *name, struct str text);

void palfile_free(struct palfile *p);

#endif
