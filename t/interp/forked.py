# forked.py - a process made by fork() of the C library, of which Python is not
# told, as uWSGI makes its workers: Python has the parent's thread id.
import ctypes
import os
import sys
import time


def in_the_child():
    time.sleep(100)


parent = os.getpid()
child = ctypes.PyDLL(None).fork()
if child == 0:
    in_the_child()
    os._exit(0)
print("ready %d" % child)
sys.stdout.flush()
try:
    time.sleep(100)
finally:
    os.kill(child, 9)
