/* diffreport.h - reports of changes as text, TSV and JSON. */
#ifndef DIFFREPORT_H
#define DIFFREPORT_H

#include "base/buf.h"
#include "diff/significance.h"

enum report { REPORT_NONE, REPORT_TEXT, REPORT_TSV, REPORT_JSON };

/* Append a report of the changes, or why nothing was tested. */
void diffreport(const struct significance *sig, enum report kind,
		struct buf *out);

/*
 * Append one line of the text report: class, ratio, interval, shares, and the
 * stack or function.
 */
void diffreport_line(const struct significance *sig, const struct change *c,
		     struct buf *out);

/*
 * The minimum detectable effect, as a ratio: the smallest change of a frame
 * with this share of the samples that the test finds 8 times in 10.
 */
double diffreport_detectable(const struct significance *sig, double share);

/* Append that nothing is significant, and what would be; one run a side. */
void diffreport_nothing(const struct significance *sig, struct buf *out);

/* Append a ratio as "+12.3%", "-5%", "new" or "gone". */
void diffreport_ratio(struct buf *out, double ratio);

/* The name of a change's class; a string constant. */
const char *diffreport_class(const struct change *c);

/* Append the stack or the function that a row stands for. */
void diffreport_row(const struct significance *sig, uint32_t row,
		    struct buf *out);

#endif
