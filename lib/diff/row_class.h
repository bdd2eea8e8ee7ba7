/* row_class.h - which rows are kernel, interrupt or JIT code. */
#ifndef ROW_CLASS_H
#define ROW_CLASS_H

#include "diff/sample_matrix.h"

/*
 * How much runs differ depends on what a row is: kernel code follows the load
 * of the machine, and JIT code the moment at which it was compiled.  Arrays are
 * indexed by row.  Release with row_class_free().
 */
struct row_class {
	double *kernel;  /* share of the samples whose leaf is in the kernel */
	bool *interrupt; /* mostly interrupts and scheduling */
	bool *jit;       /* JIT code, an interpreter's, or called by it */

	bool has_kernel; /* the names show which frames are in the kernel */
	double kernel_share[2];    /* of all samples, by side */
	double interrupt_share[2]; /* of all samples, by side */
	double jit_share;          /* of the samples of both sides */
};

/* Classify all rows. */
void row_class_init(struct row_class *c, const struct sample_matrix *m);

void row_class_free(struct row_class *c);

#endif
