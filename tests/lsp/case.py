"""What the tests of the language server share: a folder, servers that are ended, sources with known findings."""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import venv

from client import Client

OPTIONS = argparse.Namespace(bin=None, hooks=False, dir=None)
HERE = pathlib.Path(__file__).resolve().parent

# One finding with a verified fix, at the shuffle.
COUNT_AS_MASK = """__global__ void pass_on(int *data) {
    int t = threadIdx.x;
    data[t] = __shfl_up_sync(32, data[t], 1);
}

void run(int *data) {
    pass_on<<<1, 64>>>(data);
}
"""

# One finding without a fix, at the barrier.
DIVERGENT = """__global__ void half(int *data, int n) {
    int t = threadIdx.x;
    int whole = n / 2;
    if (t < 16) {
        data[t] += whole;
        __syncthreads();
    }
    data[t] += whole;
    __syncthreads();
}

void run(int *data, int n) {
    half<<<1, 64>>>(data, n);
}
"""

CLEAN = """__global__ void twice(int *data) {
    data[threadIdx.x] *= 2;
}
"""


def need(condition, what):
    """Skips, or fails where nothing may be passed over."""
    if condition:
        return
    if os.environ.get("CUWARP_NEED_ALL"):
        raise AssertionError(what)
    raise unittest.SkipTest(what)


def environment():
    """A Python that has the protocol's types, kept between runs; None when they cannot be had."""
    if importlib.util.find_spec("lsprotocol"):
        return sys.executable
    folder = pathlib.Path(OPTIONS.dir or tempfile.gettempdir()) / "python"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder)
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check",
                           "-r", HERE / "requirements.txt"])
    return str(python) if done.returncode == 0 else None


class Checker:
    """Reads each message of the server as the type that the protocol has for it."""

    def __init__(self):
        self.converter = self.types = None
        if importlib.util.find_spec("lsprotocol"):
            from lsprotocol import converters, types
            self.converter, self.types = converters.get_converter(), types
        self.asked, self.errors, self.checked = {}, [], 0

    def note_request(self, number, method):
        self.asked[number] = method

    def __call__(self, message):
        if not self.converter:
            return
        known = self.types.METHOD_TO_TYPES
        method = message.get("method") or self.asked.get(message.get("id"))
        if method not in known or "error" in message:
            return
        kind = known[method][0 if "method" in message else 1]
        try:
            self.converter.structure(message, kind)
            self.checked += 1
        except Exception as error:  # whatever the converter says is a message of the test
            self.errors.append("%s: %r in %.2000s" % (method, error, message))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="cuwarp lsp ")  # with blanks, for the addresses
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name).resolve() / "w"
        self.home = self.dir.parent / "home"
        self.dir.mkdir()
        self.home.mkdir()

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        return path

    def server(self, *arguments, environment=None):
        """One that has not been initialized."""
        checker = Checker()
        client = Client([OPTIONS.bin, "lsp", *arguments], self.dir, self.home, environment, checker)
        send = client.send

        def noting(method, params=None, **more):
            checker.note_request(client.next_id + 1, method)
            return send(method, params, **more)

        client.send = noting
        self.addCleanup(self.check_messages, checker)
        self.addCleanup(client.kill)
        return client

    def check_messages(self, checker):
        self.assertEqual(checker.errors, [], "messages that the protocol does not have")

    def started(self, *arguments, capabilities=None, environment=None, **more):
        client = self.server(*arguments, environment=environment)
        client.initialize(capabilities, **more)
        return client

    def codes(self, diagnostics):
        return [(d["code"], d["range"]["start"]["line"], d["range"]["start"]["character"]) for d in diagnostics]
