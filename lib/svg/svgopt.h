/* svgopt.h - the options of flamegraph(1). */
#ifndef SVGOPT_H
#define SVGOPT_H

#include "base/arena.h"
#include "cli/cmd.h"
#include "svg/svg.h"

/* Values of the options.  Text that is not given is empty. */
struct svgopt {
	struct cmd *cmd;
	struct svg svg;
	const char *colors; /* NULL if not given */
	enum palette_shade shade;
	bool use_map;
	bool diff_given;          /* --diff-colors */
	struct event_ratio ratio; /* empty if not given */
	uint32_t max_frames;
	int counts;    /* 0 if not given */
	bool has_heat; /* --heatmap; span and rows are in heat */
	struct heatmap heat;
	bool no_timeline;
	const char *source; /* --source, or NULL; source_folder is open */
	int source_folder;
	const char *event;  /* NULL if not given */
	const char *output; /* NULL for standard output */
	bool format_given;
	bool follow;

	/* Private. */
	struct nameattr *attr;
	struct arena text;
};

/* For cmd_begin(). */
extern const struct cmd_option svgopt_table[];

void svgopt_init(struct svgopt *o, struct cmd *cmd);
void svgopt_free(struct svgopt *o);

/* Apply an option that cmd_next() returned; a bad value ends the program. */
void svgopt_set(struct svgopt *o, int option);

/* After the last option: options that exclude each other end the program. */
void svgopt_check(const struct svgopt *o);

/* The palette that the options choose; the caller frees it. */
struct palette *svgopt_palette(const struct svgopt *o);

#endif
