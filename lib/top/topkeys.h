/* topkeys.h - the keys of foldtop(1). */
#ifndef TOPKEYS_H
#define TOPKEYS_H

#include "top/top.h"

/* Do what a key stands for: a byte, or a KEY_ of cli/screen.h. */
void topkeys_press(struct top *t, int key);

#endif
