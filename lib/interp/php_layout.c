/* php_layout.c - where the fields of PHP's structures are. */
#include "interp/php_layout.h"

#include <stddef.h>

/*
 * 7.4, 8.2 and 8.4 by offsetof() in Debian's packages of the headers; the
 * others by the tables of phpspy, which come from gdb.
 */
static const struct php_layout layouts[] = {
	{ 7, 4, 60, 64, 136, 144, 48 }, { 8, 0, 68, 72, 144, 152, 56 },
	{ 8, 1, 68, 72, 144, 152, 56 }, { 8, 2, 80, 88, 152, 160, 72 },
	{ 8, 3, 76, 80, 144, 152, 72 }, { 8, 4, 96, 104, 168, 176, 88 },
};

const struct php_layout *
php_layout_of(unsigned major, unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	}
	return NULL;
}
