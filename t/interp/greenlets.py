# greenlets.py - two greenlets that take turns to run.
import sys
import time

import greenlet


def burn():
    end = time.time() + 0.02
    while time.time() < end:
        sum(range(100))


def leaf_a():
    while True:
        burn()
        b.switch()


def leaf_b():
    while True:
        burn()
        a.switch()


def begin_a():
    leaf_a()


def begin_b():
    leaf_b()


def start():
    a.switch()


a = greenlet.greenlet(begin_a)
b = greenlet.greenlet(begin_b)
print("ready")
sys.stdout.flush()
start()
