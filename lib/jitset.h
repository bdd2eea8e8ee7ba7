/* jitset.h - the symbol files of JITs, by process; for jit.c only. */
#ifndef JITSET_H
#define JITSET_H

#include "arena.h"
#include "jit.h"
#include "perfmap.h"

/* A file; what was only found is read when it is first asked. */
struct jit_source {
	struct str path;
	enum trust trust;
	bool found;           /* not named by the user */
	struct jitdump *dump; /* opened, and not yet read */
	struct jitcode *code; /* of a jitdump */
	uint32_t *number;     /* of the names of its functions, or NONE */
	struct jit_cfi *cfi;  /* of its functions, NULL before it is asked */
	struct perfmap *map;
};

#define JIT_NONE UINT32_MAX

/* Rules, if asked for already; there may be none. */
struct jit_cfi {
	struct cfi *cfi;
	bool known;
};

struct jit_process {
	int64_t pid; /* in its own name space, or JIT_ANY */
	struct jit_source *source;
	size_t n, cap;
	bool searched;
	size_t maps; /* how many of them are no jitdumps */
};

enum { JIT_ANY = -1 };

struct jitset {
	const struct jit_options *options;
	struct jit_process **process; /* in the order of their numbers */
	size_t n, cap;
	struct jit_translation *translation;
	size_t translations, translation_cap;
	struct arena arena;
	struct buf why;
	struct buf notes; /* lines */
	uint64_t bad;
};

/* Begin, all zero but for options; release with jitset_free(). */
void jitset_free(struct jitset *j);

/* See jit_translate() and what follows it there. */
void jitset_translate(struct jitset *j, int64_t inside, int64_t host);
bool jitset_add_dump(struct jitset *j, const char *path, struct buf *why);
bool jitset_add_map(struct jitset *j, const char *path, int64_t pid,
		    struct buf *why);
void jitset_add_mapped(struct jitset *j, int64_t pid, const char *path);
bool jitset_ask_jvm(struct jitset *j, int64_t pid);
void jitset_search(struct jitset *j, int64_t pid, const char *root);
int64_t jitset_only(const struct jitset *j);

/* A process by its number in the profile, or JIT_ANY; NULL if unknown. */
struct jit_process *jitset_find(const struct jitset *j, int64_t pid);

/* The functions of a file, NULL if it has none. */
struct jitcode *jitset_code(struct jitset *j, const struct jit_process *p,
			    struct jit_source *s);

#endif
