# names.py LOG - calls methods for ever, and writes tracebacks on SIGUSR1.
import faulthandler
import signal
import sys


class Work:
    def inner(self, n):
        total = 0
        for i in range(n):
            total += i
        return total

    def outer(self):
        while True:
            self.inner(1000)


faulthandler.register(signal.SIGUSR1, file=open(sys.argv[1], 'w'))
print('ready', flush=True)
Work().outer()
