/* ruby_layout.h - where Ruby's virtual machine keeps what, by version. */
#ifndef RUBY_LAYOUT_H
#define RUBY_LAYOUT_H

#include "base/str.h"

/* There is no such field. */
#define RUBY_NONE UINT16_MAX

/* Where the name of a class is. */
enum ruby_classes {
	RUBY_CLASSES_IVARS,  /* in its table of instance variables */
	RUBY_CLASSES_FIELD,  /* in fields that follow struct RClass */
	RUBY_CLASSES_UNKNOWN /* names are without classes */
};

/* Offsets and sizes in bytes, by the names of members in Ruby's source. */
struct ruby_layout {
	uint16_t major, minor;
	uint16_t ractors; /* vm.ractor.set; NONE: the VM is the only ractor */
	struct {
		uint16_t node;    /* in the list of ractors */
		uint16_t threads; /* list */
		uint16_t owner;   /* thread that has the lock */
		uint16_t waiting; /* list of threads that wait for the lock */
	} ractor;
	struct {
		uint16_t ec;
		uint16_t pthread; /* NONE: it has tid */
		uint16_t native;  /* NONE: tid is in the thread itself */
		uint16_t tid;
		uint16_t waiting; /* node in that list */
		uint16_t name;
	} thread;
	uint16_t ec_thread;
	uint16_t frame_size;
	uint16_t insns, local_iseq; /* of rb_iseq_constant_body */
	uint16_t insn_size;         /* of iseq_insn_info_entry */
	bool counts; /* an embedded RString has its length in a field */
	enum ruby_classes classes;
	uint16_t classpath, attached; /* RUBY_CLASSES_FIELD, from the class */
};

/* The layout of a version; NULL if it is not known. */
const struct ruby_layout *ruby_layout_of(unsigned major, unsigned minor);

#endif
