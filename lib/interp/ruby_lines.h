/* ruby_lines.h - source lines of Ruby's instruction sequences. */
#ifndef RUBY_LINES_H
#define RUBY_LINES_H

#include "base/str.h"

/* The size of the index for code of this many words. */
size_t ruby_lines_index_size(uint32_t words);

/*
 * The line of the instruction that word number position of the code is in.
 * insns are entries of insn_size bytes, each with its line first; index is a
 * struct succ_index_table, which has the entry of each position.  0 if there is
 * none.
 */
uint32_t ruby_lines_find(struct str insns, size_t insn_size, struct str index,
			 uint64_t position);

#endif
