/* screen.h - the terminal: a screen of its own, keys, signals. */
#ifndef SCREEN_H
#define SCREEN_H

#include "buf.h"

/*
 * Whether standard output is a terminal that can be painted, which TERM=dumb
 * says it is not.
 */
bool screen_possible(void);

/*
 * Take the terminal: the alternate screen, no echo, keys one by one.  It is
 * given back by screen_close(), when the program exits or is stopped, and when
 * a signal ends it; what was said on standard error meanwhile is said then.
 * There is one terminal, so there is one screen.
 */
void screen_open(void);
void screen_close(void);

void screen_size(size_t *rows, size_t *columns);

/* Write all; the program ends if the terminal is gone. */
void screen_write(struct str s);

enum screen_event {
	SCREEN_TIME,   /* so much time has passed */
	SCREEN_INPUT,  /* fd can be read */
	SCREEN_KEY,    /* screen_key() has one */
	SCREEN_CHANGE, /* another size, or the screen is ours again */
	SCREEN_QUIT    /* by SIGINT, SIGTERM, SIGHUP, or the terminal is gone */
};

/* Wait for one of these, at most so many ms; fd is -1 for none. */
enum screen_event screen_wait(int fd, int ms);

/* Keys that are no characters. */
enum {
	KEY_UP = 256,
	KEY_DOWN,
	KEY_RIGHT,
	KEY_LEFT,
	KEY_HOME,
	KEY_END,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_OTHER /* known to be one key, but not to us */
};

/* The next key: a byte, or one of the above; -1 if there is none. */
int screen_key(void);

#endif
