# lock.py - one thread keeps the lock of the interpreter as it sleeps, in
# usleep() of PyDLL, and another one waits for that lock.
import ctypes
import sys
import threading


def keep():
    sleep = ctypes.PyDLL(None).usleep
    while True:
        sleep(50000)


def spin():
    x = 0
    while True:
        x += 1


for function in [keep, spin]:
    t = threading.Thread(target=function)
    t.daemon = True
    t.start()
print("ready")
sys.stdout.flush()
threading.Event().wait()
