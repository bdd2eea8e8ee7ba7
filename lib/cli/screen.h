/* screen.h - full-screen terminal: output, keys, signals. */
#ifndef SCREEN_H
#define SCREEN_H

#include "base/buf.h"

/* Whether standard output is a terminal, and TERM is set and not "dumb". */
bool screen_possible(void);

/*
 * Switch the terminal to the alternate screen, without echo and line editing.
 * screen_close() restores it, and so do exit, stop and fatal signals.  Messages
 * on standard error are held back until then.  There is only one screen.
 */
void screen_open(void);
void screen_close(void);

void screen_size(size_t *rows, size_t *columns);

/* Write all of s.  Ignores errors: screen_wait() reports a lost terminal. */
void screen_write(struct str s);

enum screen_event {
	SCREEN_TIME,   /* timeout */
	SCREEN_INPUT,  /* fd is readable */
	SCREEN_KEY,    /* screen_key() returns a key */
	SCREEN_CHANGE, /* resized, or continued after a stop */
	SCREEN_QUIT    /* SIGINT, SIGTERM, SIGHUP, or the terminal is gone */
};

/* Wait for an event, at most ms milliseconds; fd -1 is none. */
enum screen_event screen_wait(int fd, int ms);

/* Keys that are not characters. */
enum {
	KEY_UP = 256,
	KEY_DOWN,
	KEY_RIGHT,
	KEY_LEFT,
	KEY_HOME,
	KEY_END,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_OTHER /* any other key */
};

/* The next key: a byte, or a KEY_ constant; -1 if there is none. */
int screen_key(void);

#endif
