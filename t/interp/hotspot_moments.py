#!/usr/bin/env python3
"""Sample a HotSpot while threads stand still at an instruction that they are
seldom seen at.

usage: hotspot_moments.py PID FOLDER

Each instruction of MOMENTS becomes a jump to itself, wherever it is in the code
cache; stacks go to a file FOLDER/moment.NAME; then the instruction is as before.  Ends
with status 77 if the process's memory may not be written.
"""
import re
import subprocess
import sys

# Code, in which the first group ends where the instruction begins.
MOMENTS = {
    # An adapter has popped the return address: mov %rsp, %r13 is next.
    "adapter-popped": rb"(\x58)(?:\x4c\x8b\xec|\x49\x89\xe5)",
    "adapter-moved": rb"(\x58(?:\x4c\x8b\xec|\x49\x89\xe5))\x48[\x81\x83]\xec",
    # The interpreter makes a frame: push %rbp; mov; push %r13; push $0.
    "entry-sender": rb"(\x55\x48\x8b\xec\x41\x55)\x6a\x00",
    # It ends a method: pop %r13; mov %rbx, %rsp; jmp *%r13.
    "end": rb"()\x41\x5d\x48\x8b\xe3",
    "end-monitors": rb"()\x41\xc6\x87.{4}\x00\x41\x5d\x48\x8b\xe3",
    "end-popped": rb"(\x41\x5d)\x48\x8b\xe3",
    "end-moved": rb"(\x41\x5d\x48\x8b\xe3)\x41\xff\xe5",
    # Compiled code returns to be interpreted: it has pushed its own address.
    "deoptimized": rb"(\xe8\x00\x00\x00\x00)\x48\x83\x2c\x24",
    # A stub begins: push %rbp; mov %rsp, %rbp; pushf, or sub $n, %rsp.  That for
    # safepoints pushes %rbx first: its return address is not on the stack yet.
    "stub-pushed": rb"([^\x53]\x55)\x48\x8b\xec(?:\x9c|\x48\x81\xec)",
    # A call of an interpreted method: mov $method, %rbx; jmp.
    "static-call": rb"()\x48\xbb.{8}\xe9",
}

LOOP = b"\xeb\xfe"
LARGEST = 1 << 28
ENOUGH = 2000  # bytes of stacks


def code(pid):
    """The parts of memory that have the code cache."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            fields = line.split()
            start, end = (int(n, 16) for n in fields[0].split("-"))
            if fields[1] == "rwxp" and end - start < LARGEST:
                yield start, end - start


def find(pid, memory, pattern):
    """The addresses of an instruction."""
    found = []
    for start, size in code(pid):
        data = read(memory, start, size)
        found += [start + m.end(1)
                  for m in re.finditer(pattern, data, re.DOTALL)]
    return found


def read(memory, address, size):
    memory.seek(address)
    return memory.read(size)


def write(memory, address, data):
    memory.seek(address)
    memory.write(data)


def sample(pid):
    """Folded stacks of what runs."""
    return subprocess.run(["stacksample", "-q", "-p", pid, "-F", "50", "-d", "1",
                           "--folded", "--only-running"], check=True,
                          stdout=subprocess.PIPE, timeout=60).stdout


def main():
    pid, folder = sys.argv[1:]
    try:
        memory = open(f"/proc/{pid}/mem", "r+b", buffering=0)
        start, _ = next(code(pid))
        write(memory, start, read(memory, start, 1))
    except OSError:
        sys.exit(77)
    for name, pattern in MOMENTS.items():
        before = {a: read(memory, a, len(LOOP))
                  for a in find(pid, memory, pattern)}
        for address in before:
            write(memory, address, LOOP)
        with open(f"{folder}/moment.{name}", "wb") as out:
            while out.tell() < ENOUGH:
                out.write(sample(pid))
        for address, data in before.items():
            write(memory, address, data)


main()
