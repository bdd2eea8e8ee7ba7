/* places.h - where programs and their debug files are looked for. */
#ifndef PLACES_H
#define PLACES_H

struct places_options {
	const char *symfs;     /* where to find all files; NULL: here */
	const char *debug_dir; /* debug files by build-id; NULL: usual */
	unsigned fetch;        /* seconds for debuginfod; 0: do not ask it */
};

struct elf_places;
struct fetch;
struct places;

/*
 * Begin; the options' strings outlive it.  Ends the program as fetch_new()
 * does.
 */
struct places *places_new(const struct places_options *options);
void places_free(struct places *p);

/* For elf_open(). */
const struct elf_places *places_elf(const struct places *p);

/* NULL if debuginfod is not asked. */
struct fetch *places_fetch(const struct places *p);

#endif
