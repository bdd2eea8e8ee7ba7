# storm.py SECONDS - threads that import, make code, start and end, and fork
# children, which execute programs; prints "done" if all of them ended well.
import os
import subprocess
import sys
import threading
import time

end = time.time() + float(sys.argv[1])
failures = []


def importing():
    while time.time() < end:
        for name in ["json", "json.decoder", "json.encoder", "colorsys"]:
            sys.modules.pop(name, None)
        import json
        import colorsys
        json.loads("[1]")
        colorsys.rgb_to_hsv(0, 0, 0)


def compiling():
    n = 0
    while time.time() < end:
        n += 1
        space = {}
        exec("def f%d(x):\n    return x + 1\ny = f%d(1)" % (n, n), space)


def threading_():
    while time.time() < end:
        t = threading.Thread(target=sum, args=([1, 2],))
        t.start()
        t.join()


def forking():
    while time.time() < end:
        pid = os.fork()
        if pid == 0:
            os._exit(sum(range(1000)) % 7)
        if os.waitpid(pid, 0)[1] >> 8 != sum(range(1000)) % 7:
            failures.append("fork")


def executing():
    while time.time() < end:
        if subprocess.call([sys.executable, "-c", "pass"]) != 0:
            failures.append("exec")


threads = []
for function in [importing, compiling, threading_, executing]:
    threads.append(threading.Thread(target=function))
print("ready")
sys.stdout.flush()
for t in threads:
    t.start()
forking()
for t in threads:
    t.join()
print("failed: %s" % failures if failures else "done")
