# parked.py FILE - threads that wait in functions called in every way that there
# is, and a traceback of all in FILE for each SIGUSR1.
import asyncio
import faulthandler
import functools
import os
import re
import signal
import sys
import threading

never, unused = os.pipe()


def park(*args):
    os.read(never, 1)
    return args[0] if args else None


def by_sort():
    sorted([3, 1, 2], key=park)


def by_map():
    return list(map(lambda x: park(x), [1]))


def generate():
    yield 1
    park()
    yield 2


def by_generator():
    for x in generate():
        pass


def delegate():
    yield from generate()


def by_yield_from():
    return sum(delegate())


def by_comprehension():
    return [[park(x) for x in range(3)] for y in range(2)]


class Thing(object):
    @property
    def value(self):
        return park(self)

    def __eq__(self, other):
        park()
        return True

    def __call__(self, x):
        return park(x)

    @classmethod
    def of(cls):
        return cls().method(1, key=2)

    def method(self, *args, **kwargs):
        return park(args)

    def __getattr__(self, name):
        return park(name)


def by_property():
    return Thing().value


def by_equality():
    return Thing() in [Thing()]


def by_call():
    return functools.partial(Thing(), 1)()


def by_classmethod():
    return Thing.of(
    )


def by_getattr():
    return getattr(
        Thing(),
        "absent")


def by_reduce():
    return functools.reduce(
        lambda x, y:
            park(x),
        [1, 2, 3])


def by_regex():
    return re.sub("a", lambda m: park() or "", "banana")


async def inner():
    park()


async def outer():
    await inner()


def by_asyncio():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(outer())


def by_exec():
    exec("def f():\n\n    park()\nf()", {"park": park})


def größe():
    park()


def by_class():
    class Body:
        größe()


def recurse(n):
    if n == 0:
        return park()
    return recurse(n - 1)


def by_recursion():
    recurse(150)


def by_long_function():
    # Lines far apart, and more code than a byte can count.
    x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
         x_of(1) + x_of(2) + x_of(3) + x_of(4) + x_of(5) + x_of(6) + x_of(7) +
         x_of(1) + x_of(2) + x_of(3) + x_of(4) + x_of(5) + x_of(6) + x_of(7) +
         x_of(1) + x_of(2) + x_of(3) + x_of(4) + x_of(5) + x_of(6) + x_of(7) +
         x_of(1) + x_of(2) + x_of(3) + x_of(4) + x_of(5) + x_of(6) + x_of(7)]
    #
    #
    try:
        for i in range(2):
            with open(os.devnull) as f:
                if i == 1:

                    park(
                        x, f)
    finally:
        pass


def x_of(x):
    return x


SHAPES = [by_sort, by_map, by_generator, by_yield_from, by_comprehension,
          by_property, by_equality, by_call, by_classmethod, by_getattr,
          by_reduce, by_regex, by_asyncio, by_exec, by_class, by_recursion,
          by_long_function]

out = open(sys.argv[1], "a")
faulthandler.register(signal.SIGUSR1, file=out, all_threads=True)
for shape in SHAPES:
    t = threading.Thread(target=shape)
    t.daemon = True
    t.start()
print("ready")
sys.stdout.flush()
park()
