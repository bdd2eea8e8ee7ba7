/*
 * perl_layout.c - where Perl keeps what, by version.
 *
 * From intrpvar.h, cop.h and hv.h of each version, configured with threads for
 * 64 bits.  From 5.38 on, where the phase is depends on the configuration.
 */
#include "interp/perl_layout.h"

static const struct perl_layout layouts[] = {
	{ .minor = 28,
	  .interpreter = { 224, 240, 304, 2508 },
	  .si_type = 40,
	  .context_bytes = 96,
	  .context_pad = 56 },
	{ .minor = 30,
	  .interpreter = { 224, 240, 304, 2508 },
	  .si_type = 40,
	  .context_bytes = 96,
	  .context_pad = 56 },
	{ .minor = 32,
	  .interpreter = { 224, 240, 304, 2532 },
	  .si_type = 44,
	  .context_bytes = 104,
	  .context_pad = 64 },
	{ .minor = 34,
	  .interpreter = { 208, 224, 288, 2512 },
	  .si_type = 44,
	  .context_bytes = 104,
	  .context_pad = 64 },
	{ .minor = 36,
	  .interpreter = { 208, 224, 288, 2512 },
	  .si_type = 44,
	  .context_bytes = 104,
	  .context_pad = 64,
	  .name = 32 },
	{ .minor = 38,
	  .interpreter = { 208, 224, 288, PERL_LAYOUT_NONE },
	  .si_type = 44,
	  .context_bytes = 104,
	  .context_pad = 64,
	  .name = 32 },
	{ .minor = 40,
	  .interpreter = { 208, 224, 288, PERL_LAYOUT_NONE },
	  .si_type = 44,
	  .context_bytes = 104,
	  .context_pad = 64,
	  .name = 32 },
};

const struct perl_layout *
perl_layout_of(unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].minor == minor)
			return &layouts[i];
	}
	return NULL;
}
