/* perl_plumbing.c - functions by which Perl calls subroutines. */
#include "interp/perl_plumbing.h"

/*
 * Functions of Perl, of all versions, that stand between the loop and the
 * function that it calls, or between the start of the program and the loop.
 */
static const char *const names[] = {
	"Perl_amagic_call",  "Perl_call_*",          "Perl_docatch",
	"Perl_eval_*",       "Perl_magic_methcall",  "Perl_pp_entereval",
	"Perl_pp_entersub",  "Perl_pp_entertry",     "Perl_pp_require",
	"Perl_runops_debug", "Perl_runops_standard", "S_call_body",
	"S_docatch",         "S_magic_methcall*",    "S_run_body",
	"perl_run",
};

const struct interp_plumbing perl_plumbing = { .language = "perl",
					       .file = "perl",
					       .name = names,
					       .n = sizeof(names) /
						    sizeof(*names) };
