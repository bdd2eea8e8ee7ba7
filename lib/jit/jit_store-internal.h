/* jit_store-internal.h - processes and their symbol files, for jit*.c only. */
#ifndef JIT_STORE_INTERNAL_H
#define JIT_STORE_INTERNAL_H

#include "base/arena.h"
#include "base/table.h"
#include "jit/jit_store.h"
#include "jit/perfmap.h"

/* A file when it was opened; all zero if there was none. */
struct jit_stamp {
	uint64_t device, inode, size;
	uint32_t owner;
};

/* Unwind rules of a function, made on first use; cfi is NULL if it has none. */
struct jit_cfi {
	struct cfi *cfi;
	bool made;
};

/* A symbol number that is not set yet. */
#define JIT_NONE UINT32_MAX

/* A jitdump, or a perf map from a file or a JVM. */
struct jit_source {
	struct str path;
	struct jit_stamp stamp;
	enum trust trust;
	bool unread;          /* a jitdump of a folder, read on first use */
	struct jitcode *code; /* of a jitdump, else NULL */
	struct perfmap *map;  /* else NULL */
	uint32_t *number;     /* symbol numbers of its functions, or JIT_NONE */
	struct jit_cfi *cfi;  /* of the jitdump's functions; NULL before use */
	uint32_t **stretch;   /* as number, of each stretch of a function that
				  inlines others; NULL before use */
};

/* The pid of files that belong to any process. */
enum { JIT_ANY = -1 };

/* The symbol files and other JIT code of a process. */
struct process_jit {
	int64_t pid; /* in its own PID name space, or JIT_ANY */
	UT_hash_handle hh;
	struct jit_source *source;
	size_t n, cap;
	size_t maps; /* how many sources are perf maps */

	/* For jit_discover.c. */
	bool searched;
	bool map_searched;
	struct perfmap *map;         /* of jit_discover_map(), or NULL */
	bool is_jvm;                 /* a JVM, which can write more maps */
	struct jvm_request *request; /* in progress, or NULL */

	/* For jit.c. */
	struct jit_trace_names *trace_names; /* or NULL */
	int64_t parent;  /* in the profile, whose code it inherited; or 0 */
	uint64_t until;  /* when it lost that code by exec */
	size_t children; /* that have it as their parent */
	bool ended;      /* and is kept for the children alone */
};

struct jit_store {
	struct jit_clock clock; /* an option */
	struct jit_clock ticks; /* of the recording; FILE if unknown */
	bool trust_all;
	struct process_jit *processes; /* by pid */
	struct jit_translation *translation;
	size_t translations, translation_cap;
	struct arena arena;
	struct buf why;   /* scratch */
	struct buf notes; /* lines */
	uint64_t bad;     /* records and lines that were not understood */
};

/* trust_all: use the files of other users, too.  See jit_store_free(). */
struct jit_store *jit_store_new(const struct jit_clock *clock, bool trust_all);
void jit_store_free(struct jit_store *s);

/*
 * A process of the profile.  jit_store_find() returns NULL if the store does
 * not have it, jit_store_process() adds it.
 */
struct process_jit *jit_store_find(const struct jit_store *s, int64_t pid);
struct process_jit *jit_store_process(struct jit_store *s, int64_t pid);

/* A process by its PID in its own name space, or NULL. */
struct process_jit *jit_store_inner(const struct jit_store *s, int64_t pid);

/* The PID that a process of the profile has in its own name space. */
int64_t jit_store_inner_pid(const struct jit_store *s, int64_t pid);

/* Whom to trust with a file; shared: other users can write to its folder. */
enum trust jit_store_trust(const struct jit_store *s, bool shared);

/* The file as it is now. */
struct jit_stamp jit_store_stamp(const char *path);

/*
 * Add a jitdump to a process of the profile, unless the process has it already.
 * False, with a reason appended to *why, if it cannot be read.
 */
bool jit_store_open_dump(struct jit_store *s, const char *path, int64_t pid,
			 enum trust trust, struct buf *why);

/* Add a perf map to a process; the map is the store's from now on. */
void jit_store_use_map(struct jit_store *s, struct process_jit *p,
		       struct perfmap *map, const char *name,
		       const struct jit_stamp *stamp);

/* Set the parent, a process of the profile, whose code it inherits. */
void jit_store_set_parent(struct jit_store *s, struct process_jit *p,
			  int64_t parent);

/*
 * Forget a process that has ended: now, or when its last child is forgotten.
 * Files that the user named stay.
 */
void jit_store_forget(struct jit_store *s, struct process_jit *p);

/* Read source i again if its file has changed in size.  False if not. */
bool jit_store_reopen(struct jit_store *s, struct process_jit *p, size_t i);

/* Remove source i. */
void jit_store_drop(struct process_jit *p, size_t i);

/* Room for n symbol numbers, none of them set; the caller frees it. */
uint32_t *jit_store_numbers(size_t n);

/* The functions of a jitdump, which is read now if unread; NULL of a map. */
struct jitcode *jit_store_code(struct jit_store *s, const struct process_jit *p,
			       struct jit_source *src);

/* Append "path: text" to the notes, unless they have that line. */
void jit_store_note(struct jit_store *s, struct str path, struct str text);

/* Note and count the lines of a map that were not understood. */
void jit_store_note_lines(struct jit_store *s, struct str path,
			  const struct perfmap *map);

/* Note the jitdumps whose timestamps have no known clock. */
void jit_store_note_clocks(struct jit_store *s);

#endif
