/* jitset.h - what jit.h keeps; for its own jit*.c only. */
#ifndef JITSET_H
#define JITSET_H

#include "arena.h"
#include "jit.h"
#include "perfmap.h"

/* Which file it was as it was opened, and how much of it; zero if none. */
struct jit_stamp {
	uint64_t device, inode, size;
	uint32_t owner;
};

/* A file; what was only found is read when it is first asked. */
struct jit_source {
	struct str path;
	struct jit_stamp stamp;
	enum trust trust;
	bool found;           /* not named by the user */
	struct jitdump *dump; /* opened, and not yet read */
	struct jitcode *code; /* of a jitdump */
	uint32_t *number;     /* of its functions' symbols, or JIT_NONE */
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
	size_t maps;          /* how many of them are no jitdumps */
	bool looked;          /* for the map that it left, */
	struct perfmap *left; /* which is here, or NULL */
	bool is_live;         /* a JVM, which can be asked for one again */
	struct jvm_question *question; /* that it is asked now, or NULL */
	struct jit_told *told;         /* by a trace, or NULL */
	int64_t parent; /* whose code it began with, in the profile; or 0 */
	uint64_t until; /* that is there */
};

enum { JIT_ANY = -1 };

/* Where a map gave a name, in case that another one differs. */
struct jit_place {
	const struct jit_process *process;
	uint64_t address;
};

/* How many generations of processes are asked. */
enum { JIT_FAMILY = 16 };

/*
 * What jit.h keeps: jitset.c has the files, jitlive.c those of processes that
 * run, jittold.c what traces tell of, jitfork.c what processes begin with,
 * jit.c the answers, jitnote.c what is said of them.
 */
struct jit {
	struct jit_options options;

	/* The files. */
	struct jit_process **process; /* in the order of their numbers */
	size_t n, cap;
	struct jit_translation *translation;
	size_t translations, translation_cap;
	struct arena arena;
	struct buf why;
	struct buf notes; /* lines */
	uint64_t bad;
	struct jit_clock ticks; /* of the recording; FILE if that is unknown */

	/* The answers. */
	struct intern *keys; /* of symbols */
	struct jit_symbol *symbol;
	size_t symbol_cap;
	struct buf name, line, module;
	struct intern *mapped; /* jit_places that several maps could name */
	struct insn *insn;
	int machine; /* which it is for, 0 at first */
	uint64_t early, too_early;
	enum jit_times times;
	bool other_clock; /* some were asked that cannot be compared */
	size_t said;      /* of the notes */
	bool summed;      /* the last notes are there */
};

/* Release the files. */
void jitset_free(struct jit *j);

/* Note files whose times mean nothing. */
void jitset_note_clocks(struct jit *j);

/* Append what was not understood of a map to the notes, and count it. */
void jitset_note_lines(struct jit *j, struct str path,
		       const struct perfmap *map);

/* Append a line about a file to the notes. */
void jitset_note(struct jit *j, struct str path, struct str text);

/* Whom to trust with a file, in a folder that others can write to or not. */
enum trust jitset_trust(const struct jit *j, bool shared);

/* What a process of the profile is called by its own files. */
int64_t jitset_inside(const struct jit *j, int64_t pid);

/* A process by its own number, which is made if there is none. */
struct jit_process *jitset_get(struct jit *j, int64_t inside);

/*
 * Use a jitdump of a process of the profile, once; false, with a reason, if it
 * cannot be read.
 */
bool jitset_open_dump(struct jit *j, const char *path, int64_t pid,
		      enum trust trust, struct buf *why);

/* Use a map of a process, which is given away, with its file's stamp. */
void jitset_use_map(struct jit *j, struct perfmap *map, int64_t inside,
		    const char *name, const struct jit_stamp *stamp);

/* That of a file as it is now. */
struct jit_stamp jitset_stamp(const char *path);

/* Forget file i, if there is more in it now, and open it anew; else false. */
bool jitset_reopen(struct jit *j, struct jit_process *p, size_t i);
void jitset_drop(struct jit_process *p, size_t i);

/* A process by its number in the profile, or JIT_ANY; NULL if unknown. */
struct jit_process *jitset_find(const struct jit *j, int64_t pid);

/*
 * A process and those whose code it has from its birth on, the last parent
 * first; returns how many.
 */
size_t jitset_family(const struct jit *j, int64_t pid, uint64_t time,
		     struct jit_process *family[JIT_FAMILY]);

/* The functions of a file, NULL if it has none. */
struct jitcode *jitset_code(struct jit *j, const struct jit_process *p,
			    struct jit_source *s);

/* Where a trace told of code: the name as it was told, or false. */
bool jittold_find(struct jit_told *told, uint64_t time, uint64_t address,
		  struct symbol *found);
void jittold_free(struct jit_told *told);

#endif
