#!/usr/bin/env python3
"""Findings are printed while files are still analysed, in the order of the report, and survive the end of the run.

    early.py --bin PATH
"""

import argparse
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

PATIENCE = 60  # seconds until a test gives up on output that does not come
SLOW = '#include "pipe.h"\n' + run.WIDTH  # the worker waits for a writer until the time limit
HEADER = """#pragma once
__device__ inline int sum(int v) {
    v += __shfl_down_sync(0xffffffffu, v, 1, 24);
    return v;
}
"""
CALLER = '#include "%s"\n__global__ void k%d(int *out) { out[threadIdx.x] = sum(threadIdx.x); }\n'


class Early(run.Case):
    def put_slow(self, name):
        self.put(name, SLOW)
        path = (self.dir / name).with_name("pipe.h")
        if not path.exists():
            os.mkfifo(path)

    def begin(self, *arguments):
        time.sleep(0.05)  # results of files that are younger than a tick of the clock are not kept
        form = [] if "--output" in arguments else ["--output", "concise"]
        process = subprocess.Popen([run.OPTIONS.bin, "-j2", "--cache-dir", "kept", *form, *arguments],
                                   cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"},
                                   # a shell that runs the tests in the background ignores it for all of them
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_until(self, process, words):
        """What is printed until the words are."""
        seen, end = b"", time.monotonic() + PATIENCE
        while words.encode() not in seen:
            self.assertLess(time.monotonic(), end, seen)
            if select.select([process.stdout], [], [], 1)[0]:
                chunk = os.read(process.stdout.fileno(), 65536)
                self.assertTrue(chunk, seen)
                seen += chunk
        return seen.decode()

    def wait_for_results(self, n):
        """Results are kept as soon as they are there."""
        end = time.monotonic() + PATIENCE
        while self.count_results() < n:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        time.sleep(0.05)

    def count_results(self):
        try:
            return len(run.Cache.entries(self))
        except FileNotFoundError:  # a temporary file that got its name meanwhile
            return 0

    def files_of(self, text):
        return [line.split(":")[0] for line in text.splitlines()]

    # ---- when ----

    def test_a_killed_run_has_printed_what_was_final(self):
        for name in ("a.cu", "b.cu"):
            self.put(name, run.WIDTH)
        self.put_slow("z.cu")
        process = self.begin(".")
        seen = self.read_until(process, "b.cu")
        process.kill()
        self.assertEqual(self.files_of(seen + process.stdout.read().decode()), ["a.cu", "b.cu"])

    def test_findings_in_a_header_wait_for_all_that_read_it(self):
        self.put("a.cu", run.WIDTH)
        self.put("b.cuh", HEADER)
        self.put("c.cu", CALLER % ("b.cuh", 1))
        self.put("d.cu", run.WIDTH)
        self.put("z.cu", '#include "b.cuh"\n' + SLOW)
        os.mkfifo(self.dir / "pipe.h")
        process = self.begin("--time-limit=4", ".")
        self.assertEqual(self.files_of(self.read_until(process, "a.cu")), ["a.cu"])
        self.assertEqual(self.files_of(process.stdout.read().decode()), ["b.cuh", "d.cu"])
        self.assertEqual(process.wait(), 1)

    def test_an_interrupt_is_answered_with_what_is_known(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                for name in ("b.cu", "c.cu"):
                    self.put(name, run.WIDTH + "// %d\n" % number)
                self.put_slow("a.cu")
                process = self.begin(".")
                self.wait_for_results(2)
                self.assertFalse(select.select([process.stdout], [], [], 0)[0])
                process.send_signal(number)
                out, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(self.files_of(out.decode()), ["b.cu", "c.cu"])
                self.assertIn("interrupted: the findings are those of 2 of 3 files, and incomplete", err.decode())
                self.assertEqual(process.returncode, -number)
                for entry in run.Cache.entries(self):
                    entry.unlink()

    def test_an_interrupt_says_nothing_of_unused_comments(self):
        """The comment in the header is for a finding of the file that is not done."""
        self.put("b.cu", '#include "h.cuh"\n' + run.CLEAN)
        self.put("h.cuh", "// cuwarp: ignore-file[bad-shuffle-width] -- tested\n" + HEADER.replace("v, 1, 24", "v, 1, W"))
        self.put("y.cu", '#define W 24\n#include "h.cuh"\n' + SLOW + CALLER.split("\n")[1] % 1)
        os.mkfifo(self.dir / "pipe.h")
        process = self.begin(".")
        self.wait_for_results(2)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertNotIn("unused-suppression", out.decode())

    # ---- what ----

    def put_tree(self):
        self.put("a/first.cu", run.WIDTH)
        self.put("m/common.cuh", HEADER)
        self.put("m/silenced.cuh", HEADER.replace("24);", "24); // cuwarp: ignore[bad-shuffle-width] -- tested"))
        self.put("m/unused.cuh", "#pragma once\n// cuwarp: ignore[divergent-barrier] -- tested\n__device__ void f();\n")
        for i, name in enumerate(("a/second.cu", "m/middle.cu", "z/last.cu")):
            self.put(name, CALLER % ("../m/common.cuh", i))
        self.put("b/silent.cu", CALLER % ("../m/silenced.cuh", 7))
        self.put("n/unused.cu", '#include "../m/unused.cuh"\n' + run.BARRIER)
        self.put("z/large.cu", run.BARRIER + "// \n" * 4000)

    def test_the_bytes_are_those_of_the_whole_report(self):
        """A file gets the report at the end."""
        self.put_tree()
        for form in ("text", "concise"):
            for more in ([], ["--max-results=2"], ["--possible"], ["-q"]):
                outputs = set()
                for jobs in ("1", "2", "7"):
                    done = self.lint(".", "--no-cache", "-j", jobs, "--output", form, "--output", form + ":whole", *more)
                    self.assertEqual(done.stdout, (self.dir / "whole").read_bytes(), (form, more))
                    outputs.add(done.stdout)
                self.assertEqual(len(outputs), 1)
                self.assertIn(b"a/first.cu", outputs.pop())

    def test_findings_are_merged_over_files(self):
        self.put_tree()
        text = self.lint(".", "--no-cache", "--output", "concise").stdout.decode()
        self.assertEqual(self.files_of(text), ["a/first.cu", "m/common.cuh", "m/unused.cuh", "n/unused.cu", "z/large.cu"])

    def test_from_the_cache(self):
        self.put_tree()
        outputs = [self.lint(".", "--cache-dir", "kept").stdout for _ in range(3)]
        self.put("c/new.cu", run.WIDTH)
        outputs.append(self.lint(".", "--cache-dir", "kept").stdout)
        self.assertEqual(len(set(outputs[:3])), 1)
        self.assertEqual(outputs[3], self.lint(".", "--no-cache").stdout)

    def test_what_needs_all_comes_at_the_end(self):
        self.put("a.cu", run.WIDTH)
        self.put("b.cu", run.CLEAN)
        self.check_status(0, ".", "--baseline=known", "--write-baseline")
        self.put("b.cu", run.WIDTH)
        self.put_slow("z.cu")
        for arguments in (["--baseline=known"], ["--output", "json"]):
            shutil.rmtree(self.dir / "kept", ignore_errors=True)
            process = self.begin(*arguments, ".")
            self.wait_for_results(2)
            self.assertFalse(select.select([process.stdout], [], [], 0.3)[0])
            process.kill()
            self.assertEqual(process.stdout.read(), b"")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    run.OPTIONS.bin = str(pathlib.Path(known.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
