# busy_tasks.py - tasks of asyncio that are suspended only in pause(), called by
# w0 to w39 in this order, and are resumed at once.  Each task has functions of
# its own, w0_1 to w39_1 and so on, whose coroutines are all of one size: memory
# of one task is soon that of another one, so that a stack of both is seen.
import asyncio
import random
import sys

TASKS = 30
DEPTH = 40


async def pause():
    loop = asyncio.get_event_loop()
    future = loop.create_future()
    loop.call_soon(future.set_result, None)
    await future


text = ""
for t in range(TASKS):
    for i in range(DEPTH - 1):
        text += (
            "async def w%d_%d(k):\n"
            "  if k > %d: await w%d_%d(k)\n"
            "  else: await pause()\n" % (i, t, i, i + 1, t)
        )
    text += "async def w%d_%d(k):\n  await pause()\n" % (DEPTH - 1, t)
    text += (
        "async def work_%d():\n"
        "  while True: await w0_%d(random.randrange(%d))\n" % (t, t, DEPTH)
    )
exec(text)


async def main():
    tasks = [
        asyncio.ensure_future(globals()["work_%d" % i]()) for i in range(TASKS)
    ]
    await asyncio.sleep(0)
    print("ready")
    sys.stdout.flush()
    await asyncio.gather(*tasks)


asyncio.new_event_loop().run_until_complete(main())
