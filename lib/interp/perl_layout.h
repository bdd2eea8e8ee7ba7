/* perl_layout.h - where Perl keeps what, by version. */
#ifndef PERL_LAYOUT_H
#define PERL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* The offset is not known. */
#define PERL_LAYOUT_NONE UINT16_MAX

/* Offsets in bytes, by the names of members in Perl's source. */
struct perl_layout {
	unsigned minor; /* of version 5 */
	struct {
		uint16_t curcop, curstackinfo, comppad, phase;
	} interpreter;          /* of a Perl with threads */
	uint16_t si_type;       /* of PERL_SI */
	uint16_t context_bytes; /* of PERL_CONTEXT */
	/* blk_sub.prevcomppad, before cv and olddepth; blk_eval.old_namesv */
	uint16_t context_pad;
	uint16_t name; /* of xpvhv_aux, after xpvhv; 0: it follows the array */
};

/* The layout of a version; NULL if it is not known. */
const struct perl_layout *perl_layout_of(unsigned minor);

#endif
