# waits - two threads that wait: for time, for each other, at random.
import queue
import random
import threading
import time

q = queue.Queue(5)


def produce():
    for i in range(150):
        time.sleep(random.expovariate(800))
        q.put(i)
    q.put(None)


def slow():
    time.sleep(0.002)


def fast():
    time.sleep(0.0005)


thread = threading.Thread(target=produce)
thread.start()
n = 0
while q.get() is not None:
    n += 1
    slow() if n % 5 == 0 else fast()
thread.join()
