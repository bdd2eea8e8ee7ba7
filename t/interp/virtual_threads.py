#!/usr/bin/env python3
"""Print the stacks of waiting virtual threads in a JVM's own dump of threads,
sorted, one a line, root first, as stacksample has them without tiers.

usage: virtual_threads.py JCMD PID FOLDER
"""
import json
import os
import re
import subprocess
import sys


def slashed(frame):
    """"java.base/java.lang.Thread.run(Thread.java:5)": java/lang/Thread.run:5"""
    name, _, place = frame.rpartition("(")
    hidden = re.match(r"(?:.*/)?([^/]*)/(0x[0-9a-f]+)(\.[^/]*)$", name)
    if hidden:
        name = hidden[1].replace(".", "/") + "+" + hidden[2] + hidden[3]
    else:
        owner, _, method = name.rpartition("/")[2].rpartition(".")
        name = owner.replace(".", "/") + "." + method
    line = re.search(r":(\d+)\)$", "(" + place)
    return name + (":" + line[1] if line else "")


def main():
    jcmd, pid, folder = sys.argv[1:]
    dump = os.path.join(folder, "dump.json")
    subprocess.run([jcmd, pid, "Thread.dump_to_file", "-format=json",
                    "-overwrite", dump], check=True, timeout=60,
                   stdout=subprocess.DEVNULL)
    with open(dump, encoding="utf-8") as file:
        containers = json.load(file)["threadDump"]["threadContainers"]
    stacks = []
    for container in containers:
        for thread in container["threads"]:
            stack = thread["stack"]
            if any("VirtualThread.run(" in f for f in stack) and not any(
                    "runContinuation(" in f for f in stack):
                stacks.append(";".join(slashed(f) for f in reversed(stack)))
    print("\n".join(sorted(stacks)))


main()
