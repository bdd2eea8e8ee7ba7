/*
 * ruby_layout.c - where Ruby's virtual machine keeps what, by version.
 *
 * The structs are those of vm_core.h, ractor_core.h, iseq.h, method.h,
 * thread_pthread.h and internal/class.h, for 64 bits.  Those of 2.7, 3.1
 * and 3.3 were tried with a running Ruby; the others follow the definitions
 * that rbspy generates from these headers, and were not tried.  Within a
 * version, releases have the same layout.
 */
#include "interp/ruby_layout.h"

static const struct ruby_layout layouts[] = {
	{ .major = 2,
	  .minor = 7,
	  .ractors = RUBY_NONE,
	  .ractor = { 0, 312, 8, 56 },
	  .thread = { 32, 72, RUBY_NONE, RUBY_NONE, 88, 520 },
	  .ec_thread = 56,
	  .frame_size = 56,
	  .insns = 120,
	  .local_iseq = 176,
	  .insn_size = 8,
	  .classes = RUBY_CLASSES_IVARS },
	{ .major = 3,
	  .minor = 0,
	  .ractors = 8,
	  .ractor = { 568, 304, 336, 384 },
	  .thread = { 40, 80, RUBY_NONE, RUBY_NONE, 96, 544 },
	  .ec_thread = 56,
	  .frame_size = 56,
	  .insns = 120,
	  .local_iseq = 176,
	  .insn_size = 8,
	  .classes = RUBY_CLASSES_IVARS },
	{ .major = 3,
	  .minor = 1,
	  .ractors = 8,
	  .ractor = { 568, 304, 336, 384 },
	  .thread = { 40, RUBY_NONE, RUBY_NONE, 88, 104, 352 },
	  .ec_thread = 48,
	  .frame_size = 64,
	  .insns = 120,
	  .local_iseq = 176,
	  .insn_size = 12,
	  .classes = RUBY_CLASSES_IVARS },
	{ .major = 3,
	  .minor = 2,
	  .ractors = 8,
	  .ractor = { 568, 304, 336, 384 },
	  .thread = { 48, RUBY_NONE, 40, 16, 56, 304 },
	  .ec_thread = 48,
	  .frame_size = 64,
	  .insns = 112,
	  .local_iseq = 168,
	  .insn_size = 12,
	  .counts = true,
	  .classes = RUBY_CLASSES_UNKNOWN },
	{ .major = 3,
	  .minor = 3,
	  .ractors = 8,
	  .ractor = { 432, 256, 328, 344 },
	  .thread = { 48, RUBY_NONE, 40, 24, 72, 432 },
	  .ec_thread = 48,
	  .frame_size = 56,
	  .insns = 112,
	  .local_iseq = 168,
	  .insn_size = 12,
	  .counts = true,
	  .classes = RUBY_CLASSES_FIELD,
	  .classpath = 152,
	  .attached = 128 },
	{ .major = 3,
	  .minor = 4,
	  .ractors = 8,
	  .ractor = { 432, 256, 328, 344 },
	  .thread = { 48, RUBY_NONE, 40, 24, 72, 448 },
	  .ec_thread = 48,
	  .frame_size = 56,
	  .insns = 112,
	  .local_iseq = 168,
	  .insn_size = 12,
	  .counts = true,
	  .classes = RUBY_CLASSES_FIELD,
	  .classpath = 152,
	  .attached = 128 },
};

const struct ruby_layout *
ruby_layout_of(unsigned major, unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	}
	return NULL;
}
