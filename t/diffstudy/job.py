# job - some work in Python: JSON, regular expressions, dictionaries, sorting;
# as often as the argument says.
import json
import re
import random
import sys

random.seed(1)
words = ["w%d" % random.randrange(5000) for _ in range(30000)]


def count(words):
    table = {}
    for w in words:
        table[w] = table.get(w, 0) + 1
    return sorted(table.items(), key=lambda kv: (-kv[1], kv[0]))


def search(text):
    return len(re.findall(r"w(\d+)5\b", text)) + len(re.split(r"\s+", text))


def encode(table):
    return json.loads(json.dumps(table, indent=1))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


for _ in range(int(sys.argv[1])):
    table = count(words)
    search(" ".join(words))
    encode(table)
    fib(19)
