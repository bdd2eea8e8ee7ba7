# grammar.py - runs for ever; which function may call which is known, so that a
# stack that never was can be told.  w0 to w9 are each called by the one before,
# in different ways; rec is 51 deep under leaf.
import functools
import threading


def w0():
    return w1(3)


def w1(n):
    return sum(map(w2, range(n)))


def w2(x):
    return sorted([x, x + 1], key=w3)[0]


def w3(x):
    for y in w4(x):
        pass
    return y


def w4(x):
    yield x
    yield w5(x)


class Thing(object):
    def __init__(self, x):
        self.x = x

    @property
    def w6(self):
        return functools.partial(w7, self.x)()


def w5(x):
    return Thing(x).w6


def w7(x):
    return w8(x, *[], **{})


def w8(*args):
    rec(50)
    return w9(args)


def w9(args):
    return args[0] + 1


def rec(n):
    if n:
        return rec(n - 1)
    return leaf()


def leaf():
    x = 0
    for i in range(20):
        x += i
    return x


def main():
    while True:
        w0()


for i in range(2):
    t = threading.Thread(target=main)
    t.daemon = True
    t.start()
print("ready", flush=True)
main()
