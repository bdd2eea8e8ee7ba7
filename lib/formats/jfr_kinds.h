/* jfr_kinds.h - which events of Flight Recorder have stacks, and what they
 * count. */
#ifndef JFR_KINDS_H
#define JFR_KINDS_H

#include "base/buf.h"
#include "reader/sink.h"

/*
 * Events are listed in the order of preference: the first that a recording has
 * is the one that counts by default.  Several count the same allocations or the
 * same time, so that they must not be added up.
 */
struct jfr_kind_of_event {
	const char *name;
	const char *thread;  /* field of the thread that the event is about */
	const char *weight;  /* field to count, or NULL for the number */
	const char *subject; /* field of a class: allocated, or waited for */
};

/* How a recording is read: options of the command. */
struct jfr_options {
	const char *weight; /* field to count in every event, or NULL */
	bool subjects;      /* the class of the object as leaf frame */
	bool threads;       /* the name of the thread as root frame */
	bool lines;         /* line numbers after methods */
	bool list;          /* print the events, and fold nothing */
};

/* The entry of an event; one without weight for an event that has none. */
const struct jfr_kind_of_event *jfr_kinds_find(struct str event);

/* The entries, ended by one without name. */
extern const struct jfr_kind_of_event jfr_kinds[];

/* The kind of a frame by the name of its type, as "Inlined". */
enum frame_kind jfr_kinds_frame(struct str type);

/*
 * Append a class as Java writes it: "java.lang.String" for java/lang/String,
 * "byte[]" for [B.  The slash before the address of a hidden class stays.
 */
void jfr_kinds_class(struct buf *text, struct str name);

/*
 * Rewrite the class that a text ends with, from an offset on, to the name that
 * HotSpot has for it: java/lang/String, and App$$Lambda+0x0800c03000 for a
 * hidden class.  Methods have it in front, as in other profiles of a JVM.
 */
void jfr_kinds_owner(struct buf *text, size_t from);

/* Append the arguments of a method's descriptor: "(int, byte[])". */
void jfr_kinds_arguments(struct buf *text, struct str descriptor);

#endif
