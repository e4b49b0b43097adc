#!/usr/bin/env python3
"""What `cuwarp-lint perturb` promises.

    run.py --bin PATH [--all-fixtures] [--whole FOLDER...] [TESTS...]

A copy is the original but for what the manifest says was put in; it means the same to the linter and compiles; the table
does not depend on anything but the sources; nothing but the folder for the copy is written to. UPDATE_SNAPSHOTS=1 rewrites
cases/*.skewed. One fixture folder in five is tried unless --all-fixtures asks for all. --whole tries it with --all on repositories: each file must parse as well as before.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = pathlib.Path(__file__).resolve().parent / "cases"
OPTIONS = argparse.Namespace(bin=None)
PARSER = re.compile(rb"^cuwarp-lint: (.*?):(\d+):\d+: parser: (.*)$", re.M)
RACE = """__global__ void race(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = s[31 - threadIdx.x];
}
void run(int *out) { race<<<1, 32>>>(out); }
"""


def tool(*arguments, cwd=None):
    env = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1")
    return subprocess.run([OPTIONS.bin, *map(str, arguments), *([] if "--" in arguments else ["--no-cache"])], cwd=cwd,
                          env=env, capture_output=True, timeout=1800)


def manifest(copy):
    return json.loads((copy / "cuwarp_skew.json").read_bytes())


def taken_back(copy, info):
    """The originals of the changed files, made from the copy and what the manifest says was put in."""
    inserted = collections.defaultdict(list)
    for skew in info["skews"]:
        for piece in skew["inserted"]:
            inserted[skew["file"]].append((piece["offset"], not piece["text"].startswith(" "), piece["text"].encode()))
    for changed in info["changed"]:
        text = (copy / changed["file"]).read_bytes()
        bom = b"\xef\xbb\xbf" if text.startswith(b"\xef\xbb\xbf") else b""
        prologue = changed["prologue"].encode()
        assert text[len(bom):].startswith(prologue), changed["file"]
        text, out, at, done = text[len(bom) + len(prologue):], b"", 0, 0
        for offset, _, piece in sorted(inserted[changed["file"]]):
            out += text[at:at + offset - done]
            at, done = at + offset - done, offset
            assert text[at:at + len(piece)] == piece, (changed["file"], offset, piece, text[at:at + 40])
            at += len(piece)
        yield changed["file"], bom + out + text[at:]


def parse_errors(folder, *arguments):
    """What the parser says of each file of a run, places and unknown names of includes aside."""
    said = tool("check", ".", "-v", "--exit-zero", *arguments, cwd=folder).stderr
    return collections.Counter((m[1].decode(errors="replace"), m[3]) for m in PARSER.finditer(said))


def findings(folder, lines_more, *arguments):
    """File, line and rule of each finding; `lines_more`: lines that stand before a file's own."""
    done = tool("check", ".", "--output", "json", "--possible", "--exit-zero", *arguments, cwd=folder)
    report = json.loads(done.stdout)
    return collections.Counter((f["file"], f["line"] - lines_more.get(f["file"], 0), f["rule"], f["confidence"])
                               for f in report["findings"]), report["coverage"]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def perturb(self, *arguments, status=0):
        done = tool("perturb", *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
        return done

    def refused(self, words, *arguments):
        self.assertIn(words, self.perturb(*arguments, status=2).stderr.decode())


class Spots(Case):
    def test_cases(self):
        for case in sorted(CASES.glob("*.cu")):
            with self.subTest(case=case.name):
                copy = self.dir / case.stem
                self.perturb(case, "--all", "--out", copy, "--no-cache", "--", "-std=c++17")
                made, golden = (copy / case.name).read_bytes(), case.with_suffix(".skewed")
                if os.environ.get("UPDATE_SNAPSHOTS"):
                    golden.write_bytes(made)
                self.assertEqual(made.decode(), golden.read_text())
                self.assertEqual(dict(taken_back(copy, manifest(copy))), {case.name: case.read_bytes()})

    def test_cases_mean_the_same(self):
        shutil.copytree(CASES, self.dir / "cases")
        self.perturb("cases", "--all", "--out", "copy", "--no-cache", "--", "-std=c++17")
        more = {c["file"]: c["prologue"].count("\n") for c in manifest(self.dir / "copy")["changed"]}
        before, after = findings(self.dir / "cases", {}, "-std=c++17"), findings(self.dir / "copy", more, "-std=c++17")
        self.assertEqual(before[0], after[0])
        self.assertEqual(before[1]["analysed"], after[1]["analysed"])
        self.assertEqual(parse_errors(self.dir / "cases", "-std=c++17"), parse_errors(self.dir / "copy", "-std=c++17"))


class Fixtures(Case):
    """Fixtures, with every collective and access to shared memory skewed."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.copy = pathlib.Path(cls.holder.name) / "copy"
        cls.root = ROOT / "fixtures"
        if not OPTIONS.all_fixtures:
            cls.root = pathlib.Path(cls.holder.name) / "fixtures"
            for folder in sorted(p for p in (ROOT / "fixtures").iterdir() if p.is_dir())[::5]:
                shutil.copytree(folder, cls.root / folder.name)
        cls.done = tool("perturb", cls.root, "--all", "--preview", "--out", cls.copy)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_it_ran(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr.decode())
        info = manifest(self.copy)
        self.assertGreater(len(info["skews"]), 2000 if OPTIONS.all_fixtures else 300)
        self.assertLess(len(info["not_skewed"]), len(info["skews"]) / 100, info["not_skewed"])
        self.assertEqual([s["id"] for s in info["skews"]], list(range(1, len(info["skews"]) + 1)))

    def test_nothing_else_changed(self):
        originals = dict(taken_back(self.copy, manifest(self.copy)))
        for path in sorted(p for p in self.root.rglob("*") if p.is_file()):
            name = path.relative_to(self.root).as_posix()
            self.assertEqual(originals.get(name, (self.copy / name).read_bytes()), path.read_bytes(), name)

    def test_same_to_the_linter(self):
        more = {c["file"]: c["prologue"].count("\n") for c in manifest(self.copy)["changed"]}
        before, coverage = findings(self.root, {})
        after, coverage_after = findings(self.copy, more)
        self.assertGreater(len(before), 300 if OPTIONS.all_fixtures else 30)
        # A rule on the form of a loop's head does not know it with a comma in it; one on comments looks at the statements
        # beside them, and a call is one.
        textual = ("loop-step-without-effect", "commented-out-barrier")
        differ = {f: n for f, n in ((before - after) + (after - before)).items() if f[2] not in textual}
        self.assertEqual(differ, {})
        self.assertEqual(coverage["kernels"], coverage_after["kernels"])
        self.assertEqual(coverage["analysed"], coverage_after["analysed"])

    def test_sample_compiles(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not os.access(nvcc, os.X_OK):
            self.skipTest("no nvcc")
        def is_whole(name):
            """Does nvcc find all that the fixture needs? Some lack a header, or want a switch, on purpose."""
            text = (self.copy / name).read_text()
            return "cuwarp-args" not in text and "cuwarp-degraded" not in text

        names = sorted(c["file"] for c in manifest(self.copy)["changed"]
                       if not c["file"].startswith(("_", "legacy")) and is_whole(c["file"]))
        sample = names[::len(names) // 4]
        ways = [["-c"], ["-c", "-DCUWARP_NO_SKEW"], ["-ptx", "-DCUWARP_SKEW_SEED=7"],
                ["-c", "-rdc=true", "-DCUWARP_SKEW_NO_ENVIRONMENT"]]
        for name, way in zip(sample, ways):
            done = subprocess.run([nvcc, "-arch=sm_80", "-std=c++17", *way, "-o", self.dir / "out", self.copy / name],
                                  capture_output=True, cwd=self.dir)
            self.assertEqual(done.returncode, 0, name + "\n" + done.stderr.decode())


class Copies(Case):
    def test_table_and_manifest(self):
        self.put("src/a/race.cu", RACE)
        self.put("src/b.cu", RACE)
        done = self.perturb("src", "--out", "copy")
        self.assertEqual(done.stdout.decode().split("\n")[0].split(), ["1", "a/race.cu:3:5", "implicit-warp-sync"])
        info = manifest(self.dir / "copy")
        self.assertEqual([(s["id"], s["file"], s["line"]) for s in info["skews"]],
                         [(1, "a/race.cu", 3), (2, "a/race.cu", 4), (3, "b.cu", 3), (4, "b.cu", 4)])
        text = (self.dir / "copy/a/race.cu").read_text().split("\n")
        self.assertEqual(text[0], '#include "../cuwarp_skew.h"')
        self.assertEqual(text[1], "#line 1")
        self.assertEqual(text[5], "    CUWARP_SKEW(2); out[threadIdx.x] = s[31 - threadIdx.x];")
        self.assertEqual((self.dir / "src/b.cu").read_text(), RACE)

    def test_deterministic(self):
        self.put("src/a.cu", RACE)
        self.put("src/b.cu", RACE * 1)
        runs = []
        for name, jobs in (("one", 1), ("two", 4)):
            out = self.perturb("src", "--all", "--out", name, "-j", jobs).stdout
            runs.append((out, {p.name: p.read_bytes() for p in (self.dir / name).iterdir()}))
        self.assertEqual(*runs)

    def test_repository(self):
        """Links, modes, ignored files, headers, and other files come along; .git does not."""
        self.put("src/kernels/k.cuh", "template <int N> __device__ void step(int *s) {\n    s[threadIdx.x] += s[threadIdx.x ^ N];\n}\n")
        self.put("src/main.cu", '#include "kernels/k.cuh"\n__global__ void k(int *o) { __shared__ int s[32]; '
                 "s[threadIdx.x] = 1; __syncwarp(); step<1>(s); o[threadIdx.x] = s[threadIdx.x]; }\n"
                 "void run(int *o) { k<<<1, 32>>>(o); }\n")
        self.put("src/build.sh", "#!/bin/sh\n")
        self.put("src/data.bin", bytes(range(256)))
        self.put("src/.gitignore", "out/\n*.o\n")
        self.put("src/x.o", "object")
        self.put("outside.txt", "outside")
        os.chmod(self.dir / "src/build.sh", 0o755)
        os.symlink("kernels/k.cuh", self.dir / "src/link.cuh")
        os.symlink("../outside.txt", self.dir / "src/away")
        subprocess.run(["git", "init", "-q", "src"], cwd=self.dir, check=True)
        self.perturb("src", "--out", "src/out/skewed")
        copy = self.dir / "src/out/skewed"
        names = sorted(p.relative_to(copy).as_posix() for p in copy.rglob("*") if not p.is_dir() or p.is_symlink())
        self.assertEqual(names, [".gitignore", "away", "build.sh", "cuwarp_skew.h", "cuwarp_skew.json", "data.bin",
                                 "kernels/k.cuh", "link.cuh", "main.cu"])
        self.assertTrue(os.access(copy / "build.sh", os.X_OK))
        self.assertEqual(os.readlink(copy / "link.cuh"), "kernels/k.cuh")
        self.assertEqual((copy / "away").read_text(), "outside")
        self.assertIn("    CUWARP_SKEW(1); s[threadIdx.x] += s[threadIdx.x ^ N];", (copy / "kernels/k.cuh").read_text())
        # The header is included first by the unit, so that it is never included inside of something.
        self.assertTrue((copy / "main.cu").read_text().startswith('#include "cuwarp_skew.h"\n#line 1\n'))

    def test_named_file_brings_its_headers(self):
        self.put("src/k.cuh", "__device__ int get(int *s) { return s[threadIdx.x ^ 1]; }\n")
        self.put("src/unused.cuh", "")
        self.put("src/a.cu", '#include "k.cuh"\n' + RACE)
        self.perturb("src/a.cu", "--out", "copy")
        self.assertEqual(sorted(p.name for p in (self.dir / "copy").iterdir()),
                         ["a.cu", "cuwarp_skew.h", "cuwarp_skew.json", "k.cuh"])

    def test_odd_texts(self):
        crlf = b"\xef\xbb\xbf" + RACE.replace("\n", "\r\n").encode()
        self.put("src/crlf.cu", crlf)
        self.put("src/latin.cu", b"// caf\xe9\n" + RACE.encode())
        self.put("src/noend.cu", RACE.rstrip("\n"))
        self.perturb("src", "--out", "copy")
        info = manifest(self.dir / "copy")
        self.assertEqual(dict(taken_back(self.dir / "copy", info)),
                         {n: (self.dir / "src" / n).read_bytes() for n in ("crlf.cu", "latin.cu", "noend.cu")})

    def test_again(self):
        """A second run leaves alone what is right, and takes back what is gone."""
        self.put("src/a.cu", RACE)
        self.put("src/b.cu", RACE)
        self.put("src/c.txt", "c")
        self.perturb("src", "--out", "copy")
        times = {n: (self.dir / "copy" / n).stat().st_mtime_ns for n in ("a.cu", "c.txt", "cuwarp_skew.h")}
        (self.dir / "src/b.cu").unlink()
        self.put("copy/mine.log", "kept")
        self.perturb("src", "--out", "copy")
        self.assertEqual(times, {n: (self.dir / "copy" / n).stat().st_mtime_ns for n in times})
        self.assertFalse((self.dir / "copy/b.cu").exists())
        self.assertTrue((self.dir / "copy/mine.log").exists())

    def test_a_manifest_removes_nothing_elsewhere(self):
        self.put("src/a.cu", RACE)
        self.put("precious", "x")
        self.put("copy/cuwarp_skew.json", json.dumps({"files": ["../precious", str(self.dir / "precious"), "a/../../precious"]}))
        self.perturb("src", "--out", "copy")
        self.assertTrue((self.dir / "precious").exists())

    def test_refusals(self):
        self.put("src/a.cu", RACE)
        self.put("other/file", "x")
        self.refused("needs --out", "src")
        self.refused("is not empty", "src", "--out", "other")
        self.refused("is not empty", "src", "--out", "src")
        self.refused("is not empty", "src", "--out", ".")
        self.refused("is not a folder", "src", "--out", "other/file")
        self.refused("No such file", "nowhere", "--out", "copy")
        self.put("cuwarp_skew.json", "{}")
        self.refused("the sources lie in", "src", "--out", ".")
        self.assertEqual((self.dir / "src/a.cu").read_text(), RACE)

    def test_nothing_found(self):
        self.put("src/a.cu", "__global__ void k(int *o) { o[threadIdx.x] = 1; }\n")
        done = self.perturb("src", "--out", "copy")
        self.assertIn("nothing was found to skew", done.stderr.decode())
        self.assertEqual((self.dir / "copy/a.cu").read_bytes(), (self.dir / "src/a.cu").read_bytes())

    def test_unreadable_input_is_told(self):
        self.put("src/a.cu", RACE)
        self.put("src/b.cu", b"\0__global__")
        self.perturb("src", "--out", "copy", status=3)
        self.assertEqual((self.dir / "copy/b.cu").read_bytes(), b"\0__global__")


def whole(folders):
    """Repositories: parse errors of the copy against those of the original, and the share of places that have a call."""
    bad = 0
    for folder in folders:
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / "copy"
            done = tool("perturb", folder, "--all", "--out", copy)
            if done.returncode not in (0, 3):
                sys.exit("%s: %s" % (folder, done.stderr.decode()))
            info = manifest(copy)
            before, after = parse_errors(folder), parse_errors(copy)
            lines = [(n, name, text) for (name, text), n in (after - before).items()]
            broken = sum(1 for name, text in taken_back(copy, info) if (pathlib.Path(folder) / name).read_bytes() != text)
            bad += len(lines) + broken
            print("%s: %d skews, %d places without, %d files changed, %d parser messages before, %d new, %d files differ"
                  % (folder, len(info["skews"]), len(info["not_skewed"]), len(info["changed"]), sum(before.values()),
                     len(lines), broken))
            for n, name, text in lines[:20]:
                print("  %d× %s: %s" % (n, name, text.decode(errors="replace")))
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--whole", nargs="+")
    parser.add_argument("--all-fixtures", action="store_true")
    known, rest = parser.parse_known_args()
    OPTIONS.all_fixtures = known.all_fixtures
    OPTIONS.bin = str(pathlib.Path(known.bin).resolve())
    if known.whole:
        sys.exit(whole(known.whole))
    unittest.main(argv=[sys.argv[0], *rest])
