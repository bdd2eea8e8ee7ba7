"""ingest.py - a server that takes profiles as Pyroscope's /ingest does.

usage: ingest.py FOLDER

It writes its port to FOLDER/port, and each profile it takes to FOLDER/NAME.
As documented, and as "format=folded" is read there: name is required; lines
end where one is longer than 64 KiB, and nobody is told; a line without a blank
is skipped; a count is a whole number of 63 bits, or all is refused; so are
more than 16000 stacks.
"""

import http.server
import os
import re
import sys
from urllib.parse import parse_qs, urlparse

LINE = 64 * 1024
STACKS = 16000


def read(body):
    """The stacks that are taken of a body, or ValueError."""
    taken = []
    for line in body.splitlines(keepends=True):
        if len(line) > LINE:
            break
        stack, blank, count = line.rstrip(b"\r\n").rpartition(b" ")
        if not blank:
            continue
        if not re.fullmatch(rb"[-+]?[0-9]+", count) or int(count) >= 1 << 63:
            raise ValueError("not a count: %r" % count)
        taken.append(b"%s %d\n" % (stack, int(count)))
    if len(taken) > STACKS:
        raise ValueError("%d stacks" % len(taken))
    return taken


class Ingest(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        url = urlparse(self.path)
        query = parse_qs(url.query)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if url.path != "/ingest" or not {"name", "from", "until"} <= set(query):
            self.send_error(400)
        elif query.get("format", ["folded"]) != ["folded"]:
            self.send_error(400)
        else:
            self.take(query["name"][0], body)

    def take(self, name, body):
        try:
            taken = read(body)
        except ValueError as error:
            self.send_error(422, str(error))
            return
        with open(os.path.join(sys.argv[1], os.path.basename(name)), "wb") as f:
            f.writelines(taken)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Ingest)
with open(os.path.join(sys.argv[1], "port.new"), "w") as f:
    f.write(str(server.server_address[1]))
os.rename(f.name, os.path.join(sys.argv[1], "port"))
server.serve_forever()
