/* screen.c - full-screen terminal: output, keys, signals. */
#include "cli/screen.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#define CSI "\033["

/*
 * Enter and leave the alternate screen, without cursor and line wrap.  A signal
 * may interrupt a synchronized update of the canvas (?2026), so leaving ends
 * it.
 */
static const char enter[] = CSI "?1049h" CSI "?25l" CSI "?7l" CSI "H" CSI "J";
static const char leave[] = CSI "?2026l" CSI "0m" CSI "?7h" CSI "?25h" CSI
				"?1049l";

/* How long to wait for the rest of the sequence of a key, in ms. */
#define KEY_MS 30

/* State of the screen, for signal handlers and exit(3) as well. */
static struct {
	int keys; /* a descriptor of the terminal, -1 if there is none */
	bool active, registered;
	struct termios saved;
	int messages, stderr_saved; /* held messages, and standard error */
	sigset_t wait_mask;
	unsigned char byte[64]; /* input that is not parsed yet */
	size_t n;
} the = { .keys = -1, .messages = -1, .stderr_saved = -1 };

static volatile sig_atomic_t resized, ended, stopping;

static void
on_signal(int sig)
{
	if (sig == SIGWINCH)
		resized = 1;
	else if (sig == SIGTSTP)
		stopping = 1;
	else
		ended = 1;
}

/* Safe in signal handlers. */
static void
put(const char *p, size_t n)
{
	ssize_t done;

	while (n > 0) {
		done = write(1, p, n);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
}

static void
restore(void)
{
	if (!the.active)
		return;
	the.active = false;
	put(leave, sizeof(leave) - 1);
	if (the.keys >= 0)
		tcsetattr(the.keys, TCSAFLUSH, &the.saved);
}

/* Restore the terminal before a signal ends the program. */
static void
on_fatal(int sig)
{
	restore();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
activate(void)
{
	struct termios t;

	if (the.keys >= 0 && tcgetattr(the.keys, &the.saved) == 0) {
		t = the.saved;
		t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		t.c_cc[VMIN] = 0;
		t.c_cc[VTIME] = 0;
		tcsetattr(the.keys, TCSAFLUSH, &t);
	}
	the.active = true;
	put(enter, sizeof(enter) - 1);
}

/* Messages would garble the screen and vanish with it: hold them back. */
static void
hold_messages(void)
{
	if (!isatty(2))
		return;
	the.messages = memfd_create("messages", MFD_CLOEXEC);
	the.stderr_saved = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (the.messages < 0 || the.stderr_saved < 0)
		return;
	fflush(stderr);
	dup2(the.messages, 2);
}

static void
release_messages(void)
{
	char text[4096];
	ssize_t n;

	if (the.messages < 0 || the.stderr_saved < 0)
		return;
	fflush(stderr);
	dup2(the.stderr_saved, 2);
	lseek(the.messages, 0, SEEK_SET);
	while ((n = read(the.messages, text, sizeof(text))) > 0) {
		if (write(2, text, (size_t)n) != n)
			break;
	}
	close(the.messages);
	close(the.stderr_saved);
	the.messages = the.stderr_saved = -1;
}

static void
handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static void
handle_signals(void)
{
	static const int awaited[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH,
				       SIGTSTP },
			 fatal[] = { SIGQUIT, SIGSEGV, SIGBUS,
				     SIGFPE,  SIGILL,  SIGABRT };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(awaited) / sizeof(*awaited); i++) {
		sigaddset(&set, awaited[i]);
		handle(awaited[i], on_signal);
	}
	for (i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		handle(fatal[i], on_fatal);
	/* Signals arrive only in screen_wait(), so that it misses none. */
	sigprocmask(SIG_BLOCK, &set, &the.wait_mask);
	for (i = 0; i < sizeof(awaited) / sizeof(*awaited); i++)
		sigdelset(&the.wait_mask, awaited[i]);
}

bool
screen_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(1) && term != NULL && *term != '\0' &&
	       strcmp(term, "dumb") != 0;
}

void
screen_open(void)
{
	/* Standard input may be the data to show. */
	the.keys = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (!the.registered)
		atexit(screen_close);
	the.registered = true;
	handle_signals();
	hold_messages();
	activate();
}

void
screen_close(void)
{
	restore();
	release_messages();
	if (the.keys >= 0)
		close(the.keys);
	the.keys = -1;
}

void
screen_size(size_t *rows, size_t *columns)
{
	struct winsize w;

	*rows = 24;
	*columns = 80;
	if (ioctl(1, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 && w.ws_col > 0) {
		*rows = w.ws_row;
		*columns = w.ws_col;
	}
}

void
screen_write(struct str s)
{
	put(s.p, s.len);
}

/* Continued in the background: wait for the terminal. */
static void
await_terminal(void)
{
	const pid_t owner = the.keys < 0 ? -1 : tcgetpgrp(the.keys);

	if (owner > 0 && owner != getpgrp())
		raise(SIGTTOU);
}

/* Stop like other programs on SIGTSTP, and reactivate the screen afterwards. */
static void
stop(void)
{
	sigset_t set;

	stopping = 0;
	restore();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* SIGCONT has continued the program. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	handle(SIGTSTP, on_signal);
	await_terminal();
	activate();
}

enum screen_event
screen_wait(int fd, int ms)
{
	struct pollfd p[2] = { { the.keys, POLLIN, 0 }, { fd, POLLIN, 0 } };
	struct timespec limit = { ms / 1000, ms % 1000 * 1000000L };
	int n;

	if (the.n > 0)
		return SCREEN_KEY;
	n = ppoll(p, 2, &limit, &the.wait_mask);
	if (n < 0 && errno != EINTR)
		err(2, "poll");
	if (ended)
		return SCREEN_QUIT;
	if (stopping || resized) {
		if (stopping)
			stop();
		resized = 0;
		return SCREEN_CHANGE;
	}
	if (n <= 0)
		return SCREEN_TIME;
	if (p[0].revents & POLLIN)
		return SCREEN_KEY;
	if (p[0].revents != 0)
		return SCREEN_QUIT;
	return SCREEN_INPUT;
}

/* Read more bytes of a key; false if none arrive within ms. */
static bool
read_more(int ms)
{
	struct pollfd p = { the.keys, POLLIN, 0 };
	ssize_t n;

	if (the.n == sizeof(the.byte) || poll(&p, 1, ms) <= 0)
		return false;
	n = read(the.keys, the.byte + the.n, sizeof(the.byte) - the.n);
	if (p.revents & (POLLHUP | POLLERR))
		ended = 1;
	if (n <= 0)
		return false;
	the.n += (size_t)n;
	return true;
}

static void
drop(size_t n)
{
	the.n -= n;
	memmove(the.byte, the.byte + n, the.n);
}

/* The key with a number, as in "ESC [ 5 ~" of the VT220. */
static int
numbered_key(unsigned number)
{
	static const int key[] = { KEY_OTHER,     KEY_HOME, KEY_OTHER,
				   KEY_OTHER,     KEY_END,  KEY_PAGE_UP,
				   KEY_PAGE_DOWN, KEY_HOME, KEY_END };

	return number < sizeof(key) / sizeof(*key) ? key[number] : KEY_OTHER;
}

/* "ESC [ A", "ESC O A", "ESC [ 5 ~", "ESC [ 1 ; 5 A": parameters, final byte.
 */
static int
parse_sequence(void)
{
	static const char final[] = "ABCDHF";
	static const int key[] = { KEY_UP,   KEY_DOWN, KEY_RIGHT,
				   KEY_LEFT, KEY_HOME, KEY_END };
	const char *found;
	size_t i = 2;
	unsigned number = 0;
	int last;

	while (i < the.n || read_more(KEY_MS)) {
		last = the.byte[i++];
		if (last >= '0' && last <= '9' && number < 100)
			number = 10 * number + (unsigned)last - '0';
		if (last < 0x40)
			continue;
		drop(i);
		found = last == '\0' ? NULL : strchr(final, last);
		if (last == '~')
			return numbered_key(number);
		return found == NULL ? KEY_OTHER : key[found - final];
	}
	drop(the.n);
	return KEY_OTHER;
}

int
screen_key(void)
{
	int key;

	if (the.n == 0 && !read_more(0))
		return -1;
	key = the.byte[0];
	if (key == '\033') {
		if ((the.n > 1 || read_more(KEY_MS)) &&
		    (the.byte[1] == '[' || the.byte[1] == 'O'))
			return parse_sequence();
	}
	drop(1);
	return key;
}
