#!/usr/bin/env python3
"""Malformed and out-of-order messages to the language server: it answers, refuses or ignores them, and then still works.

    fuzz.py --bin TOOL [--seed N] [--messages N] [--minutes M]

The same seed gives the same messages. Without --minutes a fixed number of them is sent to one server after another, as the test
does; with it, seed after seed for that long. After each series the server must show the findings of a good document."""

import argparse
import json
import pathlib
import random
import sys
import tempfile
import time

from case import COUNT_AS_MASK, DIVERGENT
from client import Client, Failed

SERIES = 120  # messages to one server
METHODS = ["initialize", "initialized", "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
           "textDocument/didSave", "textDocument/codeAction", "codeAction/resolve", "textDocument/hover",
           "textDocument/codeLens", "textDocument/diagnostic", "workspace/diagnostic", "workspace/executeCommand",
           "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
           "window/workDoneProgress/cancel", "$/cancelRequest", "$/setTrace", "no/such", "", "textDocument/didOpen\n"]
COMMANDS = ["cuwarp-lint.apply", "cuwarp-lint.fixAll", "cuwarp-lint.suppress", "cuwarp-lint.explain", "rm"]
OWN_IDS = 1000000  # above these are those of the client's own requests


class Fuzz:
    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.folder = folder
        self.uris = [(folder / name).as_uri() for name in ("a.cu", "b.cu", "sub/c.cuh")]

    # ---- values ----

    def number(self):
        return self.random.choice([0, 1, 2, 3, 7, -1, 2**31 - 1, 2**31, -2**31, 2**53, 2**63 - 1, 1.5, -0.0, 1e300])

    def text(self):
        return self.random.choice(["", "a", "cuda-cpp", "\x00", "\ud7ff\ue000", "x" * 5000, "../../etc/passwd", "file:///",
                                   "file://host/a.cu", "untitled:Untitled-1", "http://x/%zz", "%00", "\U0001f600"])

    def odd(self, depth=0):
        kind = self.random.randrange(8 if depth < 3 else 5)
        if kind == 5:
            return [self.odd(depth + 1) for _ in range(self.random.randrange(4))]
        if kind > 5:
            return {self.random.choice(["uri", "range", "text", "id", "x"]): self.odd(depth + 1)
                    for _ in range(self.random.randrange(3))}
        return [None, True, False, self.number(), self.text()][kind]

    def position(self):
        return {"line": self.random.choice([0, 1, 3, 5, 9999]), "character": self.random.choice([0, 2, 9, 80, 99999])}

    def span(self):
        return {"start": self.position(), "end": self.position()}

    def source(self):
        text = self.random.choice([DIVERGENT, COUNT_AS_MASK, "", "}" * 40, "\r\n\r", "__global__ void k() {", "\ufeff" + DIVERGENT])
        cut = self.random.randrange(len(text) + 1)
        return text[:cut] if self.random.random() < 0.3 else text

    def good(self, method):
        """Parameters that fit the method, about a document that may not be open."""
        uri = self.random.choice(self.uris)
        document = {"uri": uri, "languageId": "cuda-cpp", "version": self.random.randrange(9), "text": self.source()}
        change = {"text": self.source()}
        if self.random.random() < 0.7:
            change["range"] = self.span()
        return {
            "initialize": {"capabilities": {}, "processId": None, "rootUri": None},
            "textDocument/didOpen": {"textDocument": document},
            "textDocument/didChange": {"textDocument": document, "contentChanges": [change]},
            "textDocument/codeAction": {"textDocument": document, "range": self.span(), "context": {"diagnostics": []}},
            "codeAction/resolve": {"title": "x", "data": self.odd()},
            "textDocument/hover": {"textDocument": document, "position": self.position()},
            "workspace/diagnostic": {"previousResultIds": [{"uri": uri, "value": self.text()}]},
            "workspace/executeCommand": {"command": self.random.choice(COMMANDS), "arguments": [self.odd()]},
            "workspace/didChangeConfiguration": {"settings": self.random.choice([None, {}, {"cuwarp-lint": {}}])},
            "workspace/didChangeWatchedFiles": {"changes": [{"uri": uri, "type": self.random.randrange(5)}]},
            "workspace/didChangeWorkspaceFolders": {"event": {"added": [], "removed": [{"uri": uri, "name": "x"}]}},
            "window/workDoneProgress/cancel": {"token": self.number()},
            "$/cancelRequest": {"id": self.random.randrange(200)},
        }.get(method, {"textDocument": {"uri": uri}})

    def spoil(self, value):
        """One member of it, somewhere, is replaced or taken away."""
        if isinstance(value, dict) and value and self.random.random() < 0.8:
            key = self.random.choice(sorted(value))
            out = dict(value)
            if self.random.random() < 0.2:
                del out[key]
            else:
                out[key] = self.spoil(out[key])
            return out
        if isinstance(value, list) and value and self.random.random() < 0.8:
            at = self.random.randrange(len(value))
            return value[:at] + [self.spoil(value[at])] + value[at + 1:]
        return self.odd()

    # ---- messages ----

    def message(self):
        method = self.random.choice(METHODS)
        message = {"jsonrpc": "2.0", "method": method, "params": self.good(method)}
        if self.random.random() < 0.6:
            message["id"] = self.random.choice([self.random.randrange(200), "a", "", 1.5, None, -1])
        if self.random.random() < 0.1:  # an answer to nothing
            message = {"jsonrpc": "2.0", "id": self.number(), self.random.choice(["result", "error"]): self.odd()}
        while self.random.random() < 0.5:
            message = self.spoil(message)
        return message

    def frame(self):
        body = json.dumps(self.message()).encode()
        kind = self.random.random()
        if kind < 0.04:  # a body that is no JSON
            body = self.random.choice([b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":}', b"1" * 40, b"[" * 3000, body[:-1],
                                       b"{}" * 3])
        head = b"Content-Length: %d\r\n" % len(body)
        if kind > 0.96:
            head = self.random.choice([b"content-length: %d\r\n", b"X-Other: 1\r\nContent-Length: %d\r\n",
                                       b"Content-Length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n"]) % len(body)
        return head + b"\r\n" + body


def still_works(client, folder, seed):
    """A good document, whatever was sent before; settings that were sent are taken back."""
    client.notify("workspace/didChangeConfiguration", {"settings": {"cuwarp-lint": {}}})
    name = "good-%d.cu" % seed
    uri = client.open(name, DIVERGENT)
    found = [d["code"] for d in client.pushed(uri)]
    assert found == ["divergent-barrier"], found
    assert client.close() == 0


def run_series(tool, seed, messages):
    with tempfile.TemporaryDirectory(prefix="cuwarp fuzz ") as holder:
        folder = pathlib.Path(holder).resolve()
        (folder / "a.cu").write_text(DIVERGENT)
        fuzz = Fuzz(seed, folder)
        client = Client([tool, "lsp"], folder, folder)
        client.next_id = OWN_IDS
        try:
            if fuzz.random.random() < 0.5:  # else the first messages come before it
                client.initialize()
                begun = True
            else:
                begun = False
            for i in range(messages):
                client.raw(fuzz.frame())
                if not begun and i == 20:
                    try:
                        client.initialize()
                    except Failed:  # one of the messages was an initialize that fits
                        client.notify("initialized")
                    begun = True
            still_works(client, folder, seed)
        except (AssertionError, OSError) as error:
            sys.exit("seed %d: %s (status %s)" % (seed, error, client.process.poll()))
        finally:
            client.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: str(pathlib.Path(p).resolve()), required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--messages", type=int, default=3 * SERIES)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    begin, seed, sent = time.monotonic(), options.seed, 0
    while sent < options.messages if options.minutes is None else time.monotonic() - begin < 60 * options.minutes:
        run_series(options.bin, seed, SERIES)
        seed, sent = seed + 1, sent + SERIES
    print("%d messages to %d servers" % (sent, seed - options.seed))


if __name__ == "__main__":
    main()
