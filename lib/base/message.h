/* message.h - err(3) and its kin with a limit on what a message quotes. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stddef.h>

/*
 * message.c defines err(), errx(), warn(), warnx() and the four with a va_list,
 * as <err.h> declares them, in place of libc's.  A message quotes arguments and
 * input, which may be megabytes long: what exceeds the format by more than 200
 * bytes is removed from the middle, as the reason is often at the end.  errx()
 * and warnx() print a composed message, by a format without words such as "%s",
 * of up to 400 bytes.
 */

/*
 * Cut text to at most most + 3 bytes: the middle becomes "...".  Does not split
 * the characters of UTF-8.  Returns the new length; the text is not terminated.
 */
size_t message_cut(char *text, size_t len, size_t most);

#endif
