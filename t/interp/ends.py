# ends.py - threads that run, and code that does, as the interpreter ends.
import atexit
import sys
import threading
import time


def spin(seconds):
    end = time.time() + seconds
    while time.time() < end:
        sum(range(10))


class Last(object):
    def __del__(self, spin=spin):
        spin(0.05)


def at_exit():
    spin(0.1)
    sys.stdout.write("bye\n")


last = Last()
atexit.register(at_exit)
for i in range(8):
    t = threading.Thread(target=spin, args=(1000,))
    t.daemon = True
    t.start()
spin(0.1)
sys.exit(3)
