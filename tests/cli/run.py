#!/usr/bin/env python3
"""What the command line promises: exit codes, streams, shapes, isolation of workers, the same output for every -j.

    run.py --bin PATH [--hooks]     --hooks: the binary was built with CUWARP_TEST_HOOKS
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CACHE = tempfile.TemporaryDirectory()  # for runs that say nothing about theirs
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPTIONS = argparse.Namespace(bin=None, hooks=False)

CLEAN = "__global__ void clean(int *out) { out[threadIdx.x] = 1; }\n"
WIDTH = """__global__ void width(int *out) {
    int v = threadIdx.x;
    v += __shfl_down_sync(0xffffffffu, v, 1, 24);
    out[threadIdx.x] = v;
}
"""
BARRIER = """__global__ void barrier(int *out) {
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        s[threadIdx.x]++;
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x];
}
void run(int *out) { barrier<<<1, 128>>>(out); }
"""


def tool(*arguments, cwd=None, text=None, **env):
    """Runs the tool in a neutral environment."""
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CUWARP_TEST_WORKER")}
    variables.update({"LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": CACHE.name, **env})
    return subprocess.run([OPTIONS.bin, *arguments], cwd=cwd, env=variables, capture_output=True, timeout=300,
                          input=text.encode() if isinstance(text, str) else text or b"")


class Case(unittest.TestCase):
    """A temporary folder per test, and short ways to say what is expected."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def lint(self, *arguments, **more):
        return tool(*arguments, cwd=self.dir, **more)

    def report(self, *arguments, **more):
        return json.loads(self.lint(*arguments, "--output", "json", **more).stdout)

    def check_status(self, expected, *arguments, **more):
        done = self.lint(*arguments, **more)
        self.assertEqual(done.returncode, expected, done.stderr.decode() + done.stdout.decode())
        return done

    def check_usage_error(self, words, *arguments):
        done = self.check_status(2, *arguments)
        self.assertIn(words, done.stderr.decode())
        self.assertEqual(done.stdout, b"")


class Usage(Case):
    def test_version_and_help(self):
        self.assertRegex(self.check_status(0, "--version").stdout.decode(), r"^cuwarp-lint \d+\.\d+\.\d+\n$")
        for command in ([], ["check"], ["explain"], ["rules"], ["doctor"]):
            text = self.check_status(0, *command, "--help").stdout.decode()
            self.assertTrue(text.startswith("Usage: cuwarp-lint"), text)
            self.assertTrue(all(len(line) <= 120 for line in text.split("\n")))

    def test_slips_get_suggestions(self):
        self.put("a.cu", CLEAN)
        self.check_usage_error("did you mean '--select'?", "--selct", "all", "a.cu")
        self.check_usage_error("did you mean 'divergent-barrier'?", "--select", "divergnt-barrier", "a.cu")
        self.check_usage_error("did you mean 'bad-shuffle-width'?", "explain", "bad-shufle-width")
        self.check_usage_error("did you mean 'barrier'?", "--ignore", "barriers", "a.cu")

    def test_values_are_checked(self):
        self.put("a.cu", CLEAN)
        wrong = {"--arch": ["volta", "sm_", "sm_75;sm_80", "1"], "--block": ["0", "32,0", "2048", "x", "64,64", "1,1,65"],
                 "--semantics": ["cuda11"], "--effort": ["much"], "--severity": ["bad-shuffle-width", "bad-shuffle-width=fatal", "nothing=error"],
                 "--fail-on": ["never"], "--color": ["maybe"], "--output": ["xml", "json:"], "--jobs": ["0", "many", "-1"],
                 "--max-results": ["0"], "--docs-url": ["docs", "http://", "https://a b/"], "--time-limit": ["1.5"], "--dump": ["everything"], "--memory-limit": ["1"]}
        for option, values in wrong.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    done = self.check_status(2, f"{option}={value}", "a.cu")
                    self.assertIn("error:", done.stderr.decode())

    def test_missing_and_surplus_values(self):
        self.check_usage_error("needs a value", "--select")
        self.check_usage_error("takes no value", "--possible=yes")
        self.check_usage_error("unknown option '-Z'", "-Z")
        self.check_usage_error("explain needs", "explain")


class Exit(Case):
    def test_statuses(self):
        self.put("clean.cu", CLEAN)
        self.put("bad.cu", WIDTH)
        self.check_status(0, "clean.cu")
        self.check_status(1, "bad.cu")
        self.check_status(0, "bad.cu", "--exit-zero")
        self.check_status(3, "clean.cu", "missing.cu")
        self.check_status(1, "bad.cu", "missing.cu")
        self.check_status(0, "bad.cu", "--ignore", "mask")

    def test_fail_on(self):
        self.put("bad.cu", WIDTH)
        for level, status in (("warning", 0), ("error", 0), ("info", 1)):
            self.check_status(status, "bad.cu", "--severity", "bad-shuffle-width=info", "--fail-on", level)

    def test_odd_files(self):
        self.put("empty.cu", b"")
        self.put("binary.cu", b"\0\1\2__global__ void f();\0")
        self.put("latin.cu", b"// caf\xe9\n" + WIDTH.encode())
        self.check_status(0, "empty.cu")
        self.assertIn("binary", self.check_status(3, "binary.cu").stderr.decode())
        self.check_status(1, "latin.cu")
        os.symlink("nowhere.cu", self.dir / "dangling.cu")
        self.check_status(3, "dangling.cu")

    def test_unwritable_output(self):
        self.put("clean.cu", CLEAN)
        self.check_usage_error("cannot be written", "clean.cu", "--output", "json:no/such/folder/x.json")


class Configuration(Case):
    """Which settings hold for which file, and what is said of mistakes."""

    def found(self, *arguments, **more):
        return [(f["file"], f["severity"]) for f in self.report(*arguments, **more)["findings"]]

    def test_nearest_file_holds(self):
        for name in ("a.cu", "old/b.cu", "old/new/c.cu", "plain/d.cu"):
            self.put(name, WIDTH)
        self.put(".cuwarp-lint.yaml", "severity: {mask: warning}\n")
        self.put("old/.cuwarp-lint.yaml", "ignore: [mask]\n")
        self.put("old/new/.cuwarp-lint.yaml", "{}\n")
        expected = [("a.cu", "warning"), ("old/new/c.cu", "error"), ("plain/d.cu", "warning")]
        for jobs in ("1", "4"):
            self.assertEqual(self.found(".", "-j", jobs), expected)
        self.assertEqual(self.found("plain/d.cu", "a.cu"), [("a.cu", "warning"), ("plain/d.cu", "warning")])
        inside = json.loads(tool("b.cu", "--output", "json", cwd=self.dir / "old").stdout)
        self.assertEqual(inside["findings"], [])

    def test_overrides_and_extend(self):
        for name in ("a.cu", "old/b.cu", "old/keep/c.cu"):
            self.put(name, WIDTH)
        self.put("shared/base.yaml", "severity: {bad-shuffle-width: info}\n")
        self.put(".cuwarp-lint.yaml", "extend: shared/base.yaml\noverrides:\n"
                 "  - paths: [old/**]\n    ignore: bad-shuffle-width\n"
                 "  - paths: [old/keep/]\n    extend-select: [bad-shuffle-width]\n")
        self.assertEqual(self.found("."), [("a.cu", "info"), ("old/keep/c.cu", "info")])

    def test_command_line_has_the_last_word(self):
        self.put("a.cu", WIDTH)
        self.put(".cuwarp-lint.yaml", "ignore: [mask]\nfail-on: error\noutput: [concise]\n")
        self.check_status(0, "a.cu")
        self.assertEqual(self.found("a.cu", "--select", "bad-shuffle-width"), [("a.cu", "error")])
        self.assertEqual(self.found("a.cu", "--isolated"), [("a.cu", "error")])
        self.assertEqual(self.found("a.cu", "--config", "ignore=race"), [])
        self.assertEqual(self.found("a.cu", "--config", "select=mask"), [("a.cu", "error")])
        warning = ["a.cu", "--select=mask", "--severity", "mask=warning"]
        self.check_status(0, *warning)
        self.assertEqual(self.check_status(1, *warning, "--fail-on", "warning").stdout.decode().count("\n"), 1)

    def test_what_the_parser_gets(self):
        self.put("src/a.cu", "#include <h.cuh>\n#if WANTED == 2\n" + WIDTH + "#endif\n" + CLEAN)
        self.put("src/d/h.cuh", "#pragma once\n")
        self.put("src/.cuwarp-lint.yaml", "define: [WANTED=1]\ninclude: d\nno-inference: true\n")
        self.assertEqual(self.found("src"), [])
        self.assertEqual(self.found("src", "-DWANTED=2"), [("src/a.cu", "error")])
        self.assertNotIn(b"h.cuh", self.lint("src", "-v").stderr)
        self.assertIn(b"h.cuh", self.lint("src", "-v", "--isolated", "--no-inference").stderr)

    def test_headers_are_judged_by_their_own_file(self):
        self.put("a.cu", '#include "lib/h.cuh"\n' + CLEAN)
        self.put("lib/h.cuh", WIDTH)
        self.assertEqual(self.found("a.cu"), [("lib/h.cuh", "error")])
        self.put("lib/.cuwarp-lint.yaml", "severity: {mask: info}\n")
        self.assertEqual(self.found("a.cu"), [("lib/h.cuh", "info")])
        self.put("lib/.cuwarp-lint.yaml", "ignore: mask\n")
        self.assertEqual(self.found("a.cu"), [])
        self.put("lib/.cuwarp-lint.yaml", "mistake: mask\n")
        self.check_usage_error("lib/.cuwarp-lint.yaml:1:1: unknown key 'mistake'", "a.cu")

    def test_possible_per_file(self):
        possible = "__device__ void f(int *s) { s[0] = threadIdx.x; if (threadIdx.x < 16) __syncthreads(); }\n"
        self.put("a.cu", possible)
        self.put("b.cu", possible)
        self.put(".cuwarp-lint.yaml", "overrides: [{paths: b.cu, possible: true}]\n")
        self.assertEqual([f for f, _ in self.found(".")], ["b.cu"])
        self.assertEqual({f for f, _ in self.found(".", "--possible")}, {"a.cu", "b.cu"})

    def test_excluded_files(self):
        for name in ("a.cu", "gen/b.cu", "x/gen/c.cu", "x/d.cu", "build/e.cu"):
            self.put(name, WIDTH)
        self.put(".cuwarp-lint.yaml", "exclude: [gen/, x/d.cu]\nextend-exclude: /build\n")
        files = lambda *more: self.check_status(0, "--show-files", *more).stdout.decode().split()
        self.assertEqual(files(), ["a.cu"])
        self.assertEqual(files("a.cu", "x/d.cu"), ["a.cu", "x/d.cu"])  # named: looked at
        self.assertEqual(files("a.cu", "x/d.cu", "gen", "--force-exclude"), ["a.cu"])
        self.assertEqual(files("--config", "exclude=a.cu"), ["build/e.cu", "gen/b.cu", "x/d.cu", "x/gen/c.cu"])
        self.assertEqual(len(files("--isolated")), 5)
        self.put("x/.cuwarp-lint.yaml", "{}\n")
        self.assertEqual(files(), ["a.cu", "x/d.cu", "x/gen/c.cu"])
        done = self.lint("-", "--stdin-filename", "gen/b.cu", "--force-exclude", "--output", "json", text=WIDTH)
        self.assertEqual(json.loads(done.stdout)["findings"], [])

    def test_host_file_that_launches(self):
        self.put("k.h", "__global__ void k(float *x) { if (threadIdx.x < 64) __syncthreads(); x[threadIdx.x] = 0; }\n")
        self.put("main.cpp", '#include "k.h"\nvoid f(float *x) { k<<<1, 96>>>(x); }\n')
        self.put("merge.cpp", "<<<<<<< HEAD\nint a(int);\n=======\n>>>>>>> (other)\n")
        self.put("other.cpp", "int b() { return 1 << 2 >> 1; }\n")
        self.assertEqual(self.check_status(0, "--show-files", ".").stdout.decode().split(), ["k.h", "main.cpp"])
        self.assertEqual(self.found("."), [("k.h", "error")])
        self.put("main.cpp", '#include "k.h"\nvoid f(float *x) { k<<<1, 64>>>(x); }\n')
        self.assertEqual(self.found("."), [])

    def test_ignored_files(self):
        self.put("made/a.cu", WIDTH)
        self.put(".gitignore", "made/\n")
        subprocess.run(["git", "init", "-q", str(self.dir)], check=True)
        self.assertEqual(self.found("."), [])
        self.assertEqual(self.found(".", "--no-ignore"), [("made/a.cu", "error")])

    def test_mistakes(self):
        self.put("a.cu", CLEAN)
        self.put("sub/b.cu", CLEAN)
        self.put("sub/.cuwarp-lint.yaml", "possible: true\nignore:\n  - bad-shufle-width\n")
        self.check_usage_error("sub/.cuwarp-lint.yaml:3:5: unknown rule or category 'bad-shufle-width'; did you mean "
                               "'bad-shuffle-width'?", ".")
        self.check_status(0, "a.cu")
        for text, words in (("arch: volta", "1:7: arch: 'volta' is not a list"), ("block: 2048", "1:8: block:"),
                            ("fail-on: never", "1:10: fail-on:"), ("output: xml", "1:9: output: unknown format 'xml'"),
                            ("output: json:/tmp/x", "only the command line may"), ("jobs: 0", "1:7: jobs:"),
                            ("time-limit: 0", "1:13: time-limit:"), ("severity: {mask: fatal}", "unknown severity"),
                            ("a: &x b", "anchors")):
            self.put("sub/.cuwarp-lint.yaml", text + "\n")
            self.check_usage_error(words, "sub")
        self.check_usage_error("none.yaml: No such file", "a.cu", "--config", "none.yaml")
        self.check_usage_error("unknown key 'possibel'", "a.cu", "--config", "possibel=true")
        self.put("sub/.cuwarp-lint.yaml", "{}\n")
        self.check_usage_error("contradict", "a.cu", "--isolated", "--config", "sub/.cuwarp-lint.yaml")
        os.symlink("nowhere", self.dir / ".cuwarp-lint.yaml")
        self.check_usage_error(".cuwarp-lint.yaml: No such file", "a.cu")

    def test_a_file_named(self):
        for name in ("a.cu", "old/b.cu"):
            self.put(name, WIDTH)
        self.put("old/.cuwarp-lint.yaml", "severity: {mask: info}\n")
        self.put("ci/strict.yaml", "overrides: [{paths: old/, severity: {mask: warning}}]\n")
        self.assertEqual(self.found("--config", "ci/strict.yaml"), [("a.cu", "error"), ("old/b.cu", "warning")])

    def test_show_settings(self):
        self.put("a.cu", CLEAN)
        self.put("b/c.cu", CLEAN)
        self.put(".cuwarp-lint.yaml", "select: [mask]\noverrides: [{paths: b, possible: true}]\n")
        text = self.check_status(0, "--show-settings", "--block", "32,8", "--config", "max-results=3").stdout.decode()
        for line in (r"^max-results: 3 +# --config max-results=3$", r"^fail-on: warning +# default$", r"^# b/c\.cu$",
                     r"^  - mask +# \.cuwarp-lint\.yaml:1:10$", r"^possible: true +# \.cuwarp-lint\.yaml:2:34$",
                     r"^block: 32,8 +# command line$", r"^# rules: mask-names-absent-lane "):
            self.assertRegex(text, re.compile(line, re.M))
        self.assertNotIn("divergent-barrier", text)

    def test_kept_results_know_the_settings(self):
        self.put("a.cu", WIDTH)
        self.assertEqual(self.found("a.cu"), [("a.cu", "error")])
        self.put(".cuwarp-lint.yaml", "ignore: mask\n")
        self.assertEqual(self.found("a.cu"), [])
        self.put(".cuwarp-lint.yaml", "severity: {mask: info}\n")
        self.assertEqual(self.found("a.cu"), [("a.cu", "info")])


class Suppression(Case):
    """Comments that silence findings; what is said of those that do not."""

    def rules(self, *arguments, **more):
        return [(f["file"], f["line"], f["rule"]) for f in self.report(*arguments, **more)["findings"]]

    def test_silenced_findings_are_carried(self):
        self.put("a.cu", WIDTH.replace("24);", "24); // cuwarp: ignore[mask] -- the tail is not used"))
        done = self.check_status(0, "a.cu")
        self.assertNotIn(b"shuffle", done.stdout)
        report = self.report("a.cu")
        self.assertEqual(report["findings"], [])
        one, = report["suppressed"]
        self.assertEqual((one["rule"], one["line"], len(one["fingerprint"])), ("bad-shuffle-width", 3, 16))
        self.assertEqual(one["suppression"], {"kind": "inSource", "reason": "the tail is not used", "file": "a.cu",
                                              "line": 3, "column": 51, "end_line": 3, "end_column": 98})
        self.assertIn(b"silenced by comments: 1", self.lint("a.cu", "--statistics").stderr)
        self.assertEqual(self.report("a.cu"), report)  # from kept results
        for jobs in ("1", "3"):
            self.assertEqual(self.report(".", "-j", jobs), report)

    def test_a_rule_that_did_not_run(self):
        self.put("a.cu", "// cuwarp: ignore-file[bad-shuffle-width, race] -- old\n" + CLEAN)
        self.assertEqual(self.rules("a.cu"), [("a.cu", 1, "unused-suppression")])
        self.assertEqual(self.rules("a.cu", "--ignore", "bad-shuffle-width,scratch-reuse"), [])
        self.assertEqual(self.rules("a.cu", "--select", "barrier"), [])
        self.assertEqual(self.rules("a.cu", "--select", "mask"), [])  # the reviewing rule did not run
        self.assertEqual(self.rules("a.cu", "--severity", "hygiene=info", "--fail-on", "warning"),
                         [("a.cu", 1, "unused-suppression")])
        self.put("b.cu", "// cuwarp: ignore-file[hygiene] -- kept for later\n// cuwarp: off[race] -- old\n" + CLEAN)
        self.assertEqual(self.rules("b.cu"), [])

    def test_possible_findings(self):
        """A comment for what only --possible shows is of use without it, and silences it with it."""
        text = ("__device__ void f(int *s) {\n    if (threadIdx.x < 16)\n"
                "        __syncthreads(); // cuwarp: ignore[divergent-barrier] -- the same for all\n}\n")
        self.put("a.cu", text)
        self.assertEqual(self.rules("a.cu"), [])
        self.assertEqual(self.report("a.cu")["suppressed"], [])
        self.assertEqual(self.rules("a.cu", "--possible"), [])
        self.assertEqual(len(self.report("a.cu", "--possible")["suppressed"]), 1)
        self.put("b.cu", text.replace("// cuwarp", "// cuwrp"))
        self.assertEqual(self.rules("b.cu", "--possible"), [("b.cu", 3, "divergent-barrier")])

    def test_headers(self):
        """A header's comments hold for all who include it; what is of no use there shows when they were all looked at."""
        self.put("h.cuh", "template <int W> __device__ int f(int v) {\n"
                 "    return __shfl_down_sync(~0u, v, 1, W); // cuwarp: ignore[bad-shuffle-width] -- unused tail\n}\n")
        use = '#include "h.cuh"\n__global__ void k(int *o) { o[threadIdx.x] = f<%d>(threadIdx.x); }\n'
        self.put("a.cu", use % 24)
        self.put("b.cu", use % 16)
        self.assertEqual(self.rules("."), [])
        self.assertEqual(len(self.report(".")["suppressed"]), 1)
        self.assertEqual(self.rules("h.cuh"), [])
        self.put("a.cu", use % 8)
        self.assertEqual(self.rules("."), [("h.cuh", 2, "unused-suppression")])
        self.assertEqual(self.rules("h.cuh"), [])

    def test_macros_of_headers(self):
        self.put("inner.cuh", "// cuwarp: ignore[bad-shuffle-width] -- unused tail\n"
                 "#define INNER(v) __shfl_down_sync(~0u, v, 1, 24)\n")
        self.put("outer.cuh", '#include "inner.cuh"\n#define OUTER(v) (1 + INNER(v))\n')
        self.put("a.cu", '#include "outer.cuh"\n__global__ void k(int *o) { o[threadIdx.x] = OUTER(threadIdx.x); }\n')
        report = self.report(".")
        self.assertEqual(report["findings"], [])
        self.assertEqual([f["suppression"]["file"].split("/")[-1] for f in report["suppressed"]], ["inner.cuh"])

    def test_fixes(self):
        """What the fixes of the hygiene rules leave."""
        texts = {
            "    // cuwarp: ignore[race] -- r\n    x;\n": "    x;\n",
            "    x; // cuwarp: ignore[race] -- r\n": "    x;\n",
            "    /* cuwarp: ignore[race] -- r */ x;\n": "    x;\n",
            "    x; // cuwarp: ignore-file[race, volta] -- r\r\n    y;\r\n": "    x;\r\n    y;\r\n",
            "    // NOLINTNEXTLINE(a-b, cuwarp-race,  c-d)\n    x;\n": "    // NOLINTNEXTLINE(a-b, c-d)\n    x;\n",
            "    x; // cuwarp: ignore[rase] -- r\n": "    x; // cuwarp: ignore[race] -- r\n",
            "    x; // NOLINT(cuwarp-rase)\n": "    x; // NOLINT(cuwarp-race)\n",
        }
        for before, after in texts.items():
            with self.subTest(before=before):
                wrap = "__global__ void k(int x, int y) {\n%s}\n"
                self.put("a.cu", wrap % before)
                finding, = self.report("a.cu")["findings"]
                fix, = finding["fixes"]
                edit, = fix["edits"]
                self.assertEqual(fix["safe"], "rase" not in before)  # a near name is a guess
                lines = (wrap % before).splitlines(True)
                start = sum(map(len, lines[:edit["line"] - 1])) + edit["column"] - 1
                end = sum(map(len, lines[:edit["end_line"] - 1])) + edit["end_column"] - 1
                text = wrap % before
                self.assertEqual(text[:start] + edit["replacement"] + text[end:], wrap % after)

    def test_add_ignore(self):
        self.put("a.cu", WIDTH.replace("\n", "\r\n"))
        self.put("b.cu", "\ufeff" + WIDTH.replace("24);", "24); // cuwarp: ignore[divergent-barrier] -- mine"))
        self.put("sub/h.cuh", WIDTH.replace("24);", "24); // an old remark").rstrip("\n"))
        done = self.check_status(1, ".", "--add-ignore", "known since 2015")
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"b.cu:3: unused-suppression not silenced: mend the comment", done.stderr)
        self.assertTrue(done.stderr.endswith(b"3 findings silenced in 3 files, others left\n"), done.stderr)
        ignore = "// cuwarp: ignore[bad-shuffle-width] -- known since 2015"
        call = "    v += __shfl_down_sync(0xffffffffu, v, 1, 24);"
        self.assertEqual((self.dir / "a.cu").read_bytes().decode(),
                         WIDTH.replace(call, f"    {ignore}\n{call}").replace("\n", "\r\n"))
        self.assertEqual((self.dir / "b.cu").read_text(encoding="utf-8"), "\ufeff" + WIDTH.replace(
            "24);", "24); // cuwarp: ignore[divergent-barrier, bad-shuffle-width] -- mine"))
        self.assertEqual((self.dir / "sub/h.cuh").read_text(),
                         WIDTH.replace(call, f"    {ignore}\n{call} // an old remark").rstrip("\n"))
        self.assertEqual([f["rule"] for f in self.report(".")["findings"]], ["unused-suppression"])  # b.cu's own
        self.assertEqual(len(self.report(".")["suppressed"]), 3)

    def test_add_ignore_where_it_is_awkward(self):
        """Behind the code where above would silence a block; nothing where no comment can stand."""
        head = "#define SH(v) __shfl_down_sync(~0u, v, 1, 24)\n__global__ void k(int *out) {\n    int v = threadIdx.x;\n"
        loop = "    for (int i = SH(v); i < 3; i++) {%s\n        v++;\n    }\n"
        tail = "    out[threadIdx.x] = v;\n}\n"
        comment = " // cuwarp: ignore[bad-shuffle-width] -- known"
        self.put("a.cu", head + loop % "" + tail)
        self.check_status(0, "a.cu", "--add-ignore", "known")
        self.assertEqual((self.dir / "a.cu").read_text(), head + loop % comment + tail)
        spliced = head.replace("int v", "\\\nint v").replace("    \\\nint", "    SH(0); \\\n    SH(1); int") + tail
        self.put("b.cu", spliced)
        for _ in range(2):
            self.lint("b.cu", "--add-ignore", "known")
        self.assertEqual([f["rule"] for f in self.report("b.cu")["findings"] if f["rule"] != "bad-shuffle-width"], [])

    def test_add_ignore_mistakes(self):
        self.put("a.cu", WIDTH)
        for reason, words in (("", "needs a value"), (" ", "says something"), ("a\nb", "one line"), ("a\\", "backslash"),
                              ("a // b", "would end")):
            self.check_usage_error(words, "a.cu", "--add-ignore", reason)
        self.check_usage_error("does not go with --diff", "a.cu", "--add-ignore", "r", "--diff")
        self.check_usage_error("standard input", "-", "--add-ignore", "r")
        self.assertEqual((self.dir / "a.cu").read_text(), WIDTH)

    def test_add_ignore_over_fixtures(self):
        """What a run over real shapes finds, it does not find again; code is as it was."""
        shutil.copytree(ROOT / "fixtures/_parse", self.dir / "p")
        shutil.copytree(ROOT / "fixtures/divergent-barrier", self.dir / "d")
        before = len([f for f in self.report(".", "--possible")["findings"] if f["rule"] != "misused-directive"])
        self.assertGreater(before, 20)
        self.lint(".", "--possible", "--add-ignore", "known")
        left = self.report(".", "--possible")
        hygiene = {"unused-suppression", "unknown-rule", "misused-directive"}
        self.assertEqual([(f["file"], f["line"], f["rule"]) for f in left["findings"] if f["rule"] not in hygiene], [])
        self.assertEqual(left["coverage"]["failed"], [])

    def test_standard_input(self):
        text = WIDTH.replace("24);", "24); // cuwarp: ignore[mask] -- r")
        self.assertEqual(self.rules("-", text=text), [])
        self.assertEqual(len(json.loads(self.lint("-", "--output", "json", text=text).stdout)["suppressed"]), 1)


class Inputs(Case):
    def files(self, *arguments):
        """The files in which a run finds the planted finding, as it names them."""
        return [f["file"] for f in self.report(*arguments)["findings"]]

    def test_directories(self):
        for name in ("b.cu", "sub/a.cuh", "sub/c.hpp", "x.cpp", "sub/deep/d.cu", ".hidden/e.cu", "notes.txt"):
            self.put(name, WIDTH)
        self.put("plain.hpp", "int f();\n")
        os.symlink("sub", self.dir / "loop")
        self.assertEqual(self.files("."), ["b.cu", "sub/a.cuh", "sub/c.hpp", "sub/deep/d.cu", "x.cpp"])
        self.assertEqual(self.files(), self.files("."))
        self.assertEqual(self.files("sub/deep", "./sub//deep/"), ["sub/deep/d.cu"])
        self.assertEqual(self.files("notes.txt"), ["notes.txt"])
        self.assertEqual(self.report(".")["coverage"]["files"], 5)

    def test_gitignore(self):
        for name in ("kept.cu", "build/made.cu", "skip.cu"):
            self.put(name, WIDTH)
        self.put(".gitignore", "build/\nskip.cu\n")
        subprocess.run(["git", "init", "-q", str(self.dir)], check=True)
        self.assertEqual(self.files("."), ["kept.cu"])
        self.assertEqual(self.files("skip.cu"), ["skip.cu"])

    def test_stdin(self):
        done = self.lint("-", "--stdin-filename", "src/typed.cu", "--output", "json", text=WIDTH)
        findings = json.loads(done.stdout)["findings"]
        self.assertEqual([f["file"] for f in findings], ["src/typed.cu"])
        self.assertIn("v += __shfl_down_sync", self.lint("-", text=WIDTH).stdout.decode())

    def test_compiler_arguments(self):
        self.put("a.cu", "#if WANTED > LIMIT\n" + WIDTH + "#endif\n" + CLEAN)
        self.put("inc/h.cuh", WIDTH)
        self.put("b.cu", '#include "h.cuh"\n' + CLEAN)
        self.assertEqual(self.files("a.cu"), [])
        self.assertEqual(self.files("a.cu", "-DWANTED=2"), ["a.cu"])
        self.assertEqual(self.files("a.cu", "-D", "WANTED=2", "-std=c++17"), ["a.cu"])
        self.assertEqual(self.files("b.cu", "-Iinc"), ["inc/h.cuh"])

    def test_hip_is_not_cuda(self):
        """Folders of another maker hold no CUDA code, but for files that say they do."""
        old = "__device__ inline float sum(float v) { return v + __shfl_xor(v, 16); }\n"
        self.put("src/hip/wave.h", old)
        self.put("src/hip/scan.cu", old)
        self.put("src/hip/both.cu", "#include <cuda_runtime.h>\n" + old)
        self.put("src/cuda/scan.cu", old)
        self.put("shared_cuda_hip/scan.cu", old)
        self.put("src/gpu.h", '#ifdef ON_NVIDIA\n#include "nvidia.h"\n#else\n#include <hip/hip_runtime.h>\n#endif\n')
        self.put("src/portable.cu", '#include "gpu.h"\n' + old)
        self.assertEqual([f["file"] for f in self.report(".")["findings"]],
                         ["shared_cuda_hip/scan.cu", "src/cuda/scan.cu", "src/hip/both.cu", "src/portable.cu"])
        self.assertIn("code for HIP, which is not analysed", self.lint("-v", "src/hip/scan.cu").stderr.decode())
        self.assertTrue(self.lint("src/hip/scan.cu").stdout.decode().endswith(
            "no findings in 1 file; 0 of 0 kernels analysed; 1 file of HIP code not analysed\n"))
        self.assertEqual(json.loads(self.lint("--output", "json", "src").stdout)["coverage"]["hip_files"], 2)

    def test_includers_define_names_of_headers(self):
        """A header that is read on its own does not know what stands before it in the files that include it."""
        vote = "__device__ inline unsigned who(bool p) { return %s(p); }\n"
        kernel = "__global__ void %s(unsigned *y) { y[threadIdx.x] = who(y[threadIdx.x]); }\n"
        self.put("lib/vote.h", vote % "__ballot")
        self.put("lib/any.h", vote % "__any")
        self.put("lib/all.h", vote % "__all")
        self.put("lib/switch.h", "#if CUDART_VERSION >= 9000\n#define __ballot(p) __ballot_sync(~0u, (p))\n#endif\n")
        self.put("lib/own.h", "__device__ inline int __any(int p) { return __any_sync(~0u, p); }\n")
        self.put("a.cu", '#include "lib/switch.h"\n#include "lib/vote.h"\n' + kernel % "k")
        self.put("b.cu", '#include "lib/own.h"\n#include "lib/any.h"\n' + kernel % "m")
        self.put("c.cu", '#include "lib/all.h"\n' + kernel % "n")
        report = self.report(".", "--possible")
        self.assertEqual([f["file"] for f in report["findings"]], ["lib/all.h"])
        self.assertNotIn("rests_on", report["findings"][0])
        with tempfile.TemporaryDirectory() as elsewhere:
            linked = os.path.join(elsewhere, "linked")
            os.symlink(self.dir, linked)
            self.assertEqual(len(self.report(linked, "--possible")["findings"]), 1)

    def test_launches_by_macros(self):
        """A file whose only launch stands in a macro, its own or a header's, tells how a header's kernel is launched."""
        self.put("rows.cuh", "#pragma once\ntemplate <class T> __global__ void rows(const T *in, T *out) {\n"
                             "    __shared__ T row[32];\n    row[threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];\n"
                             "    __syncthreads();\n    out[threadIdx.x] = row[threadIdx.x];\n}\n")
        macro = "#define RUN(f, g, b, ...) f<<<g, b, 0, 0>>>(__VA_ARGS__)\n"
        host = ("template <class T> void run(const T *in, T *out) { dim3 b(32, 4); RUN(rows<T>, 1, b, in, out); }\n"
                "template void run<float>(const float *, float *);\n")
        told = [("rows.cuh", 4, "missing-syncthreads")]
        self.put("run.cu", '#include "rows.cuh"\n' + macro + host)
        self.assertEqual([(f["file"], f["line"], f["rule"]) for f in self.report(".")["findings"]], told)
        self.put("macros.h", "#pragma once\n" + macro)
        self.put("run.cu", '#include "rows.cuh"\n#include "macros.h"\n' + host)
        self.assertEqual([(f["file"], f["line"], f["rule"]) for f in self.report(".")["findings"]], told)
        self.put("run.cu", '#include "rows.cuh"\n#include "macros.h"\n' + host.replace("RUN(", "RUNS("))
        self.assertEqual(self.report(".")["findings"], [])

    def test_launches_by_the_driver(self):
        """A C++ file that asks a module for a kernel by its name tells how it is launched; it is no input itself."""
        kernel = ('extern "C" __global__ void %s(float *out) {\n    if (threadIdx.x < 64)\n        __syncthreads();\n'
                  "    out[threadIdx.x] = 1;\n}\n")
        host = ('#include <cuda.h>\nvoid run(CUmodule m, void **arguments) {\n    CUfunction f;\n'
                '    cuModuleGetFunction(&f, m, "%s");\n'
                "    cuLaunchKernel(f, 1, 1, 1, %d, 1, 1, 0, 0, arguments, 0);\n}\n")
        self.put("kernel.cu", kernel % "own")
        self.put("host.cpp", host % ("own", 96))
        self.assertEqual([(f["file"], f["line"], f["witness"]["launch"]["block"]) for f in self.report(".")["findings"]],
                         [("kernel.cu", 3, [96, 1, 1])])
        self.assertEqual(self.report(".")["coverage"]["files"], 1)
        self.put("host.cpp", host % ("own", 64))
        self.assertEqual(self.report(".")["findings"], [])
        self.put("host.cpp", host % ("other", 96))
        self.assertEqual(self.report(".")["coverage"]["guessed_launches"], 1)

    def test_programs_of_optix(self):
        """OptiX runs a program for a ray: it has no block that would be guessed. A kernel beside it has."""
        self.put("rays.cu", 'extern "C" __global__ void __raygen__all(float *out) { out[0] = 1; }\n'
                            "__global__ void plain(float *out) { out[threadIdx.x] = 1; }\n")
        coverage = self.report(".")["coverage"]
        self.assertEqual([(k["kernel"], k["lacks"]) for k in coverage["without"]], [("plain", ["launch"])])

    def test_headers_have_one_name(self):
        """A header that two files include by different ways is reported once, by the name the run knows it by."""
        self.put("common/h.cuh", WIDTH)
        self.put("src/a.cu", '#include "../common/h.cuh"\n' + CLEAN)
        self.put("src/b.cu", '#include "../src/../common/h.cuh"\n' + CLEAN)
        self.assertEqual(self.files("src"), ["common/h.cuh"])
        self.assertEqual(self.files("."), ["common/h.cuh"])
        self.assertEqual(self.files(str(self.dir / "common"), "src"), [str(self.dir / "common/h.cuh")])

    def test_arguments_after_dashes(self):
        """The same as nvcc would be given: what clang does not know, or what would load code, is left out."""
        self.put("a.cu", "#ifdef WANTED\n" + WIDTH + "#endif\n" + CLEAN)
        rest = ["-gencode", "arch=compute_80,code=sm_80", "-fplugin=/no/such.so", "-Xclang", "-load", "-D", "WANTED",
                "--expt-relaxed-constexpr", "-O3"]
        done = self.lint("a.cu", "--output", "json", "--", *rest)
        self.assertEqual([f["file"] for f in json.loads(done.stdout)["findings"]], ["a.cu"])


class Selection(Case):
    def setUp(self):
        super().setUp()
        self.put("a.cu", WIDTH)
        self.put("b.cu", BARRIER)

    def rules(self, *arguments):
        return sorted({f["rule"] for f in self.report("a.cu", "b.cu", *arguments)["findings"]})

    def test_select_and_ignore(self):
        both = ["bad-shuffle-width", "divergent-barrier"]
        self.assertEqual(self.rules(), both)
        self.assertEqual(self.rules("--select", "barrier"), both[1:])
        self.assertEqual(self.rules("--select", "barrier", "--extend-select", "bad-shuffle-width"), both)
        self.assertEqual(self.rules("--select", "barrier,bad-shuffle-width"), both)
        self.assertEqual(self.rules("--ignore", "divergent-barrier"), both[:1])
        self.assertEqual(self.rules("--select", "all", "--ignore", "barrier,mask,sanity"), [])
        self.assertEqual(self.rules("--select", "ALL"), self.rules("--select", "all"))
        self.assertEqual(self.rules("--select", "barrier", "--ignore", "ALL"), [])

    def test_severity_and_limit(self):
        findings = self.report("a.cu", "--severity", "mask=info")["findings"]
        self.assertEqual([f["severity"] for f in findings], ["info"])
        report = self.report("a.cu", "b.cu", "--max-results", "1")
        self.assertEqual(len(report["findings"]), 1)
        self.assertEqual(report["coverage"]["not_shown"], 1)

    def test_possible(self):
        alone = "__device__ void f(int i) { if (i < 7) __syncthreads(); }\n"
        self.put("c.cu", alone)
        self.assertEqual(self.report("c.cu")["findings"], [])
        for f in self.report("c.cu", "--possible")["findings"]:
            self.assertEqual(f["confidence"], "possible")

    def test_launch_facts(self):
        """A comment or --block makes the guess unnecessary."""
        kernel = "__global__ void k(int *o) { if (threadIdx.x < 64) __syncthreads(); o[0] = 1; }\n"
        self.put("c.cu", kernel)
        self.assertEqual(self.report("c.cu", "--block", "64", "--possible")["findings"], [])
        (finding,) = self.report("c.cu", "--block", "128")["findings"]
        self.assertEqual(finding["witness"]["launch"]["source"], "from --block")
        self.put("c.cu", "// cuwarp: launch block=64\n" + kernel)
        self.assertEqual(self.report("c.cu", "--possible")["findings"], [])
        self.put("c.cu", "// cuwarp: launch block=128\n" + kernel)
        (finding,) = self.report("c.cu")["findings"]
        self.assertIn("comment at c.cu:1", finding["witness"]["launch"]["source"])

    def test_textual_findings_need_no_kernel(self):
        self.put("c.cu", "__device__ int f(int v) { return __shfl_sync(0xffffffffu, v, 0, 24); }\n")
        self.assertEqual([f["confidence"] for f in self.report("c.cu")["findings"]], ["definite"])


class Shape(Case):
    """Field by field; this shape only ever grows."""

    PLACE = {"file": str, "line": int, "column": int, "end_line": int, "end_column": int}
    FINDING = {"rule": str, "severity": str, "confidence": str, "message": str, **PLACE, "kernel": str, "also_in": list,
               "inlined_at": list, "labels": list, "notes": list, "fixes": list, "fingerprint": str}
    COVERAGE = {"files": int, "kernels": int, "analysed": int, "degraded": int, "skipped": list,
                "partial": list, "failed": list,
                "bails": list, "not_shown": int}

    def check_fields(self, value, fields):
        for name, kind in fields.items():
            self.assertIn(name, value)
            self.assertIsInstance(value[name], kind, name)

    def check_place(self, place):
        self.check_fields(place, self.PLACE)
        self.assertGreaterEqual(place["line"], 1)
        self.assertGreaterEqual((place["end_line"], place["end_column"]), (place["line"], place["column"]))

    def check_remark(self, remark, text):
        self.assertIsInstance(remark[text], str)
        if "line" in remark:
            self.check_place(remark)

    def check_witness(self, witness):
        self.check_fields(witness, {"lanes": list, "threads": list, "rows": list, "facts": list})
        self.assertTrue(all(0 <= lane < 32 for lane in witness["lanes"]))
        if "launch" in witness:
            self.assertEqual(len(witness["launch"]["block"]), 3)
            self.assertIsInstance(witness["launch"]["source"], str)
        if "mask" in witness:
            self.assertRegex(witness["mask"], r"^0x[0-9a-f]{8}$")
        for row in witness["rows"]:
            self.assertIsInstance(row["label"], str)
            self.assertTrue(all(0 <= lane < 32 for lane in row["lanes"] + row.get("warps", [])))
        for fact in witness["facts"]:
            self.check_fields(fact, {"name": str, "value": str})

    def check_finding(self, finding):
        self.check_fields(finding, self.FINDING)
        self.check_place(finding)
        self.assertIn(finding["severity"], ("error", "warning", "info"))
        self.assertIn(finding["confidence"], ("definite", "possible"))
        self.assertRegex(finding["fingerprint"], r"^[0-9a-f]{16}$")
        self.assertFalse(finding["message"].endswith("."))
        for remark in finding["notes"] + finding["labels"]:
            self.check_remark(remark, "message")
        for call in finding["inlined_at"]:
            self.check_remark(call, "function")
        if finding["witness"] is not None:
            self.check_witness(finding["witness"])
        for fix in finding["fixes"]:
            self.check_fields(fix, {"message": str, "safe": bool, "edits": list})

    def test_fixtures(self):
        told = [p.relative_to(ROOT) for p in sorted((ROOT / "fixtures").rglob("*"))
                if p.suffix in (".cu", ".py", ".cpp") and not p.name.startswith("good_")]  # the others announce nothing
        report = json.loads(tool(*told, "--possible", "--preview", "--output", "json", cwd=ROOT).stdout)
        self.assertEqual(sorted(report), ["coverage", "findings", "suppressed", "tool", "version"])
        self.assertEqual(report["tool"], "cuwarp-lint")
        self.check_fields(report["coverage"], self.COVERAGE)
        self.assertGreater(len(report["findings"]), 700)
        for finding in report["findings"]:
            with self.subTest(finding=f"{finding['file']}:{finding['line']}"):
                self.check_finding(finding)
        prints = [f["fingerprint"] for f in report["findings"]]
        self.assertEqual(len(prints), len(set(prints)))

    def test_witness_of_a_barrier(self):
        self.put("b.cu", BARRIER)
        (finding,) = self.report("b.cu")["findings"]
        self.assertEqual(finding["kernel"], "barrier")
        self.assertEqual(finding["line"], 6)
        witness = finding["witness"]
        self.assertEqual(witness["launch"]["block"], [128, 1, 1])
        rows = {row["label"]: row["lanes"] for row in witness["rows"]}
        self.assertEqual(rows["arrive"], list(range(16)))
        self.assertEqual(rows["elsewhere"], list(range(16, 32)))

    def test_witness_between_warps(self):
        """Where whole warps go different ways, the rows show warps; the lanes are those of one warp, as ever."""
        self.put("b.cu", BARRIER.replace("threadIdx.x < 16", "threadIdx.x < 32"))
        (finding,) = self.report("b.cu")["findings"]
        rows = {row["label"]: (row["lanes"], row["warps"]) for row in finding["witness"]["rows"]}
        self.assertEqual(rows, {"arrive": (list(range(32)), [0]), "elsewhere": ([], [1, 2, 3])})
        text = self.lint("b.cu").stdout.decode()
        self.assertIn("a cell for each warp\n   arrive    \u2588\u00b7\u00b7\u00b7 ", text)

    def test_fingerprints_survive_edits(self):
        self.put("a.cu", WIDTH)
        before = self.report("a.cu")["findings"][0]["fingerprint"]
        self.put("a.cu", "// a new first line\n\n" + CLEAN + WIDTH.replace("v, 1", "v,   1 /* one */"))
        after = self.report("a.cu")["findings"][0]
        self.assertEqual(after["fingerprint"], before)
        self.assertEqual(after["line"], 6)

    def test_rules_and_explain(self):
        rules = json.loads(tool("rules", "--output", "json").stdout)
        docs = json.loads(tool("explain", "all", "--output", "json").stdout)
        self.assertEqual([r["rule"] for r in rules], [d["rule"] for d in docs])
        for doc in docs:
            self.check_fields(doc, {"category": str, "severity": str, "preview": bool, "default": bool, "summary": str,
                                    "doc": str, "examples": list})
            self.assertEqual({e["kind"] for e in doc["examples"]}, {"bad", "good"})
        self.assertIn("## How to fix", tool("explain", rules[0]["rule"]).stdout.decode())


class Output(Case):
    def setUp(self):
        super().setUp()
        self.put("b.cu", BARRIER)

    def test_names_of_long_instances(self):
        """People get them without the arguments of their arguments, each once; programs get them whole."""
        self.put("a.cu", """template <class A, class B> struct a_pair_with_a_long_name {};
template <int N> struct a_tag_with_a_rather_long_name {};
template <class T> __global__ void k(int *x) {
    if (threadIdx.x < 5)
        __shfl_sync(0xffffffff, x[0], 0);
}
typedef a_pair_with_a_long_name<a_tag_with_a_rather_long_name<2>, a_tag_with_a_rather_long_name<3>> rest;
typedef a_pair_with_a_long_name<a_tag_with_a_rather_long_name<1>, rest> first;
typedef a_pair_with_a_long_name<a_tag_with_a_rather_long_name<4>, rest> second;
void run(int *x) {
    k<first><<<1, 32>>>(x);
    k<second><<<1, 32>>>(x);
    k<int><<<1, 32>>>(x);
}
""")
        text = self.lint("--no-cache", "--isolated", "a.cu", LC_ALL="C.UTF-8").stdout.decode()
        self.assertIn("   in k<a_pair_with_a_long_name<…>>, also in k<int> and 1 more instance\n", text)
        found = self.report("--no-cache", "--isolated", "a.cu")["findings"][0]
        self.assertIn("a_tag_with_a_rather_long_name<1>", found["kernel"])

    def test_text(self):
        text = self.lint("b.cu").stdout.decode()
        self.assertRegex(text, r"^b\.cu:6:9: error: .* \[divergent-barrier\]\n +6 \| +__syncthreads\(\);\n")
        self.assertIn("arrive    ████████████████················", text)
        self.assertTrue(text.endswith("1 error in 1 file; 1 of 1 kernel analysed\n"), text)
        self.assertNotIn("analysed", self.lint("b.cu", "-q").stdout.decode())

    def test_ascii(self):
        text = self.lint("b.cu", LC_ALL="C").stdout
        self.assertTrue(text.isascii())
        self.assertIn(b"################................", text)

    def test_color(self):
        for expected, arguments, env in ((False, [], {}), (True, ["--color", "always"], {"NO_COLOR": "1"}),
                                         (True, [], {"FORCE_COLOR": "1"}), (False, [], {"FORCE_COLOR": "0"}),
                                         (False, [], {"FORCE_COLOR": "1", "NO_COLOR": "1"}),
                                         (False, ["--color=never"], {"FORCE_COLOR": "1"})):
            with self.subTest(arguments=arguments, env=env):
                self.assertEqual(b"\x1b[" in self.lint("b.cu", *arguments, **env).stdout, expected)

    def test_concise_and_files(self):
        done = self.lint("b.cu", "--output", "concise", "--output", "json:out.json", "--output=text:out.txt")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^b\.cu:6:9: error: .* \[divergent-barrier\]$")
        self.assertEqual(len(json.loads((self.dir / "out.json").read_text())["findings"]), 1)
        self.assertIn("1 error in 1 file", (self.dir / "out.txt").read_text())

    def test_streams(self):
        done = self.lint("b.cu", "missing.cu", "--output", "json", "--statistics", "--profile", "-v")
        json.loads(done.stdout)
        for words in ("kernels: 1, analysed 1", "missing.cu: could not be analysed", "parse"):
            self.assertIn(words, done.stderr.decode())
        self.assertEqual(self.lint("b.cu", "--output", "json").stderr, b"")

    def test_dumps(self):
        for what in ("ir", "cfg", "uniformity", "participation"):
            done = self.check_status(0, "b.cu", "--dump", what)
            self.assertGreater(len(done.stdout), 40, what)
            self.assertNotIn(b"error:", done.stdout)
        self.assertIn(b"barrier", self.lint("b.cu", "--dump=ir").stdout)


LEGACY = """__global__ void sum(int *out) {
    int v = out[threadIdx.x];
    v += __shfl_xor(v, 16);
    out[threadIdx.x] = v;
}
void run(int *out) { sum<<<1, 32>>>(out); }
"""
SLOW = """__global__ void pairs(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = __shfl_xor_sync(__activemask(), t, 1);
    __syncthreads();
    out[t] = s[t];
}
void run(int *out) { pairs<<<1, 64>>>(out); }
"""
MODERN = LEGACY.replace("__shfl_xor(v, 16)", "__shfl_xor_sync(0xffffffff, v, 16)")


class Fixes(Case):
    def test_fix_and_diff(self):
        self.put("a.cu", LEGACY)
        diff = self.check_status(1, "--diff", "a.cu").stdout.decode()
        self.assertTrue(diff.startswith("--- a/a.cu\n+++ b/a.cu\n@@ -1,6 +1,6 @@\n"), diff)
        self.assertEqual([line for line in diff.split("\n") if line.startswith(("+", "-"))][2:],
                         ["-    v += __shfl_xor(v, 16);", "+    v += __shfl_xor_sync(0xffffffff, v, 16);"])
        self.assertEqual((self.dir / "a.cu").read_text(), LEGACY)
        self.assertIn(b"fixed 1 finding in 1 file", self.check_status(0, "--fix", "a.cu").stderr)
        self.assertEqual((self.dir / "a.cu").read_text(), MODERN)
        self.assertIn(b"nothing to fix", self.check_status(0, "--fix", "a.cu").stderr)
        self.assertEqual(self.check_status(0, "--diff", "a.cu").stdout, b"")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["a.cu"])

    def test_the_diff_is_a_patch(self):
        self.put("sub/a.cu", LEGACY.rstrip("\n"))
        patch = self.check_status(1, "--diff", ".").stdout
        subprocess.run(["patch", "-p1", "-s"], input=patch, cwd=self.dir, check=True)
        self.assertEqual((self.dir / "sub/a.cu").read_text(), MODERN.rstrip("\n"))

    def test_standard_input(self):
        done = self.check_status(0, "--fix", "-", text=LEGACY)
        self.assertEqual(done.stdout.decode(), MODERN)
        done = self.check_status(1, "--fix", "-", text=LEGACY + BARRIER)
        self.assertEqual(done.stdout.decode(), MODERN + BARRIER)
        self.assertIn(b"divergent-barrier", done.stderr)

    def test_bytes_are_kept(self):
        text = b"\xef\xbb\xbf// caf\xe9\r\n" + LEGACY.replace("\n", "\r\n").encode().rstrip(b"\r\n")
        self.put("a.cu", text)
        self.check_status(0, "--fix", "a.cu")
        self.assertEqual((self.dir / "a.cu").read_bytes(), text.replace(b"__shfl_xor(", b"__shfl_xor_sync(0xffffffff, "))

    def test_links_and_permissions(self):
        self.put("real.cu", LEGACY)
        self.put("locked.cu", LEGACY)
        (self.dir / "real.cu").chmod(0o640)
        (self.dir / "locked.cu").chmod(0o444)
        (self.dir / "way.cu").symlink_to("real.cu")
        self.check_status(0, "--fix", "way.cu")
        self.assertTrue((self.dir / "way.cu").is_symlink())
        self.assertEqual((self.dir / "real.cu").read_text(), MODERN)
        self.assertEqual((self.dir / "real.cu").stat().st_mode & 0o777, 0o640)
        done = self.check_status(1, "--fix", "locked.cu")
        self.assertIn(b"locked.cu: not fixed: it is read-only", done.stderr)
        self.assertIn(b"legacy-warp-intrinsic", done.stdout)
        self.assertEqual((self.dir / "locked.cu").read_text(), LEGACY)

    def test_only_what_was_named_is_edited(self):
        kernel, launch = LEGACY.split("void run")
        self.put("h.cuh", kernel)
        self.put("a.cu", '#include "h.cuh"\nvoid run' + launch)
        self.check_status(1, "--fix", "a.cu")
        self.assertEqual((self.dir / "h.cuh").read_text(), kernel)
        self.check_status(0, "--fix", ".")
        self.assertEqual((self.dir / "h.cuh").read_text(), MODERN.split("void run")[0])

    def test_header_and_source_in_one_proof(self):
        helper = "__device__ inline int twice(int v) { return v + __shfl_xor(v, 1); }\n"
        self.put("h.cuh", helper)
        self.put("a.cu", '#include "h.cuh"\n__global__ void k(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }\n')
        self.check_status(1, "--fix", ".")  # who else calls it is not known
        self.assertEqual((self.dir / "h.cuh").read_text(), helper)
        self.check_status(0, "--fix", "--unsafe-fixes", ".")
        self.assertIn("__shfl_xor_sync(0xffffffff, v, 1)", (self.dir / "h.cuh").read_text())

    def test_what_stays_in_a_header_is_not_new(self):
        """Another finding of the header that is fixed, seen from a file that reaches the header by a directory."""
        kernel = LEGACY.split("void run")[0]
        self.put("lib/h.cuh", kernel + WIDTH)
        self.put("src/a.cu", "#include <h.cuh>\nvoid run(int *out) { sum<<<1, 32>>>(out); width<<<1, 32>>>(out); }\n")
        for more in ([], ["-Ilib"]):
            self.put("lib/h.cuh", kernel + WIDTH)
            done = self.check_status(1, "--fix", ".", *more)
            self.assertIn(b"fixed 1 finding in 1 file", done.stderr)
            self.assertEqual((self.dir / "lib/h.cuh").read_text(), MODERN.split("void run")[0] + WIDTH)

    def test_a_fix_that_brings_something_else_is_dropped(self):
        path = ROOT / "fixtures/activemask-precedence/bad_popc_equal.cu"
        self.put("a.cu", path.read_bytes())
        done = self.check_status(1, "--fix", "--unsafe-fixes", "-v", "a.cu")
        self.assertIn(b"fix of activemask-precedence dropped", done.stderr)
        self.assertIn(b"[activemask-as-ballot]", done.stderr)
        self.assertEqual((self.dir / "a.cu").read_bytes(), path.read_bytes())

    def test_slow_code_that_comes_into_sight(self):
        """Who comes to __activemask() is not known; with a mask it shows that a barrier orders nothing. It never did."""
        both = ("--select", "activemask-as-mask,redundant-barrier", "--preview", "--fail-on", "info")
        self.put("a.cu", SLOW)
        self.assertEqual([f["rule"] for f in self.report("a.cu", *both)["findings"]], ["activemask-as-mask"])
        self.check_status(1, "--fix", "a.cu", *both)
        self.assertEqual((self.dir / "a.cu").read_text(), SLOW.replace("__activemask()", "0xffffffff"))
        self.assertEqual([f["rule"] for f in self.report("a.cu", *both)["findings"]], ["redundant-barrier"])

    def test_json(self):
        self.put("a.cu", LEGACY)
        (finding,) = self.report("a.cu")["findings"]
        (fix,) = finding["fixes"]
        self.assertEqual((fix["message"], fix["safe"]), ("use __shfl_xor_sync with the full mask", True))
        name, mask = ({"file": "a.cu", "line": 3, "column": first, "end_line": 3, "end_column": last, "replacement": text}
                      for first, last, text in ((10, 20, "__shfl_xor_sync"), (21, 21, "0xffffffff, ")))
        self.assertEqual(fix["edits"], [name, mask])

    def test_usage(self):
        self.put("a.cu", LEGACY)
        self.check_usage_error("--unsafe-fixes goes with --fix or --diff", "--unsafe-fixes", "a.cu")
        self.check_usage_error("one at a time", "--fix", "--dump", "ir", "a.cu")


class Together(Case):
    """Options in company: what one asks for by its name, another does not take back."""

    STATISTICS, PROFILE = b"findings by rule:", b"processor time of all workers"

    def setUp(self):
        super().setUp()
        self.put("a.cu", LEGACY)
        self.put("b.cu", BARRIER)

    def test_quiet(self):
        """-q takes away the summary and notes, and nothing else."""
        for form in ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "checkstyle", "rdjson"):
            loud, quiet = (self.check_status(1, ".", "--output", form, *more) for more in ([], ["-q"]))
            self.assertEqual(quiet.stderr, b"", form)
            summary = b"2 errors in 2 files; 2 of 2 kernels analysed\n" if form == "text" else b""
            loud = re.sub(rb"   note: .*\n( *\d* \|.*\n)*", b"", loud.stdout) if form == "text" else loud.stdout
            self.assertEqual(loud, quiet.stdout + summary, form)
        self.assertEqual(self.check_status(3, "none.cu", "-q").stderr.count(b"error: none.cu"), 1)
        self.check_usage_error("--quiet and --verbose contradict each other", "-qv", "a.cu")

    def test_what_was_asked_for_is_told(self):
        for option, words in (("--statistics", self.STATISTICS), ("--profile", self.PROFILE)):
            for more in ([], ["-q"], ["--output", "json"], ["-q", "--diff"], ["-q", "--dump", "ir"], ["-q", "--exit-zero"]):
                done = self.lint(".", option, *more)
                self.assertIn(words, done.stderr, more)
                self.assertNotIn(words, done.stdout, more)
            self.assertEqual(self.lint(".", "-q", option).stdout, self.lint(".", "-q").stdout)
        done = self.lint(".", "-q", "--fix", "--statistics", "--profile")
        self.assertIn(self.STATISTICS, done.stderr)
        self.assertIn(self.PROFILE, done.stderr)
        self.assertNotIn(b"fixed", done.stderr)  # a note
        self.assertIn(b"[divergent-barrier]", done.stdout)

    def test_statuses(self):
        """Each of what can be found, against each of what is said about failing."""
        clean, findings, usage, incomplete = 0, 1, 2, 3
        self.put("c.cu", CLEAN)
        for status, arguments in (
                (findings, ["--diff", "a.cu"]), (clean, ["--diff", "b.cu"]), (clean, ["--diff", "a.cu", "--exit-zero"]),
                (incomplete, ["--diff", "c.cu", "none.cu"]), (findings, ["--diff", "a.cu", "none.cu"]),
                (findings, ["--diff", "a.cu", "--severity", "volta=info"]),  # there is something to change
                (clean, ["--dump", "ir", "b.cu"]), (incomplete, ["--dump", "ir", "b.cu", "none.cu"]),
                (clean, ["--exit-zero", "b.cu", "none.cu"]), (clean, ["--exit-zero", "--dump", "ir", "none.cu"]),
                (findings, ["-q", "b.cu"]), (clean, ["-q", "b.cu", "--exit-zero"]), (clean, ["-q", "b.cu", "--severity=barrier=info"]),
                (usage, ["--exit-zero", "--selct", "x"]), (findings, ["--statistics", "--profile", "b.cu"]),
                (findings, [".", "--baseline", "k.jsonl"]), (usage, [".", "--baseline", "none.jsonl", "--exit-zero"]),
                (clean, [".", "--baseline", "k.jsonl", "--exit-zero"]),
                (findings, ["--fix", "."]), (clean, ["--fix", "a.cu"]), (clean, ["--fix", ".", "--exit-zero"])):
            self.put("a.cu", LEGACY)
            self.put("k.jsonl", "")
            self.check_status(status, *arguments)

    def test_a_limit_hides_nothing_from_the_status(self):
        self.put("first.cu", WIDTH)
        limit = ["--max-results", "1", "--severity", "bad-shuffle-width=info", "--ignore", "volta", "first.cu", "zz.cu"]
        os.rename(self.dir / "b.cu", self.dir / "zz.cu")
        for form in ("concise", "sarif"):
            done = self.check_status(1, *limit, "--output", form)
            self.assertNotIn(b"zz.cu:6", done.stdout)
        self.assertEqual(json.loads(done.stdout)["runs"][0]["invocations"][0]["exitCode"], 1)
        self.check_status(0, *limit, "--ignore", "volta,barrier")

    def test_the_report_of_a_fix(self):
        """It tells of what is left, and how the run ends."""
        done = self.check_status(1, "--fix", ".", "--output", "sarif", "--output", "json:left.json")
        self.assertEqual(json.loads(done.stdout)["runs"][0]["invocations"][0]["exitCode"], 1)
        self.assertEqual([f["file"] for f in json.loads((self.dir / "left.json").read_text())["findings"]], ["b.cu"])

    def test_files_that_nobody_would_write(self):
        self.check_usage_error("--diff reports no findings", ".", "--diff", "--output", "json:x.json")
        self.check_usage_error("--add-ignore reports no findings", ".", "--add-ignore", "r", "--output", "html:x.html")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["a.cu", "b.cu"])
        self.put(".cuwarp-lint.yaml", "output: [concise]\n")
        self.assertTrue(self.check_status(1, ".", "--diff").stdout.startswith(b"--- a/a.cu\n"))

    def test_baseline_and_comments(self):
        """What the baseline knows needs no comment; what is counted as silenced says by what."""
        self.put("b.cu", BARRIER.replace("threadIdx.x < 16", "threadIdx.x < 7"))
        self.check_status(0, "b.cu", "--baseline", "k.jsonl", "--write-baseline")
        self.check_status(0, ".", "--add-ignore", "known", "--baseline", "k.jsonl")
        self.assertNotIn("ignore", (self.dir / "b.cu").read_text())
        self.assertIn("ignore[legacy-warp-intrinsic]", (self.dir / "a.cu").read_text())
        text = self.check_status(0, ".", "--baseline", "k.jsonl", "-q", "--statistics").stderr
        self.assertIn(b"silenced by comments: 1\n", text)
        self.assertIn(b"known to the baseline: 1\n", text)
        self.check_usage_error("does not go with --staged", ".", "--add-ignore", "r", "--staged")


class Coverage(Case):
    """A kernel counts as analysed only if no question about it was abandoned; what was, is said."""

    LATER = """__device__ float twice(float v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return __fmaf_rn(v, 2.0f, 0.0f);
#else
    return v + v;
#endif
}
__global__ void later(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
"""
    BY_MACRO = """#if __CUDA_ARCH__ >= 800
#define HAS_ASYNC
#endif
__global__ void by_macro(float *x) {
#ifdef HAS_ASYNC
    x[threadIdx.x] = 2.0f;
#endif
}
__global__ void older(float *x) {
#if __CUDA_ARCH__ < 700
    x[0] = 1.0f;
#endif
}
"""
    TRAPS = """__global__ void traps(float *x) {
    if (blockDim.x != 96)
        __trap();
    x[threadIdx.x] = 1.0f;
}
"""

    def partial(self, *arguments, **env):
        """{kernel: {analysis: [reason]}} of the report, after looking at its sums."""
        coverage = self.report("--isolated", "--no-cache", *arguments, **env)["coverage"]
        self.assertEqual(coverage["degraded"], len(coverage["partial"]))
        self.assertEqual(coverage["kernels"], coverage["analysed"] + coverage["degraded"] + len(coverage["skipped"]))
        found = {}
        for kernel in coverage["partial"]:
            for reason in kernel["reasons"]:
                found.setdefault(kernel["kernel"], {}).setdefault(reason["analysis"], []).append(reason["reason"])
        return found

    def test_sizes_of_an_unread_launch(self):
        # The header launches the kernel with one block of `groups` threads, in code that needs a class of a header which
        # is not there. Which threads pass the guard depends on that launch.
        self.put("rows.cuh", "#include <framework/tensor.h>\ntemplate <typename S> __global__ void rows(long groups, S *out) {\n"
                 "    unsigned group = blockIdx.x * blockDim.x + threadIdx.x;\n    if (group < groups) {\n"
                 "        out[group] = S(0);\n        __syncthreads();\n        out[group] += S(1);\n    }\n}\n"
                 "template <typename T> framework::Tensor run(T x, framework::Tensor out) {\n"
                 "    using Shape = typename framework::Problem<T>::Shape;\n"
                 "    rows<Shape><<<1, x.size()>>>(x.size(), reinterpret_cast<Shape *>(out.data()));\n    return out;\n}\n")
        self.put("run.cu", '#include "rows.cuh"\nframework::Tensor all(framework::Tensor x) { return run<int>(x, x); }\n')
        found = [(f["confidence"], f["line"]) for f in self.report("--isolated", "--no-cache", "--possible", "run.cu")["findings"]]
        self.assertEqual(found, [("possible", 6)])
        text = (self.dir / "rows.cuh").read_text()
        self.put("rows.cuh", text[:text.index("template <typename T> framework")])
        self.put("run.cu", '#include "rows.cuh"\n')
        found = [(f["confidence"], f["line"]) for f in self.report("--isolated", "--no-cache", "--possible", "run.cu")["findings"]]
        self.assertEqual(found, [("definite", 6)])

    def test_guesses_for_a_header_say_nothing_that_is_sure_elsewhere(self):
        """A header alone has guessed instances; what a definite finding of an includer tells of a line is not possible once more."""
        steps = "".join("        w[threadIdx.x] += w[threadIdx.x + %d];\n" % step for step in (16, 8, 4, 2, 1))
        self.put("sum.cuh", "template <typename T, int N, bool Last> __global__ void sum(const T *in, T *out) {\n"
                   "    __shared__ T s[N];\n    s[threadIdx.x] = in[threadIdx.x];\n    __syncthreads();\n"
                   "    if (threadIdx.x < 32) {\n        volatile T *w = s;\n        if (N >= 64)\n"
                   "            w[threadIdx.x] += w[threadIdx.x + 32];\n" + steps + "    }\n    out[0] = s[0];\n}\n")
        self.put("run.cu", '#include "sum.cuh"\nvoid run(const float *in, float *out) { sum<float, 128, false><<<1, 128>>>(in, out); }\n')
        rows = self.report(".", "--possible", "--select", "implicit-warp-sync")["findings"]
        self.assertEqual([(row["confidence"], row["file"], row["line"]) for row in rows], [("definite", "sum.cuh", 9)])

    def test_included_kernels_count_as_their_includer_reads_them(self):
        """A file of kernels that needs what its includer declares is read with it, also when it is named alone; without the
        search for includers it is in part."""
        self.put("kernel.cu", "__global__ void sums(struct point *p, real *out) { out[threadIdx.x] = p->x * SCALE; }\n")
        self.put("main.cu", "typedef float real;\nstruct point { real x; };\n#define SCALE 2\n#include \"kernel.cu\"\n"
                            "void run(point *p, real *out) { sums<<<1, 32>>>(p, out); }\n")
        coverage = self.report(".")["coverage"]
        self.assertEqual((coverage["kernels"], coverage["analysed"], coverage["partial"]), (1, 1, []))
        named = self.report("kernel.cu")["coverage"]
        self.assertEqual((named["kernels"], named["analysed"]), (1, 1))
        alone = self.report("kernel.cu", "--no-inference")["coverage"]
        self.assertEqual((alone["kernels"], alone["analysed"]), (1, 0))

    def test_kernels_of_types_that_no_header_gives(self):
        """Types are made up for a launch that is lost without them; a kernel that has values of one is in part."""
        self.put("a.cu", """__global__ void copies(lib::view view, int *x) {
    lib::view own = view;
    x[threadIdx.x] = 1;
}
template <typename T> __global__ void fill(T *x) {
    auto put = [=](auto i) { x[i] = 1; };
    auto from = lib::first(x);
    put(threadIdx.x);
}
__global__ void plain(int *x) { x[threadIdx.x] = 1; }
void run(lib::view view, lib::stream &stream, int *x) {
    copies<<<stream.blocks(), 32>>>(view, x);
    fill<<<stream.blocks(), 32>>>(x);
    plain<<<stream.blocks(), 32>>>(x);
}
""")
        found = self.partial("a.cu")
        self.assertEqual(sorted(found), ["copies", "fill"])
        for kernel in found:
            self.assertIn("name that could not be resolved (missing include)", found[kernel]["reading"])

    def test_code_for_later_architectures(self):
        self.put("a.cu", self.LATER + CLEAN)
        self.put("b.cu", self.BY_MACRO)
        told = {"later": {"reading": ["code for sm_90 and later not looked at"]},
                "by_macro": {"reading": ["code for sm_80 and later not looked at"]}}
        self.assertEqual(self.partial(".", "--arch", "sm_75"), told)
        self.assertEqual(self.partial(".", "--arch", "sm_75,sm_90"), {})
        self.assertEqual(self.partial("."), {}) # nobody says which: these are added

    ASSUMED_LATER = """template <typename T> __global__ void swap(T *out) {
    __shared__ T s[64];
    s[threadIdx.x] = out[threadIdx.x];
#if __CUDA_ARCH__ >= 900
    out[threadIdx.x] = s[63 - threadIdx.x];
#endif
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
template <typename T> void run(T *out) { swap<T><<<1, 64>>>(out); }
"""
    ONLY_LATER = """#if __CUDA_ARCH__ >= 900
template <typename T> __global__ void late(T *out) {
    __shared__ T s[64];
    s[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
template <typename T> void run_late(T *out) { late<T><<<1, 64>>>(out); }
#endif
"""

    def test_later_architectures_are_read_as_the_first(self):
        """Instances that were chosen for the first one, and those of templates that only the later one has."""
        def races(name, *archs):
            report = self.report(name, "--isolated", "--no-cache", "--possible", *archs)
            return [(f["line"], f["confidence"]) for f in report["findings"] if f["rule"] == "missing-syncthreads"]

        self.put("a.cu", self.ASSUMED_LATER)
        self.put("b.cu", self.ASSUMED_LATER + self.ONLY_LATER)
        for name, lines in (("a.cu", [5]), ("b.cu", [5, 15])):
            alone = races(name, "--arch", "sm_90")
            self.assertEqual([line for line, _ in alone], lines)
            self.assertEqual(races(name, "--arch", "sm_75,sm_90"), alone)
            self.assertEqual(races(name), alone)

    def test_later_architectures_evaluate_other_code_only(self):
        """A qualifier of local variables is no other code; one more access is."""
        text = """#if __CUDA_ARCH__ >= 900
#define QUALIFIED
#else
#define QUALIFIED __restrict__
#endif
__global__ void sums(const float *in_ptr, float *out_ptr, int n) {
    const float *QUALIFIED in = in_ptr;
    float *QUALIFIED out = out_ptr;
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
%s    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
void run(const float *in, float *out, int n) { sums<<<1, 256>>>(in, out, n); }
"""
        more = "#if __CUDA_ARCH__ >= 900\n    s[threadIdx.x] += 1;\n    __syncthreads();\n#endif\n"
        self.put("a.cu", text % "")
        self.put("b.cu", text % more)
        cells = {}
        for name in ("a.cu", "b.cu"):
            for archs in ("sm_80", "sm_80,sm_90"):
                told = self.lint(name, "--isolated", "--no-cache", "--profile", "--arch", archs).stderr.decode()
                cells[name, archs] = re.search(r"cells +(.*) million evaluated", told)[1]
        self.assertEqual(cells["a.cu", "sm_80"], cells["a.cu", "sm_80,sm_90"])
        self.assertNotEqual(cells["b.cu", "sm_80"], cells["b.cu", "sm_80,sm_90"])

    def test_guessed_blocks_that_trap(self):
        self.put("a.cu", self.TRAPS)
        self.assertEqual(self.partial("a.cu"), {"traps": {"launch": ["launch unknown: every guessed block traps"]}})
        self.assertEqual(self.partial("a.cu", "--block", "96"), {})

    def test_another_kernel_asks_for_a_later_architecture(self):
        """Code that is the same for both is not analysed twice, but what was in part under the first one stays so."""
        self.put("a.cu", self.TRAPS + self.LATER)
        self.assertEqual(self.partial("a.cu"), {"traps": {"launch": ["launch unknown: every guessed block traps"]}})

    def test_no_time_for_another_parse(self):
        """A template that nothing instantiates is read again with arguments. Where that is left out, it is said."""
        if not OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put("a.cu", "template <int N> __global__ void scale(float *x) { x[threadIdx.x] *= N; }\n" + CLEAN)
        refused = self.partial("a.cu", CUWARP_TEST_PARSES="once")
        self.assertEqual(list(refused), ["scale"])
        self.assertIn("no time was left for another parse of the unit", refused["scale"]["reading"])
        self.assertEqual(self.partial("a.cu"), {})

    def test_switch_that_a_made_header_throws(self):
        """A unit with errors is not read again with a switch for CUDA that config.h, made of its template, defines."""
        if not OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put("config.h.in", "#cmakedefine01 LIB_USE_CUDA\n")
        switch = "#if LIB_USE_CUDA\n#include <cuda_runtime.h>\n#endif\n"
        self.put("made.h", '#include "config.h"\n' + switch)
        self.put("open.h", switch)
        for name, is_refused in ("made", False), ("open", True):
            self.put(name + ".cu", '#include "%s.h"\n__global__ void torn(int *x) { x[0] = 1 + ; }\n' % name)
            refused = self.partial(name + ".cu", CUWARP_TEST_PARSES="once")
            self.assertEqual("no time was left for another parse of the unit" in str(refused), is_refused, name)

    def test_switch_that_stands_for_one_of_a_missing_header(self):
        """A header gives the switch the name of another one, which the missing header would define: it is open. A number is an answer."""
        for name, value, lines in ("open", "LIB_USE_CUDA", [4]), ("told", "0", []):
            self.put(name + ".h", '#include "lib/config.h"\n#ifndef APP_USE_CUDA\n#define APP_USE_CUDA %s\n#endif\n' % value)
            self.put(name + ".cu", '#include "%s.h"\n#if APP_USE_CUDA\n__global__ void k(int *out) {\n'
                     "    if (threadIdx.x < 40) __syncthreads();\n    out[threadIdx.x] = 1;\n}\n"
                     "void run(int *out) { k<<<1, 128>>>(out); }\n#endif\n" % name)
            found = self.report(name + ".cu", "--isolated", "--no-cache", "--exit-zero")["findings"]
            self.assertEqual([f["line"] for f in found], lines, name)

    def test_headers_that_are_remade_before_the_first_parse(self):
        """Code of a header that clang is bound to refuse is written for it before it is asked, once, and is named as it is."""
        if not OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put("lib/steps.cuh", "template <int N> struct traits {\n"
                 "    static constexpr bool waits = true;\n    template <class T> using pointer = T *;\n"
                 "    template <int M> __device__ int operator()(int v) const { return v + M; }\n};\n"
                 "template <class T> struct user : T {\n    T own;\n    __device__ int run(int v) const {\n"
                 "        typename T::pointer<int> p = &v;\n"
                 "        if constexpr (this->waits)\n            __syncthreads();\n"
                 "        return this->own.operator()<3>(*p);\n    }\n};\n")
        self.put("a.cu", '#include "lib/steps.cuh"\n__global__ void k(int *out) {\n    user<traits<1>> u;\n'
                 "    if (threadIdx.x < 20)\n        out[threadIdx.x] = u.run(threadIdx.x);\n}\n"
                 "void run(int *out) { k<<<1, 64>>>(out); }\n")
        found = self.report("a.cu", "--isolated", "--no-cache", "--exit-zero", CUWARP_TEST_PARSES="once")
        self.assertEqual([(f["file"], f["line"]) for f in found["findings"]], [("lib/steps.cuh", 11)])
        self.assertEqual(found["coverage"]["degraded"], 0)

    def test_instances_of_a_helper(self):
        """Of the instances of a device function that no kernel reaches, the first ones are analysed; the others count."""
        self.put("a.cu", "template <int N> __device__ float scale(float x) { return x * N; }\n" +
                 "".join("template __device__ float scale<%d>(float);\n" % n for n in range(1, 7)))
        bails = json.loads(self.lint("--output", "json", "a.cu").stdout)["coverage"]["bails"]
        self.assertEqual(bails, [{"reason": "more instantiations of the template than are analysed", "count": 2}])

    def test_missing_headers(self):
        self.put("a.cu", '#include "site/types.h"\n'
                         "__global__ void k(site::real *x) { x[threadIdx.x] = site::zero(); }\n")
        self.assertIn("missing header site/types.h", self.partial("a.cu")["k"]["reading"])
        self.put("b.cu", '#include "site/types.h"\n#include "other.h"\n'
                         "__global__ void k1(site::real *x) { x[threadIdx.x] = site::zero(); }\n"
                         "__global__ void k2(site::real *x) { x[threadIdx.x] = other(); }\n")
        self.put("clean.cu", '#include "unneeded.h"\n' + CLEAN)
        lines = self.lint("--isolated", "--no-cache", ".").stderr.decode().splitlines()
        told = [line for line in lines if "missing header" in line]
        self.assertEqual(told, ["cuwarp-lint: missing header site/types.h (3 kernels in part)",
                                "cuwarp-lint: missing header other.h (2 kernels in part)"])
        self.assertEqual(self.lint("--isolated", "--no-cache", "-q", ".").stderr, b"")

    def test_broken_code(self):
        """What a parser made up or dropped is said, whichever of them read the kernel; the kernel beside it is whole."""
        for body in ("x[threadIdx.x] = 1.0f +;", "int 3y = 4; x[0] = 1;", "if (threadIdx.x < ) __syncthreads(); x[1] = 2;",
                     "x[0] = (1 + 2; x[1] = 3;", "for (int i = 0 i < 3; i++) x[i] = 1;",
                     "float y = ; x[0] = __shfl_sync(0xffffffffu, y, 0);"):
            self.put("a.cu", "__global__ void torn(float *x) {\n    %s\n}\n__global__ void beside(float *x) { x[0] = 1; }\n" % body)
            with self.subTest(body=body):
                found = self.partial("a.cu")
                self.assertEqual(list(found), ["torn"])
                self.assertTrue({"code the parser reported as broken", "name that could not be resolved (missing include)"} &
                                set(found["torn"]["reading"]), found)
                self.assertEqual(self.report("a.cu")["findings"], [])

    def test_questions_about_masks(self):
        calls = "".join(f"    v += __shfl_sync(m[{i}], v, {i % 32});\n" for i in range(600))
        self.put("a.cu", "__global__ void many(const unsigned *m, int *x) {\n    int v = x[threadIdx.x];\n" + calls +
                 "    x[threadIdx.x] = v;\n}\n")
        self.assertIn("masks", self.partial("a.cu")["many"])

    def test_long_race_search(self):
        step = "    s[(threadIdx.x * {}) % 1024] += x[{}];\n    __syncthreads();\n"
        steps = "".join(step.format(2 * i + 1, i) for i in range(1500))
        self.put("a.cu", "__global__ void long_way(int *x) {\n    __shared__ int s[1024];\n" + steps +
                 "    x[threadIdx.x] = s[threadIdx.x];\n}\nvoid run(int *x) { long_way<<<1, 1024>>>(x); }\n")
        self.assertIn("race search", self.partial("a.cu")["long_way"])

    def test_kernels_that_a_macro_hides(self):
        """The header that defines the macros is missing."""
        self.put("a.cu", """#include "site/macros.h"
SITE_ENTRY void mirror(float *x) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
SITE_GLOBAL(spread)(const float *x, float *y) {
    y[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x];
}
SITE_INLINE float half_of(float v) { return v / 2 + threadIdx.x; }
namespace site {
SITE_KERNEL(256) void uses(float *x) { x[threadIdx.x] = half_of(x[threadIdx.x]); }
}
void run(float *x) { mirror<<<1, 64>>>(x); }
""")
        report = self.report("--isolated", "--no-cache", "a.cu")
        self.assertEqual([report["coverage"][key] for key in ("kernels", "skipped")], [3, []])
        self.assertEqual([(f["rule"], f["line"]) for f in report["findings"]], [("missing-syncthreads", 5)])

    def test_templates_of_generators(self):
        """What a generator makes of the text is CUDA; the text itself is counted, and not analysed."""
        self.put("a.cuh", "{%- if wide %}\n__device__ int last(int v) { return __shfl(v, 63, 64); }\n{%- endif %}\n"
                          "__global__ void use(int *p) { p[threadIdx.x] = last(p[threadIdx.x]); }\n")
        report = self.report("--isolated", "--no-cache", "a.cuh")
        self.assertEqual(report["findings"], [])
        self.assertTrue(report["coverage"]["skipped"])
        for skipped in report["coverage"]["skipped"]:
            self.assertIn("a template of a code generator", skipped["reason"])

    def test_folders_named_cuda(self):
        """A folder of the project's own is no header of the toolkit: the file stays HIP."""
        self.put("cuda/pair.cuh", "#pragma once\n")
        self.put("warp.cuh", '#include "cuda/pair.cuh"\n#include <hip/hip_runtime.h>\n'
                             "__device__ int first(int v) { return __shfl(v, 0, 64); }\n")
        self.assertEqual(self.report("--isolated", "--no-cache", "warp.cuh")["findings"], [])

    def test_functions_that_may_be_kernels(self):
        """Nothing says what the macro means: counted, and not taken for analysed."""
        self.put("a.cu", '#include "site/macros.h"\n'
                         "SITE_MARK void fill(float *x) { x[threadIdx.x] = 1.0f; }\n")
        coverage = self.report("--isolated", "--no-cache", "a.cu")["coverage"]
        self.assertEqual([coverage["kernels"], coverage["analysed"]], [1, 0])
        self.assertIn("SITE_MARK", coverage["skipped"][0]["reason"])
        self.put("site/macros.h", "#define SITE_MARK __device__\n")
        coverage = self.report("--isolated", "--no-cache", "a.cu")["coverage"]
        self.assertEqual([coverage["kernels"], coverage["skipped"]], [0, []])
        self.put("site/macros.h", "#define SITE_MARK __global__\n")
        coverage = self.report("--isolated", "--no-cache", "a.cu")["coverage"]
        self.assertEqual([coverage["kernels"], coverage["analysed"]], [1, 1])

    def test_operands_of_which_nothing_can_be_read(self):
        self.put("a.cu", CLEAN)
        self.put("texts/notes.txt", "no code\n")
        self.check_usage_error("an operand is empty", "", "a.cu")
        done = self.check_status(0, "texts")
        self.assertEqual(done.stderr, b"cuwarp-lint: texts: no CUDA files in this folder\n")
        self.assertEqual(len(self.check_status(3, "absent.cu").stderr.splitlines()), 1)
        self.assertIn("absent.cu", self.check_status(3, "absent.cu").stderr.decode())
        (self.dir / "texts").chmod(0)
        self.addCleanup((self.dir / "texts").chmod, 0o755)
        done = self.unprivileged("texts")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr, b"cuwarp-lint: error: texts: could not be analysed: Permission denied\n")
        done = self.unprivileged("texts", "a.cu")   # the other operand is analysed
        self.assertEqual((done.returncode, b"1 of 1 kernel analysed" in done.stdout), (3, True), done.stderr)

    def test_an_unreadable_folder_inside_an_operand(self):
        self.put("src/a.cu", CLEAN)
        self.put("src/closed/b.cu", CLEAN)
        (self.dir / "src/closed").chmod(0)
        self.addCleanup((self.dir / "src/closed").chmod, 0o755)
        done = self.unprivileged("src")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr, b"cuwarp-lint: error: src/closed: could not be analysed: Permission denied\n")
        self.assertIn(b"1 of 1 kernel analysed; 1 file could not be analysed", done.stdout)

    def unprivileged(self, *arguments):
        """As somebody whom permissions hold back."""
        as_nobody = {}
        if not os.geteuid():
            self.dir.chmod(0o755)
            as_nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            return subprocess.run([OPTIONS.bin, "--isolated", "--no-cache", *arguments], cwd=self.dir, capture_output=True,
                                  timeout=300, **as_nobody)
        except PermissionError:
            self.skipTest("nobody cannot run the program")

    def put_all_reasons(self):
        calls = "".join(f"    v += __shfl_sync(m[{i}], v, {i % 32});\n" for i in range(520))
        steps = "".join(f"    s[(threadIdx.x * {2 * i + 1}) % 1024] += x[{i}];\n    __syncthreads();\n" for i in range(1500))
        self.put("later.cu", self.LATER)
        self.put("traps.cu", self.TRAPS)
        self.put("masks.cu", "__global__ void masks(const unsigned *m, int *x) {\n    int v = x[threadIdx.x];\n" + calls +
                 "    x[threadIdx.x] = v;\n}\n")
        self.put("races.cu", "__global__ void races(int *x) {\n    __shared__ int s[1024];\n" + steps +
                 "    x[threadIdx.x] = s[threadIdx.x];\n}\nvoid run(int *x) { races<<<1, 1024>>>(x); }\n")
        self.put("launch.cu", "__global__ void no_launch(float *x) {\n    __shared__ float s[7];\n"
                 "    s[threadIdx.x * 3 + blockDim.x * 8] = x[0];\n    __syncthreads();\n    x[threadIdx.x] = s[threadIdx.x + 5];\n}\n")
        self.put("broken.cu", "__global__ void broken(float *x) {\n    x[threadIdx.x] = 1.0f +;\n    int 3y = 4;\n}\n")
        self.put("header.cu", '#include "site/types.h"\n__global__ void header(site::real *x) { x[threadIdx.x] = site::zero(); }\n')

    def test_every_reason_in_every_form(self):
        """Which analysis gave up on which kernel, and why: in the text, in JSON, in SARIF and in html."""
        self.put_all_reasons()
        arguments = ["--isolated", "--no-cache", "--arch", "sm_75", "."]
        expected = {"later": "code for sm_90 and later not looked at", "traps": "launch unknown: every guessed block traps",
                    "masks": "more questions about masks than the analysis asks",
                    "races": "race search longer than the analysis budget",
                    "no_launch": "launch unknown: no ordinary block is known to fit",
                    "broken": "code the parser reported as broken", "header": "missing header site/types.h"}
        reasons = {kernel: [r for all_ in found.values() for r in all_] for kernel, found in self.partial(*arguments).items()}
        text = self.lint(*arguments).stdout.decode()
        sarif = json.loads(self.lint(*arguments, "--output", "sarif").stdout)["runs"][0]
        notes = [n["message"]["text"] for n in sarif["invocations"][0]["toolExecutionNotifications"]]
        page = self.lint(*arguments, "--output", "html").stdout.decode()
        for kernel, reason in expected.items():
            with self.subTest(kernel=kernel):
                self.assertIn(reason, reasons[kernel])
                self.assertRegex(text, "in part: %s \\(.*%s" % (kernel, re.escape(reason)))
                self.assertTrue([n for n in notes if n.startswith("kernel %s was" % kernel) and reason in n], notes)
                self.assertRegex(page, "(?s)%s.{0,2000}%s" % (kernel, re.escape(reason)))

    def test_statistics_list_the_worst_kernels(self):
        """Those with most reasons first, each with the options that may help."""
        self.put_all_reasons()
        told = self.lint("--isolated", "--no-cache", "--arch", "sm_75", "--statistics", ".").stderr.decode()
        lines = [line for line in told.splitlines() if line.startswith("cuwarp-lint:   in part ")]
        self.assertTrue(lines, told)
        for kernel, option in (("later", "--arch sm_90"), ("traps", "--block X"), ("header", "-I DIR"), ("broken", "-D NAME")):
            line = [line for line in lines if "in part %s " % kernel in line]
            self.assertEqual(len(line), 1, lines)
            self.assertIn("may help: ", line[0])
            self.assertIn(option, line[0].split("may help: ")[1])

    def test_kernels_of_headers_count_with_their_includer(self):
        """Who names one file hears of its headers' kernels: each counts once, by the best reading; others' headers do not."""
        self.put("kernels.h", "__global__ void whole(int *p) { p[threadIdx.x] = LENGTH; }\n" + self.TRAPS)
        self.put("third_party/theirs.h", "__global__ void theirs(int *p) { p[threadIdx.x] = 1; }\n")
        launches = '#define LENGTH 4\n#include "third_party/theirs.h"\n#include "kernels.h"\nvoid %s(int *p) { whole<<<1, 64>>>(p); }\n'
        self.put("a.cu", launches % "a")
        self.put("b.cu", launches % "b")
        for paths in (["a.cu"], ["a.cu", "b.cu"]):
            text = self.lint("--isolated", "--no-cache", *paths).stdout.decode()
            self.assertIn("1 of 2 kernels analysed, 1 in part\n", text)
            self.assertRegex(text, r"in part: traps \(kernels\.h:\d+\): launch unknown")
        both = self.lint("--isolated", "--no-cache", "a.cu", "kernels.h").stdout.decode()
        self.assertIn("1 of 2 kernels analysed, 1 in part\n", both)
        self.assertEqual(both.count("in part: "), 1, both)

    def test_every_form_says_it(self):
        self.put("a.cu", self.LATER + self.TRAPS + CLEAN)
        text = self.lint("--isolated", "--arch", "sm_75", "a.cu").stdout.decode()
        self.assertIn("in part: later (a.cu:8): reading: code for sm_90 and later not looked at\n", text)
        self.assertIn("1 of 3 kernels analysed, 2 in part", text)
        told = "kernel traps was analysed in part: launch unknown: every guessed block traps"
        sarif = json.loads(self.lint("--isolated", "--arch", "sm_75", "a.cu", "--output", "sarif").stdout)["runs"][0]
        notes = [n["message"]["text"] for n in sarif["invocations"][0]["toolExecutionNotifications"]]
        self.assertIn(told, notes)
        page = self.lint("--isolated", "a.cu", "--output", "html").stdout.decode()
        self.assertIn("launch unknown: every guessed block traps", page)
        quiet = self.lint("--isolated", "--arch", "sm_75", "a.cu", "-q", "--statistics")
        self.assertEqual(quiet.stdout, b"")
        self.assertIn("may help: --arch sm_90", quiet.stderr.decode())
        self.assertIn("may help: --block X", quiet.stderr.decode())


class Workers(Case):
    def setUp(self):
        super().setUp()
        for i in range(6):
            self.put(f"f{i}.cu", WIDTH if i % 2 else BARRIER)

    def test_same_output_for_every_j(self):
        for form in ("text", "json"):
            outputs = {tool("fixtures/seeds", "fixtures/divergent-barrier", "--possible", "--output", form, "-j", str(j),
                            cwd=ROOT).stdout for j in (1, 7)}
            self.assertEqual(len(outputs), 1, form)
        self.assertEqual(self.lint("f5.cu", "f0.cu").stdout, self.lint("f0.cu", "f5.cu").stdout)

    def test_precompiled_prelude_changes_nothing(self):
        temporary = self.dir / "tmp"
        temporary.mkdir()
        for i in range(20):
            self.put(f"many/m{i:02}.cu", (WIDTH if i % 3 else BARRIER).replace("out", f"out{i}"))
        outputs = [self.lint("many", "--output", "json", "-j", jobs, TMPDIR=where).stdout
                   for where in (str(temporary), "/nowhere/at/all") for jobs in ("1", "5")]
        self.assertEqual(len(set(outputs)), 1)
        self.assertEqual(len(json.loads(outputs[0])["findings"]), 20)
        self.assertEqual(list(temporary.iterdir()), [])

    def check_isolated(self, hook, reason, *arguments):
        done = self.check_status(1, ".", "--output", "json", *arguments, CUWARP_TEST_WORKER=f"{hook}:f2.cu")
        report = json.loads(done.stdout)
        self.assertEqual(len(report["findings"]), 5)
        (failed,) = report["coverage"]["failed"]
        self.assertEqual(failed["file"], "f2.cu")
        self.assertIn(reason, failed["reason"])
        self.assertIn("f2.cu: could not be analysed", done.stderr.decode())

    def test_isolation(self):
        if not OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.check_isolated("crash", "SIGSEGV")
        self.check_isolated("hang", "limit of 2 s", "--time-limit", "2")
        self.check_isolated("memory", "limit of 600 MB", "--memory-limit", "600")
        self.check_isolated("garble", "no result")


    def test_without_libclang(self):
        self.put("no-library", "text\n")
        self.put("host.cpp", "int main() { return 0; }\n")
        for library in ("/nowhere/at/all", str(self.dir / "no-library")):
            for what in (["."], ["f1.cu"], ["f1.cu", "-j", "1"]):
                done = self.check_status(2, *what, "--no-cache", CUWARP_LIBCLANG=library)
                self.assertIn(library, done.stderr.decode())
                self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1))


class Budgets(Case):
    """Kernels that are long, or ask much, are analysed whole."""

    DEEP = """template <int N> __device__ void step(int *s) {
    s[threadIdx.x] += N;
    step<N - 1>(s);
}
template <> __device__ void step<0>(int *s) {
    if (threadIdx.x < 16)
        __syncthreads();
    s[threadIdx.x] += 1;
}
__global__ void deep(int *s) { step<40>(s); }
void run(int *s) { deep<<<1, 64>>>(s); }
"""
    TRAPS = """__global__ void one_warp(int *out) {
    __shared__ int s[32];
    if (blockDim.x > 32)
        __trap();
    s[threadIdx.x] = out[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
void run(int *out) {
    one_warp<<<1, 64>>>(out);
    one_warp<<<1, 32>>>(out);
}
"""

    @staticmethod
    def kernel(block, *statements):
        body = "".join("    %s\n" % s for s in ("int v = out[threadIdx.x];", *statements, "out[threadIdx.x] = v;"))
        return "__global__ void k(int *out) {\n%s}\nvoid run(int *out) { k<<<1, %d>>>(out); }\n" % (body, block)

    def check_whole(self, text, *rules):
        self.put("k.cu", text)
        report = json.loads(self.lint("k.cu", "--output", "json", "--no-cache").stdout)
        self.assertEqual([f["rule"] for f in report["findings"]], list(rules))
        self.assertEqual(report["coverage"]["partial"], [])

    def test_templates_that_call_themselves(self):
        self.check_whole(self.DEEP, "divergent-barrier")

    def test_launches_that_trap_are_no_matter_of_budgets(self):
        self.check_whole(self.TRAPS)

    def test_loops_too_long_to_be_laid_out_whole(self):
        loops = ["for (int %s = 0; %s < 8; %s++)" % (v, v, v) for v in "ijk"]
        self.check_whole("""__global__ void counts(int *out) {
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16)
        s[t] = 0;
    __syncthreads();
    %s
        atomicAdd(&s[(t + i + j + k) & 15], 1);
    out[t] = s[15 - (t & 15)];
}
void run(int *out) { counts<<<1, 1024>>>(out); }
""" % "\n    ".join(loops), "missing-syncthreads")

    def test_many_shuffles(self):
        good = ["v += __shfl_xor_sync(0xffffffff, v, %d);" % (1 << k % 5) for k in range(300)]
        bad = ["if (threadIdx.x % 32 >= 24)", "    return;", "v += __shfl_down_sync(0x00ffffff, v, 8);"]
        self.check_whole(self.kernel(64, *good, *bad), "inactive-source-lane")

    def test_many_masks(self):
        good = ["if (threadIdx.x %% 32 < %d) v += __shfl_xor_sync(0x%x, v, 1);" % (n, (1 << n) - 1)
                for n in range(2, 32, 2) for _ in range(7)]
        bad = "if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffffffff, v, 1);"
        self.check_whole(self.kernel(1024, *good, bad), "mask-names-absent-lane")


class Cache(Case):
    """Results of earlier runs are used when nothing has changed, and never otherwise."""

    def cached(self, *arguments, **more):
        time.sleep(0.02)  # a file that is younger than a tick of the clock could change again and look the same: it is not kept
        return self.lint(*arguments, "--output", "json", "--profile", "--cache-dir", "kept", **more)

    def check_from_cache(self, expected, *arguments, **more):
        """The output is that of a run without a cache; whether anything was parsed for it shows in the profile."""
        done = self.cached(*arguments, **more)
        fresh = self.lint(*arguments, "--output", "json", "--no-cache")
        self.assertEqual(done.stdout, fresh.stdout)
        self.assertEqual(done.returncode, fresh.returncode)
        parsed = re.search(r"parse +([0-9.]+) ms", done.stderr.decode())
        self.assertEqual(parsed and parsed[1] == "0.0", expected, done.stderr.decode())
        return json.loads(done.stdout)["findings"]

    def test_a_header_by_itself_and_with_its_includer(self):
        """In a run over its folder a header is read by itself, and with its includer when it is named."""
        self.put("kernel.cuh", "__global__ void sums(real *out) { out[threadIdx.x] = SCALE; }\n")
        self.put("main.cu", "typedef float real;\n#define SCALE 2\n#include \"kernel.cuh\"\n"
                            "void run(real *out) { sums<<<1, 32>>>(out); }\n")
        self.cached(".")
        self.check_from_cache(False, "kernel.cuh")
        self.check_from_cache(True, "kernel.cuh")

    def entries(self, folder="kept"):
        """The results; what is known of files is kept beside them."""
        return [p for p in (self.dir / folder).rglob("*") if p.is_file() and p.read_bytes().partition(b"\n")[2][:1] == b"{"]

    def test_second_run(self):
        self.put("a.cu", WIDTH)
        self.put("b.cu", BARRIER)
        self.put("c.cu", CLEAN)
        self.assertEqual(len(self.check_from_cache(False, ".")), 2)
        self.assertEqual(len(self.entries()), 3)
        self.check_from_cache(True, ".")
        self.check_from_cache(True, ".", "-j", "1")
        self.check_from_cache(True, "b.cu")
        self.check_from_cache(True, ".", "--possible")           # said of findings that are there
        self.check_from_cache(True, ".", "--severity", "divergent-barrier=info")
        for other in (["--ignore", "divergent-barrier"], ["-DX=1"], ["--block", "64"], ["--arch", "sm_90"],
                      ["--semantics", "portable"]):
            self.check_from_cache(False, ".", *other)
        self.put("c.cu", CLEAN + "\n")
        self.assertEqual(len(self.check_from_cache(False, ".")), 2)
        self.put("c.cu", CLEAN)
        self.check_from_cache(True, ".")

    def test_cells_in_profile(self):
        """What the evaluators computed is counted; a kept result costs nothing."""
        self.put("b.cu", BARRIER)
        for is_new in (True, False):
            told = self.cached("b.cu").stderr.decode()
            cells = re.search(r"([\d.]+) million evaluated, ([\d.]+) million reused", told)
            self.assertEqual([float(cells[1]) > 0, float(cells[2]) > 0], [is_new, is_new], told)

    def test_header_behind_a_header(self):
        self.put("sub/inner.cuh", "#define LIMIT 128\n")
        self.put("outer.cuh", '#include "sub/inner.cuh"\n')
        self.put("a.cu", '#include "outer.cuh"\n' + BARRIER.replace("threadIdx.x < 16", "threadIdx.x < LIMIT"))
        self.assertEqual(self.check_from_cache(False, "a.cu"), [])
        self.check_from_cache(True, "a.cu")
        before = (self.dir / "sub/inner.cuh").stat()
        self.put("sub/inner.cuh", "#define LIMIT 016\n")         # as long, and as old
        os.utime(self.dir / "sub/inner.cuh", ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(len(self.check_from_cache(False, "a.cu")), 1)
        self.check_from_cache(True, "a.cu")

    def test_header_that_appears(self):
        text = '#include "late.cuh"\n#ifndef LIMIT\n#define LIMIT 128\n#endif\n'
        self.put("src/a.cu", text + BARRIER.replace("threadIdx.x < 16", "threadIdx.x < LIMIT"))
        self.assertEqual(self.check_from_cache(False, "src/a.cu"), [])
        self.check_from_cache(True, "src/a.cu")
        self.put("src/late.cuh", "#define LIMIT 16\n")
        self.assertEqual(len(self.check_from_cache(False, "src/a.cu")), 1)
        self.check_from_cache(True, "src/a.cu")

    def test_header_that_comes_before_another(self):
        self.put("second/limit.cuh", "#define LIMIT 128\n")
        (self.dir / "first").mkdir()
        self.put("a.cu", "#include <limit.cuh>\n" + BARRIER.replace("threadIdx.x < 16", "threadIdx.x < LIMIT"))
        where = ("a.cu", "-Ifirst", "-Isecond")
        self.assertEqual(self.check_from_cache(False, *where), [])
        self.check_from_cache(True, *where)
        self.put("first/limit.cuh", "#define LIMIT 16\n")
        self.assertEqual(len(self.check_from_cache(False, *where)), 1)

    def test_what_cannot_be_told_is_not_kept(self):
        for name, line in {"macro": "#define H(x) <x.cuh>\n#include H(limit)\n", "next": "#include_next <limit.cuh>\n",
                           "has": "#define HAS(x) __has_include(x)\n#if HAS(<limit.cuh>)\n#endif\n"}.items():
            self.put(f"{name}.cu", line + CLEAN)
            self.cached(f"{name}.cu")
        self.put("-.cu", CLEAN)
        self.cached("-", text=BARRIER)
        self.cached("-.cu", "--dump", "ir")
        self.cached("nowhere.cu")
        self.assertEqual(self.entries(), [])

    def test_damaged_entries(self):
        self.put("a.cu", WIDTH)
        self.put("b.cu", BARRIER)
        self.check_from_cache(False, ".")
        whole = {p: p.read_bytes() for p in self.entries()}
        damages = [lambda t: b"", lambda t: t[:-1], lambda t: t[:40], lambda t: b"garbage\n" + t,
                   lambda t: t.replace(b"bad-shuffle-width", b"bad-shuffle-widht").replace(b"barrier", b"barreir"),
                   lambda t: t[:len(t) // 2] + bytes([t[len(t) // 2] ^ 1]) + t[len(t) // 2 + 1:]]
        for damage in damages:
            for path, text in whole.items():
                path.write_bytes(damage(text))
            self.assertEqual(len(self.check_from_cache(False, ".")), 2)
            self.assertEqual({p: len(p.read_bytes()) > 100 for p in self.entries()}, {p: True for p in whole})
        one, two = whole
        one.write_bytes(two.read_bytes())                        # a good entry under another's name
        self.assertEqual(self.cached(".").stdout, self.lint(".", "--output", "json", "--no-cache").stdout)
        self.check_from_cache(True, ".")

    def test_folders_that_are_none(self):
        self.put("a.cu", WIDTH)
        self.put("file", "no folder\n")
        for folder in ("file", "file/below", "/proc/nowhere"):
            report = json.loads(self.lint("a.cu", "--output", "json", "--cache-dir", folder).stdout)
            self.assertEqual(len(report["findings"]), 1)
        self.lint("a.cu", XDG_CACHE_HOME=str(self.dir / "xdg"))
        self.assertEqual(len(self.entries("xdg/cuwarp-lint")), 1)
        self.lint("a.cu", "--no-cache", XDG_CACHE_HOME=str(self.dir / "xdg2"))
        self.assertFalse((self.dir / "xdg2").exists())

    LARGE = "#pragma once\n#include \"limit.cuh\"\n" + "".join(f"struct s{i} {{ int a[{i + 1}]; }};\n" for i in range(900))

    def put_beginning(self, limit=16):
        self.put("limit.cuh", f"#pragma once\n#define LIMIT {limit}\n")
        self.put("large.cuh", self.LARGE)
        self.put_unit(0)

    def put_unit(self, i, name="a.cu"):
        self.put(name, '#include "large.cuh"\n' + BARRIER.replace("threadIdx.x < 16", "threadIdx.x < LIMIT") + f"// {i}\n")
        time.sleep(0.03)

    def beginnings(self, *arguments, **more):
        """What a run says of precompiled text, but for a run with the text as it is, which must say the same otherwise."""
        done = self.cached("-v", *arguments, **more)
        fresh = self.lint(*arguments, "--output", "json", "--no-cache")
        self.assertEqual((done.stdout, done.returncode), (fresh.stdout, fresh.returncode))
        said = re.findall(r"precompiled (\w+)[^\n]* (?:is )?kept (by|for)", done.stderr.decode())
        return {which: when for which, when in said}, len(json.loads(done.stdout)["findings"])

    def large_files(self):
        return sorted((self.dir / "kept/files").iterdir())

    def test_precompiled_text_is_kept(self):
        self.put_beginning()
        self.assertEqual(self.beginnings("a.cu"), ({"prelude": "for", "beginning": "for"}, 1))
        self.assertEqual(len(self.large_files()), 2)
        used = {"prelude": "by", "beginning": "by"}
        self.put_unit(1)
        self.assertEqual(self.beginnings("a.cu"), (used, 1))
        self.put_unit(2)
        self.assertEqual(self.beginnings("a.cu", "-j", "1"), (used, 1))
        self.put_unit(2, "b.cu")                                  # another file that begins alike
        self.assertEqual(self.beginnings("b.cu"), (used, 1))
        self.put("limit.cuh", "#pragma once\n#define LIMIT 128\n")         # of a header that the beginning includes
        self.put_unit(3)
        self.assertEqual(self.beginnings("a.cu"), ({"prelude": "by", "beginning": "for"}, 0))
        self.put_unit(4)
        self.assertEqual(self.beginnings("a.cu"), (used, 0))
        os.utime(self.dir / "large.cuh", (1e9, 1e9))              # the same text, but not to libclang
        self.put_unit(5)
        self.assertEqual(self.beginnings("a.cu"), ({"prelude": "by", "beginning": "for"}, 0))
        self.assertEqual(self.beginnings("a.cu", "-DX"), ({"prelude": "by", "beginning": "for"}, 0))
        self.put_unit(6)
        self.assertEqual(self.beginnings("a.cu", "-I."), ({"prelude": "by", "beginning": "for"}, 0))

    def test_precompiled_text_for_one_process(self):
        self.put_beginning()
        self.assertEqual(self.beginnings("a.cu", "-j", "1"), ({"prelude": "for", "beginning": "for"}, 1))
        self.put_unit(1)
        self.assertEqual(self.beginnings("a.cu", "-j", "1"), ({"prelude": "by", "beginning": "by"}, 1))
        self.put("large.cuh", self.LARGE + "__global__ void k() {}\n")
        self.put_unit(2)
        self.assertEqual(self.beginnings("a.cu"), ({"prelude": "by"}, 1))       # each unit has such kernels for itself

    def test_damaged_precompiled_text(self):
        self.put_beginning()
        self.beginnings("a.cu")
        damages = [lambda t: b"", lambda t: t[:-1], lambda t: t[:5000], lambda t: b"garbage" * 1000,
                   lambda t: t[:len(t) // 2] + bytes([t[len(t) // 2] ^ 1]) + t[len(t) // 2 + 1:]]
        for i, damage in enumerate(damages):
            for path in self.large_files():
                path.write_bytes(damage(path.read_bytes()))
            self.put_unit(2 * i + 1)
            self.assertEqual(self.beginnings("a.cu"), ({"prelude": "for", "beginning": "for"}, 1))
            self.put_unit(2 * i + 2)
            self.assertEqual(self.beginnings("a.cu"), ({"prelude": "by", "beginning": "by"}, 1))

    def test_precompiled_text_of_several_at_once(self):
        self.put_beginning()
        for i in range(6):
            self.put_unit(i, f"f{i}.cu")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            outputs = list(pool.map(lambda i: self.beginnings(f"f{i % 6}.cu"), range(12)))
        self.assertEqual({n for _, n in outputs}, {1})
        self.put_unit(9)
        self.assertEqual(self.beginnings("a.cu"), ({"prelude": "by", "beginning": "by"}, 1))
        self.assertEqual([p for p in self.large_files() if len(p.name) != 32], [])

    def test_nowhere_to_keep_precompiled_text(self):
        self.put_beginning()
        self.put("file", "no folder\n")
        for i, folder in enumerate(["file", "file/below", "/proc/nowhere"]):
            self.put_unit(i)
            done = self.lint("a.cu", "-v", "--output", "json", "--cache-dir", folder)
            self.assertEqual(done.stdout, self.lint("a.cu", "--output", "json", "--no-cache").stdout)
            self.assertNotIn(b"precompiled", done.stderr)
        self.assertNotIn(b"precompiled", self.lint("a.cu", "-v", "--no-cache").stderr)

    def test_crash_over_precompiled_text(self):
        if not OPTIONS.hooks:
            self.skipTest("built without test hooks")
        self.put_beginning()
        self.beginnings("a.cu")
        for i, hook in enumerate(["prelude", "crash"]):
            self.put_unit(i + 1)
            report = json.loads(self.cached("a.cu", CUWARP_TEST_WORKER=f"{hook}:a.cu").stdout)
            self.assertEqual(len(report["findings"]), 1 - i)
            self.assertEqual(len(report["coverage"]["failed"]), i)

    def test_several_at_once(self):
        for i in range(8):
            self.put(f"many/f{i}.cu", (WIDTH if i % 2 else BARRIER).replace("out", f"out{i}"))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            outputs = list(pool.map(lambda i: self.cached("many", "-j", str(i % 3 + 1)).stdout, range(8)))
        self.assertEqual(len(set(outputs)), 1)
        self.assertEqual(len(self.check_from_cache(True, "many")), 8)
        self.assertEqual(len(self.entries()), 8)


class Doctor(Case):
    def test_verdict(self):
        text = self.check_status(0, "doctor").stdout.decode()
        for words in ("libclang", "tree-sitter", "self-test", "workers", "All is well."):
            self.assertIn(words, text)
        self.assertFalse(re.search(r"^BROKEN", text, re.M))
        broken = self.check_status(2, "doctor", "--cuda-path", "/no/such/toolkit").stdout.decode()
        self.assertRegex(broken, r"(?m)^BROKEN")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--hooks", action="store_true")
    parser.add_argument("tests", nargs="*")
    parser.parse_args(namespace=OPTIONS)
    OPTIONS.bin = str(pathlib.Path(OPTIONS.bin).resolve())
    unittest.main(argv=[sys.argv[0], *OPTIONS.tests])


if __name__ == "__main__":
    main()
