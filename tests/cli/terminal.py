#!/usr/bin/env python3
"""What people see on a terminal: the progress bar, colours, and excerpts that fit.

    terminal.py --bin PATH [--hooks]     --hooks: the binary was built with CUWARP_TEST_HOOKS
"""

import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import side_by_side  # noqa: E402

OPTIONS = argparse.Namespace(bin=None, hooks=False)
WIDTH = """__global__ void width(int *out) {
    int v = threadIdx.x;%s
    v += __shfl_down_sync(0xffffffffu, v, 1, 24);
    out[threadIdx.x] = v;
}
"""


class Terminal(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)
        (self.dir / "bad.cu").write_text(WIDTH % "")

    def lint(self, *arguments, columns=100, on=(1, 2), **env):
        """Runs with the streams named in `on` at a terminal; returns what the terminal got, and the pipes."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        process = subprocess.Popen([OPTIONS.bin, "--no-cache", *arguments], cwd=self.dir, stdin=subprocess.DEVNULL,
                                   stdout=slave if 1 in on else subprocess.PIPE, stderr=slave if 2 in on else subprocess.PIPE,
                                   env={**variables, "LC_ALL": "C.UTF-8", "TERM": "xterm", **env})
        os.close(slave)
        seen = b""
        while True:
            try:
                if not select.select([master], [], [], 0.1)[0]:
                    continue
                chunk = os.read(master, 65536)
            except OSError:  # the last one has closed it
                break
            if not chunk:
                break
            seen += chunk
        piped = process.communicate(timeout=60)
        os.close(master)
        return seen.decode(), b"".join(p or b"" for p in piped).decode()

    def at_once(self, call, values):
        """Values with what the call gives for each; the calls wait side by side."""
        with concurrent.futures.ThreadPoolExecutor(len(values)) as pool:
            return list(zip(values, pool.map(call, values)))

    def slow(self, *arguments, **more):
        """One worker hangs until the time limit of two seconds."""
        if not OPTIONS.hooks:
            self.skipTest("needs a build with test hooks")
        name = "a long name that goes on and on and on/" * 2 + "hang.cu"
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(WIDTH % "")
        return self.lint(".", "-j1", "--time-limit=2", *arguments, CUWARP_TEST_WORKER="hang:hang.cu", **more)

    def test_bar_is_shown_and_erased(self):
        terminal, piped = self.slow(on=(2,))
        frames = [f for f in terminal.split("\r") if "\u2500" in f]
        self.assertTrue(frames, terminal)
        self.assertRegex(re.sub(r"\x1b\[[0-9;]*m", "", frames[0]), "^\u2501*\u2500+ [01]/2 \u2026.*hang\\.cu\x1b\\[K$")
        for frame in frames:
            self.assertLess(len(re.sub(r"\x1b\[[0-9;]*[mK]", "", frame)), 100)
        # Erased before anything else is said.
        last = terminal.rindex("\u2500")
        self.assertRegex(terminal[last:].replace("\r\n", "\n"), "\r\x1b\\[K(cuwarp-lint: .*)?")
        self.assertIn("[bad-shuffle-width]", piped)

    def test_bar_fits_any_width(self):
        for columns, (terminal, _) in self.at_once(lambda columns: self.slow(on=(2,), columns=columns), (20, 30, 40, 200)):
            frames = [re.sub(r"\x1b\[[0-9;]*[mK]", "", f) for f in terminal.split("\r") if "/2" in f and "cuwarp" not in f]
            self.assertTrue(frames, terminal)
            self.assertLess(max(map(len, frames)), columns)

    def test_bar_without_unicode_and_colours(self):
        terminal, _ = self.slow(on=(2,), LC_ALL="C", NO_COLOR="1")
        self.assertTrue(re.search(r"\r[#.]{24} [01]/2 ", terminal), terminal)
        self.assertNotIn("\x1b[3", terminal)

    def test_no_bar_where_none_belongs(self):
        self.assertNotIn("\r\x1b", self.slow("-q", on=(2,))[0])
        self.assertNotIn("\x1b", self.slow(on=(2,), TERM="dumb")[0])
        terminal, piped = self.slow(on=(1,))
        self.assertNotIn("/2", piped)
        self.assertNotIn("\u2500", terminal)

    def test_every_step_is_named(self):
        """From the first one on, within half a second; each takes 0.6 seconds here."""
        if not OPTIONS.hooks:
            self.skipTest("needs a build with test hooks")
        steps = ("looking for files", "looking for headers", "looking for earlier results", "parsing what files begin with",
                 "making the report")
        for step, (terminal, piped) in self.at_once(lambda step: self.lint("bad.cu", on=(2,), CUWARP_TEST_STEP=step), steps):
            self.assertIn("\r" + step + "\x1b[K", terminal)
            self.assertTrue(terminal.endswith("\r\x1b[K"), terminal)
            self.assertIn("[bad-shuffle-width]", piped)
        for _, (_, piped) in self.at_once(lambda step: self.lint("bad.cu", on=(1,), CUWARP_TEST_STEP=step, NO_COLOR="1"), steps):
            self.assertEqual(piped, "")

    def test_messages_erase_the_step(self):
        if not OPTIONS.hooks:
            self.skipTest("needs a build with test hooks")
        (self.dir / "bad.cu").write_bytes(b"\0")
        terminal, _ = self.lint("bad.cu", on=(2,), CUWARP_TEST_STEP="looking for headers")
        self.assertRegex(terminal, "looking for headers\x1b\\[K.*\r\x1b\\[Kcuwarp-lint: error")

    def test_no_bar_for_quick_runs(self):
        """A machine that is busy may make a run slow; one of several is quick."""
        self.assertIn("", [self.lint("bad.cu", on=(2,))[0] for _ in range(5)])

    def test_colours(self):
        colour = "\x1b[1;31merror:"
        self.assertIn(colour, self.lint("bad.cu")[0])
        self.assertNotIn(colour, self.lint("bad.cu", on=())[1])
        bar = re.compile("\r[^\r\n]*\x1b\\[K")  # of a run that a busy machine makes slow
        self.assertNotIn("\x1b", bar.sub("", self.lint("bad.cu", NO_COLOR="1")[0]))
        self.assertNotIn("\x1b", self.lint("bad.cu", TERM="dumb")[0])
        self.assertIn(colour, self.lint("bad.cu", on=(), FORCE_COLOR="1")[1])
        self.assertIn(colour, self.lint("bad.cu", "--color=always", on=(), NO_COLOR="1")[1])
        self.assertNotIn("\x1b", bar.sub("", self.lint("bad.cu", "--color=never", FORCE_COLOR="1")[0]))
        for name in ("json", "sarif", "github", "html", "concise"):  # for programs, on a terminal too
            self.assertNotIn("\x1b[", bar.sub("", self.lint("bad.cu", "--output", name)[0]))

    def test_fixes_are_pointed_out(self):
        """To somebody at a terminal: a log, a pipe or --quiet has no room for advice."""
        self.assertNotIn("--fix", self.lint("bad.cu")[0])  # its fix is an unsafe one, or none
        (self.dir / "bad.cu").write_text("__global__ void up(int *p) { p[threadIdx.x] = __shfl_up_sync(32, p[threadIdx.x], 1); }\n"
                                         "void run(int *p) { up<<<1, 64>>>(p); }\n")
        said = "1 finding has a fix: --diff shows what it would change, --fix applies it\r\n"
        self.assertIn(said, self.lint("bad.cu")[0])
        for on in ((1,), (2,), ()):
            self.assertNotIn("--fix", "".join(self.lint("bad.cu", on=on)))
        self.assertNotIn("--fix", self.lint("bad.cu", "-q")[0])

    def test_excerpts_fit(self):
        (self.dir / "wide.cu").write_text("__global__ void w(int *o) { int v = threadIdx.x;" + " " * 150 +
                                          "v += __shfl_down_sync(0xffffffffu, v, 1, 24);" + " " * 150 + "o[threadIdx.x] = v; }\n")
        for columns in (50, 80, 120, 300):
            lines = self.lint("wide.cu", columns=columns, NO_COLOR="1")[0].split("\r\n")
            excerpt = [line for line in lines if re.match(r" *\d* \|", line)]
            self.assertTrue(any("^~~" in line for line in excerpt), lines)
            self.assertIn("__shfl", "".join(excerpt))
            self.assertLess(max(map(len, excerpt)), columns)

    def test_columns_of_the_environment(self):
        lines = self.lint("--help", columns=200, COLUMNS="70")[0].split("\r\n")
        self.assertLessEqual(max(len(line) for line in lines if line.startswith("      --")), 70)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--hooks", action="store_true")
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.bin = os.path.abspath(OPTIONS.bin)
    side_by_side.main(rest)
