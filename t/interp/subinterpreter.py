# subinterpreter.py - a thread that executes code of a subinterpreter.
import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = """
import os
def inner():
    print("ready", flush=True)
    os.read(os.pipe()[0], 1)
def outer():
    inner()
outer()
"""


def run():
    getattr(interpreters, "run_string")(interpreters.create(), CODE)


threading.Thread(target=run, name="with another").start()
