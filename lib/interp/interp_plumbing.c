/* interp_plumbing.c - native functions that are only how a virtual machine
 * calls functions. */
#include "interp/interp_plumbing.h"

#include "interp/cpython_plumbing.h"
#include "interp/hotspot_plumbing.h"
#include "interp/interp_binary.h"
#include "interp/lua_plumbing.h"
#include "interp/perl_plumbing.h"
#include "interp/php_plumbing.h"
#include "interp/ruby_plumbing.h"

static const struct interp_plumbing *const languages[] = {
	&cpython_plumbing, &ruby_plumbing, &php_plumbing,
	&perl_plumbing,    &lua_plumbing,  &hotspot_plumbing
};

/* How C libraries begin a thread or a program; sorted by bytes. */
static const char *const beginnings[] = { "__clone",
					  "__clone3",
					  "__libc_start_call_main",
					  "__libc_start_main",
					  "_start",
					  "clone",
					  "clone3",
					  "main",
					  "start_thread" };

static const struct interp_plumbing starts = {
	.name = beginnings, .n = sizeof(beginnings) / sizeof(*beginnings)
};

static const struct interp_plumbing *
find_language(struct str language)
{
	size_t i;

	for (i = 0; i < sizeof(languages) / sizeof(*languages); i++) {
		if (str_eq(language, str_of(languages[i]->language)))
			return languages[i];
	}
	return NULL;
}

/* Compare a name with an entry, which may stand for many. */
static int
compare(struct str name, const char *entry)
{
	const size_t n = strlen(entry);
	const bool many = n > 0 && entry[n - 1] == '*';
	const size_t length = n - many;
	const int order = memcmp(name.p, entry,
				 name.len < length ? name.len : length);

	if (order != 0)
		return order;
	if (name.len < length)
		return -1;
	return name.len > length && !many;
}

static bool
has_name(const struct interp_plumbing *p, struct str name)
{
	size_t low = 0, high = p->n, mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = compare(name, p->name[mid]);
		if (order == 0)
			return true;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/* Functions of a stripped interpreter and of a stripped libc have no names. */
static enum interp_plumbing_kind
find_nameless(const struct interp_plumbing *p, struct str file)
{
	if (str_search(file, str_of(p->file)) != NULL)
		return INTERP_PLUMBING_CALLS;
	return str_starts(file, STR("libc.so.")) ||
		       str_starts(file, STR("libc-2.")) ?
		   INTERP_PLUMBING_START :
		   INTERP_PLUMBING_NONE;
}

enum interp_plumbing_kind
interp_plumbing_find(struct str language, struct str name, struct str module,
		     bool callee)
{
	const struct interp_plumbing *p = find_language(language);
	const char *dot;

	if (p == NULL)
		return INTERP_PLUMBING_NONE;
	if (name.len == 0)
		return callee ? find_nameless(p, interp_binary_name(module)) :
				INTERP_PLUMBING_NONE;
	/* "f.part.0", "f.lto_priv.0", "f@@GLIBC_2.34" */
	dot = str_find(name, '.');
	if (dot != NULL)
		name.len = (size_t)(dot - name.p);
	dot = str_find(name, '@');
	if (dot != NULL)
		name.len = (size_t)(dot - name.p);
	if (has_name(p, name))
		return INTERP_PLUMBING_CALLS;
	return has_name(&starts, name) ? INTERP_PLUMBING_START :
					 INTERP_PLUMBING_NONE;
}
