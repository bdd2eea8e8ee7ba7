# tasks.py FILE - suspended tasks of asyncio that await in every way that there
# is.  Writes the await chain of each to FILE, as folded text with lines.
import asyncio
import gc
import os
import sys
import threading
import types


async def wait():
    await asyncio.get_event_loop().create_future()


async def by_sleep():
    await asyncio.sleep(1000)


async def by_queue():
    await asyncio.Queue().get()


async def by_event():
    await asyncio.Event().wait()


async def by_gather():
    await asyncio.gather(wait(), wait())


async def by_wait_for():
    await asyncio.wait_for(asyncio.Event().wait(), 1000)


class Context(object):
    async def __aenter__(self):
        await wait()

    async def __aexit__(self, *unused):
        pass


async def by_context():
    async with Context():
        pass


async def generate():
    yield 1
    await wait()
    yield 2


async def by_async_generator():
    async for x in generate():
        pass


async def by_comprehension():
    return [x async for x in generate()]


async def by_closed_generator():
    async def tidy():
        try:
            yield 1
        finally:
            await wait()
    g = tidy()
    await g.asend(None)
    await g.aclose()


class Awaitable(object):
    def __await__(self):
        return wait().__await__()


async def by_awaitable():
    await Awaitable()


class Delegate(object):
    def __await__(self):
        result = yield from wait().__await__()
        return result


async def by_yield_from():
    await Delegate()


def other():
    yield 1
    yield 2


# It awaits nothing: the generator on its stack is only what it iterates over.
@types.coroutine
def iterate(future):
    for x in other():
        future._asyncio_future_blocking = True
        yield future


async def by_future():
    await iterate(asyncio.get_event_loop().create_future())


async def recurse(n):
    if n == 0:
        await wait()
    else:
        await recurse(n - 1)


async def by_recursion():
    await recurse(100)


async def by_wide_argument():
    # More constants and instructions than a byte can count.
    x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
         sum([x_of(1), x_of(2), x_of(3), x_of(4), x_of(5), x_of(6), x_of(7),
              x_of(1), x_of(2), x_of(3), x_of(4), x_of(5), x_of(6), x_of(7),
              x_of(1), x_of(2), x_of(3), x_of(4), x_of(5), x_of(6), x_of(7)]),
         await wait()]
    return x


def x_of(x):
    return x


async def größe():
    await wait()


class Other(asyncio.Task):
    pass


async def in_subclass():
    await wait()


SHAPES = [wait, by_sleep, by_queue, by_event, by_gather, by_wait_for,
          by_context, by_async_generator, by_comprehension,
          by_closed_generator, by_awaitable, by_yield_from, by_future,
          by_recursion, by_wide_argument, größe]


def frame_of(x):
    for name in "cr_frame", "gi_frame", "ag_frame":
        if hasattr(x, name):
            return getattr(x, name)


def awaited_by(x):
    for name in "cr_await", "gi_yieldfrom", "ag_await":
        if hasattr(x, name):
            return getattr(x, name)


# What a wrapper, such as that of an asynchronous generator's step, is for.
def unwrap(x):
    if type(x).__name__ in ("coroutine_wrapper", "async_generator_asend",
                            "async_generator_athrow", "anext_awaitable"):
        for y in gc.get_referents(x):
            if frame_of(unwrap(y)) is not None:
                return unwrap(y)
    return x


def chain(x):
    x = unwrap(x)
    while x is not None and frame_of(x) is not None:
        frame = frame_of(x)
        code = frame.f_code
        yield "%s (%s:%d)" % (getattr(code, "co_qualname", code.co_name),
                              code.co_filename, frame.f_lineno)
        x = unwrap(awaited_by(x))


def write_all(loop):
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for task in asyncio.all_tasks(loop):
            coroutine = getattr(task, "_coro", None) or task.get_coro()
            waiter = getattr(task, "_fut_waiter", None)
            out.write("asyncio-task;%s;state:%s\n" % (
                ";".join(chain(coroutine)),
                "ready" if waiter is None else "await"))


async def running_callee():
    with open(os.pipe()[0]) as never:
        never.read()


async def running():
    await running_callee()


# A task that is not suspended, in a loop of its own.
def other_loop():
    asyncio.new_event_loop().run_until_complete(running())


async def main():
    loop = asyncio.get_event_loop()
    tasks = [asyncio.ensure_future(f()) for f in SHAPES]
    tasks.append(Other(in_subclass(), loop=loop))
    done = asyncio.ensure_future(asyncio.sleep(0))
    for i in range(50):
        await asyncio.sleep(0)
    loop.call_soon(park, loop)
    # A task that has not begun.
    last = asyncio.ensure_future(by_sleep())
    await loop.create_future()


def park(loop):
    write_all(loop)
    print("ready")
    sys.stdout.flush()
    threading.Event().wait()


thread = threading.Thread(target=other_loop, name="other loop")
thread.daemon = True
thread.start()
asyncio.new_event_loop().run_until_complete(main())
