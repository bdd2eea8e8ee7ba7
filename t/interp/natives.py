# natives.py - a thread that Python does not know, and one that calls it back.
import ctypes
import os
import sys

libc = ctypes.CDLL(None)
never, unused = os.pipe()


def called():
    os.read(never, 1)


def call_back(unused):
    called()
    return 0


# Python holds no lock for that, and so may be called back at once.
def create(function):
    thread = ctypes.c_ulong()
    if libc.pthread_create(ctypes.byref(thread), None, function, None) != 0:
        raise OSError("pthread_create")


callback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(call_back)
create(callback)
create(ctypes.cast(libc.pause, ctypes.c_void_p))
print("ready")
sys.stdout.flush()
os.read(never, 1)
