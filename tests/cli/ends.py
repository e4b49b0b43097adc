#!/usr/bin/env python3
"""Every run ends, and soon: trees and files that would hold up the process that starts the workers.

    ends.py --bin PATH [--hooks]     --hooks: the binary was built with CUWARP_TEST_HOOKS
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

SOON = 60  # seconds, also with sanitizers on a busy machine; what is tested here would take for ever, or minutes


class Ends(run.Case):
    def fifo(self, name):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)

    def soon(self, *arguments, **more):
        began = time.monotonic()
        done = self.lint("--no-cache", *arguments, **more)
        self.assertLess(time.monotonic() - began, SOON)
        return done

    def repository(self):
        self.put(".git/HEAD", "ref: refs/heads/main\n")
        self.put(".git/config", "[core]\n\trepositoryformatversion = 0\n")
        for folder in ("objects", "refs", "info"):
            (self.dir / ".git" / folder).mkdir(exist_ok=True)
        self.put("src/a.cu", run.WIDTH)
        self.put("src/b.cu", run.CLEAN)

    # ---- headers ----

    def test_headers_in_a_cycle(self):
        for i in range(8):
            others = "".join('#include "../util/u%d.h"\n' % k for k in range(8) if k != i)
            self.put("util/u%d.h" % i, '#pragma once\n%s#include "elsewhere/x%d.h"\n' % (others, i))
        self.put("src/k.cu", '#include "../util/u0.h"\n' + run.WIDTH)
        self.assertEqual(self.soon(".").returncode, 1)

    def test_a_search_that_stops_early_is_named(self):
        (self.dir / "d0").mkdir()
        for k in range(100):
            (self.dir / ("d0/x%d.h" % k)).touch()
        for i in range(1, 250):
            shutil.copytree(self.dir / "d0", self.dir / ("d%d" % i), copy_function=os.link)
        self.put("CMakeLists.txt", "")
        self.put("src/k.cu", '#include "nowhere.h"\n' + run.CLEAN)
        self.assertIn("the search for headers stopped early", self.soon("src/k.cu").stderr.decode())

    # ---- text that multiplies ----

    def check_bomb(self, text, said, **env):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.put("bomb.cu", text)
        done = self.soon("bomb.cu", **env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(used, 10 if not run.OPTIONS.hooks else 60)  # those builds have sanitizers
        self.assertIn("bomb.cu: %s: the parser needs too much time for so little text" % said, done.stderr.decode())

    LOST, IN_PART = "could not be analysed", "only its device functions are read"

    def test_macros_that_double(self):
        macros = "".join("#define A%d A%d A%d\n" % (i, i - 1, i - 1) for i in range(1, 26))
        self.check_bomb("#define A0 x = x + 1;\n" + macros +
                        "__global__ void k(int *out) { int x = 0; A25 out[threadIdx.x] = x; }\n", self.LOST)

    def test_templates_that_double(self):
        self.check_bomb("template <int N, int M> struct sum { static const int v = sum<N - 1, 2 * M>::v +"
                        " sum<N - 1, 2 * M + 1>::v; };\n"
                        "template <int M> struct sum<0, M> { static const int v = 1; };\n"
                        "__global__ void k(int *out) { out[threadIdx.x] = sum<25, 0>::v; }\n", self.IN_PART, CUWARP_TEST_PARSE_SECONDS="2")

    def test_functions_that_double(self):
        self.check_bomb("template <int N, int M> __device__ int f(int x) {"
                        " return f<N - 1, 2 * M>(x) + f<N - 1, 2 * M + 1>(x); }\n"
                        "__global__ void k(int *out) { out[threadIdx.x] = f<25, 0>(1); }\n", self.LOST, CUWARP_TEST_PARSE_SECONDS="2")

    def test_long_functions_that_many_call(self):
        """Each call asks whether the function launches: its text is not read again for each name that launches."""
        body = "    v += 1; v ^= v << 3; v *= 5;\n" * 250
        plain = "".join("int plain%d(int v) {\n%s    return v;\n}\n" % (i, body) for i in range(100))
        calls = ["".join("    plain%d(%d);\n" % ((i * 7 + k) % 100, k) for k in range(60)) for i in range(300)]
        self.put("many.cu", "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n" + plain +
                 "".join("void launch%d(int *p) {\n    k<<<%d, 32>>>(p);\n%s}\n" % (i, i + 1, calls[i])
                         for i in range(300)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(self.soon("many.cu").returncode, 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime - before.ru_utime, 10 if not run.OPTIONS.hooks else 50)

    # ---- files that block who opens them ----

    def test_operands_that_are_no_files(self):
        self.put("good.cu", run.CLEAN)
        self.fifo("pipe.cu")
        for operand in ("pipe.cu", "/dev/zero"):
            done = self.soon(operand, "good.cu")
            self.assertEqual(done.returncode, 3)
            self.assertIn(operand + ": could not be analysed: not a regular file", done.stderr.decode())
        for option in ("--config=pipe.cu", "--baseline=pipe.cu", "--build=pipe.cu"):
            done = self.soon(option, "good.cu")
            self.assertEqual(done.returncode, 2, option)
            self.assertRegex(done.stderr.decode(), "pipe.cu: not a (regular )?file")

    def test_pipes_in_a_folder(self):
        self.put("src/good.cu", run.CLEAN)
        self.fifo("src/pipe.cu")
        self.fifo("src/pipe.h")
        self.assertEqual(self.soon("src").returncode, 0)

    def test_pipes_that_git_would_read(self):
        for name in (".gitignore", "src/.gitignore", ".gitattributes", ".git/info/exclude", ".git/config", ".git/HEAD", ".git/index",
                     "excludes", "included"):
            with self.subTest(name=name):
                self.repository()
                named = {"excludes": "[core] excludesFile = %s/excludes\n", "included": '[include]\n\tpath = "../included"\n'}
                with open(self.dir / ".git/config", "a") as config:
                    config.write(named.get(name, "# %s\n") % (self.dir,) if name != "included" else named[name])
                (self.dir / name).unlink(missing_ok=True)
                self.fifo(name)
                done = self.soon("src")
                self.assertEqual(done.returncode, 1, done.stderr.decode())
                self.assertRegex(done.stderr.decode(), name.split("/")[-1] + " is not a regular file")
                shutil.rmtree(self.dir / ".git")
                (self.dir / name).unlink(missing_ok=True)

    def test_a_regular_repository_is_asked(self):
        self.repository()
        self.put(".gitignore", "b.cu\n")
        with open(self.dir / ".git/config", "a") as config:
            config.write("[core]\n\texcludesFile = /dev/null\n")
        self.assertEqual(self.lint("--show-files", "src").stdout, b"src/a.cu\n")

    def test_cache_entries_that_are_pipes(self):
        self.put("a.cu", run.WIDTH)
        self.put("h.h", "")
        cache = "--cache-dir=" + str(self.dir / "cache")
        first = self.lint(cache, ".")
        entries = [p for p in (self.dir / "cache").rglob("*") if p.is_file() and p.parent != self.dir / "cache"]
        self.assertTrue(entries)
        for entry in entries:
            entry.unlink()
            os.mkfifo(entry)
        began = time.monotonic()
        second = self.lint(cache, ".")
        self.assertLess(time.monotonic() - began, SOON)
        self.assertEqual((second.returncode, second.stdout), (first.returncode, first.stdout))

    # ---- workers ----

    def test_a_worker_that_works_and_then_waits(self):
        """Half a second of parsing, then a header that is a pipe nobody writes to: not a hundred times as long."""
        self.put("big.h", "".join("static inline int f%d(int a) { return a * %d + (a >> 3) - (a & 7); }\n" % (i, i)
                                  for i in range(30000)))
        self.put("a.cu", '#include "big.h"\n#include "pipe.h"\n' + run.WIDTH)
        self.put("b.cu", run.WIDTH)
        self.fifo("pipe.h")
        done = self.soon("--time-limit=2", "a.cu", "b.cu")
        self.assertIn("b.cu", done.stdout.decode())

    def test_a_file_that_the_parser_crashes_on(self):
        if not run.OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put("a.cu", run.WIDTH)
        self.put("b.cu", run.WIDTH)
        done = self.lint("--no-cache", ".", CUWARP_TEST_WORKER="parser:a.cu")
        self.assertEqual(done.stdout.decode().count("[bad-shuffle-width]"), 2)
        self.assertIn("a.cu: only its device functions are read: the analyser crashed on it (SIGABRT)", done.stderr.decode())
        self.assertIn("2 of 2 kernels analysed; 1 file read for device functions only\n", done.stdout.decode())
        self.assertEqual(done.returncode, 1)

    def check_device_only(self, text, why, *arguments):
        """What libclang cannot read beside the device functions is left out."""
        self.put("a.cu", text + run.WIDTH)
        done = self.soon(*arguments, "a.cu")
        self.assertEqual(done.stderr.decode(), "cuwarp-lint: a.cu: only its device functions are read: %s\n" % why)
        self.assertIn("[bad-shuffle-width]", done.stdout.decode())
        self.assertIn("1 of 1 kernel analysed; 1 file read for device functions only\n", done.stdout.decode())
        self.assertEqual(done.returncode, 1)

    def test_a_unit_that_needs_much_memory(self):
        """400 MB for libclang, few for the kernel alone."""
        sequences = "".join("typedef make<tag<%d>, 400>::type s%d;\n" % (i, i) for i in range(50))
        self.check_device_only("template <int... I> struct seq {};\ntemplate <int N> struct tag {};\n"
                        "template <class T, int N, int... I> struct make : make<T, N - 1, N - 1, I...> {};\n"
                        "template <class T, int... I> struct make<T, 0, I...> { typedef seq<I...> type; };\n" + sequences,
                        "more memory needed than the limit of 200 MB", "--memory-limit", "200")

    def test_a_unit_that_is_nested_deeply(self):
        self.check_device_only("int minus = %s1;\n" % ("- " * 1000000), "it is nested too deeply to be parsed")

    def test_a_unit_that_libclang_aborts_on(self):
        """libclang 19 asks for 154 GB over a template with names that nothing declares; other versions read it."""
        self.put("a.cu", """template <int BITS, typename T, typename S, typename D>
__global__ void rows(D dst, S src, unsigned n) {
    const unsigned width = 1 << BITS;
    const int y = blockIdx.x;
    __shared__ T part[width];
    T best = src.at(y, x + threadIdx.x);
    part[threadIdx.x] = max(best, part[threadIdx.x]);
    for (unsigned x = 0; x < n; x += width) {
        T p = expf(src.at(y, x + threadIdx.x) - most);
        dst.to(y, x + threadIdx.x) = p;
    }
}
""" + run.WIDTH)
        done = self.soon("a.cu")
        if done.returncode == 1:
            self.skipTest("this libclang does not abort")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"a.cu: .*the analyser (crashed|gave up) on it \(")

    def test_folders_too_deep_to_walk(self):
        self.put("d/" * 70 + "a.cu", run.WIDTH)
        self.put("b.cu", run.CLEAN)
        self.assertIn("more than 64 folders deep", self.soon(".").stderr.decode())

    def test_more_functions_than_are_lowered(self):
        self.put("a.cu", "".join("__global__ void k%d(int *p) { p[0] = %d; }\n" % (i, i) for i in range(5010)))
        done = self.lint("--no-cache", "a.cu")
        self.assertIn("a.cu: more than 5000 functions", done.stderr.decode())
        self.assertIn("of 5010 kernels analysed", done.stdout.decode())

    def test_kernels_of_macros_beyond_the_limit(self):
        """No kernel is lost silently: the scan does not see those that macros make, the parser does."""
        self.put("a.cu", "#define MAKE(name) __global__ void name(int *p)\n" +
                 "".join("__global__ void k%d(int *p) { p[0] = %d; }\n" % (i, i) for i in range(5000)) +
                 "MAKE(late) { p[0] = 2; }\n")
        coverage = self.report("a.cu", "--no-cache")["coverage"]
        self.assertEqual((coverage["kernels"], coverage["failed"]), (5001, []))
        self.assertEqual([(s["kernel"], s["reason"]) for s in coverage["skipped"]],
                         [("late", "more functions than are lowered")])

    def test_host_functions_leave_room_for_kernels(self):
        hosts = "".join("void go%d(int *p) { early<<<%d, 32>>>(p); }\n" % (i, i + 1) for i in range(5010))
        self.put("a.cu", "#define MAKE(name) __global__ void name(int *p)\nMAKE(early) { p[0] = 1; }\n"
                 "MAKE(late) { p[0] = 2; }\n" + hosts)
        done = self.lint("--no-cache", "a.cu")
        self.assertIn("a.cu: more than 4000 host functions", done.stderr.decode())
        self.assertIn("2 of 2 kernels analysed", done.stdout.decode())

    # ---- many files ----

    def put_many(self, n):
        for i in range(n):
            text = run.WIDTH if i % 40 == 7 else "int f%d(int a) { return a + %d; }\n" % (i, i)
            self.put("t/d%d/f%03d.cu" % (i % 5, i), text)
        self.put("t/binary.cu", b"int a;\0\0\0\n")
        self.put("t/empty.cu", "")

    def test_batches_change_nothing(self):
        """What a file gives is the same alone and among hundreds, for every number of processes."""
        self.put_many(300)
        reports = [self.report("t", "--no-cache", "-j", jobs) for jobs in ("1", "2", "7")]
        for report in reports:
            report.pop("invocation", None)
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])
        self.assertEqual({f["file"] for f in reports[0]["findings"]},
                         {"t/d%d/f%03d.cu" % (i % 5, i) for i in range(300) if i % 40 == 7})
        self.assertEqual(len(reports[0]["coverage"]["failed"]), 1)
        alone = [self.report("t/d%d" % i, "--no-cache") for i in range(5)]  # too few for batches
        self.assertEqual(sum(len(r["findings"]) for r in alone), len(reports[0]["findings"]))

    def test_a_process_for_each_file_would_take_longer(self):
        if not shutil.which("strace"):
            self.skipTest("no strace")
        for i in range(1000):
            self.put("t/d%d/f%d.cu" % (i % 5, i), "int f%d(int a) { return a; }\n" % i)
        trace = ["strace", "-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", "-o", "calls"]
        done = subprocess.run([*trace, run.OPTIONS.bin, "--no-cache", "-j", "2", "t"], cwd=self.dir, capture_output=True,
                              timeout=300)
        if done.returncode:
            self.skipTest("strace does not work")
        self.assertLess(len((self.dir / "calls").read_text().splitlines()), 100)

    def test_a_crash_costs_one_file_of_a_batch(self):
        if not run.OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put_many(300)
        (self.dir / "t/binary.cu").unlink()
        for kind in ("crash", "garble"):
            report = self.report("t", "--no-cache", CUWARP_TEST_WORKER=kind + ":f123.cu")
            self.assertEqual([f["file"] for f in report["coverage"]["failed"]], ["t/d3/f123.cu"])
            self.assertEqual(len(report["findings"]), len([i for i in range(300) if i % 40 == 7]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--hooks", action="store_true")
    known, rest = parser.parse_known_args()
    run.OPTIONS.bin, run.OPTIONS.hooks = str(pathlib.Path(known.bin).resolve()), known.hooks
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
