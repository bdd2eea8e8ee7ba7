"""prog.py - work of three kinds, with a traceback of it every 10 ms."""
import faulthandler
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ordered(n):
    return sorted((i * 7919 % n for i in range(n)), key=lambda x: -x)[n // 2]


class Words:
    def count(self, n):
        seen = {}
        for i in range(n):
            word = "w" * (i % 50) + str(i % 1000)
            seen[word] = seen.get(word, 0) + i
        return len(seen)


faulthandler.dump_traceback_later(0.01, repeat=True, file=sys.stderr)
print(fib(25), ordered(200000), Words().count(300000))
