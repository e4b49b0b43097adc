#!/usr/bin/env python3
"""Gates for new code, on real repositories made here: baselines, --since, --staged.

    run.py --bin PATH [--hooks] [TESTS...]     --hooks: the binary was built with CUWARP_TEST_HOOKS

What a test asks it asks with results kept from the questions before, and once more without: the answers must be the same.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

OPTIONS = argparse.Namespace(bin=None, hooks=False)

HEAD = "__global__ void %s(int *out) {\n    __shared__ int s[32];\n    s[threadIdx.x] = out[threadIdx.x];\n"
TAIL = "    out[threadIdx.x] = s[31 - threadIdx.x];\n}\nvoid run_%s(int *out) { %s<<<1, 32>>>(out); }\n"


def kernel(name="race", between="    __syncwarp();\n"):
    return HEAD % name + between + TAIL % (name, name)


SAFE, RACY = kernel(), kernel(between="")


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.top = pathlib.Path(holder.name).resolve()
        self.dir = self.top / "repository"
        self.dir.mkdir()
        self.scratch = self.top / "tmp"
        self.scratch.mkdir()
        self.cache = self.top / "cache"

    def tearDown(self):
        self.assertEqual(list(self.scratch.iterdir()), [], "temporary files were left behind")

    def git(self, *arguments, cwd=None):
        env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
        done = subprocess.run(["git", "-c", "protocol.file.allow=always", *arguments], cwd=cwd or self.dir, env=env,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, **files):
        for name, text in files.items():
            self.put(name.replace("__", "/").replace("_cu", ".cu"), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "step")
        return self.git("rev-parse", "HEAD")

    def start(self, **files):
        self.git("init", "-q", "-b", "main")
        return self.commit(**files)

    def lint(self, *arguments, status=None, cwd=None, cache=True, **variables):
        env = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", TMPDIR=str(self.scratch), **variables)
        kept = ["--cache-dir", str(self.cache)] if cache else ["--no-cache"]
        done = subprocess.run([OPTIONS.bin, *map(str, arguments), *kept], cwd=cwd or self.dir, env=env,
                              capture_output=True, text=True, timeout=300)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def found(self, *arguments, **more):
        """(file, line, rule) of the findings shown."""
        done = self.lint(*arguments, "--output", "json", **more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(self.lint(*arguments, "--output", "json", cache=False, **more).stdout, done.stdout)
        return [(f["file"], f["line"], f["rule"]) for f in json.loads(done.stdout)["findings"]]

    def refused(self, words, *arguments, **more):
        self.assertIn(words, self.lint(*arguments, status=2, **more).stderr)


class Kept(Case):
    """Results of both versions are kept: by what the files hold, and not by where they were looked at."""

    def again(self, *arguments, **more):
        """The same question once more; no file may be analysed for it. Of files younger than a tick nothing is kept."""
        time.sleep(0.02)
        known = self.found(*arguments, **more)
        crash = {"CUWARP_TEST_WORKER": "crash:."} if OPTIONS.hooks else {}
        done = self.lint(*arguments, "--output", "json", **more, **crash)
        self.assertEqual([(f["file"], f["line"], f["rule"]) for f in json.loads(done.stdout)["findings"]], known)
        self.assertEqual(json.loads(done.stdout)["coverage"]["failed"], [])
        return known

    def test_both_versions(self):
        self.start(src__a_cu='#include "h.cuh"\n' + SAFE)
        self.put("src/h.cuh", "")
        self.commit()
        self.put("src/a.cu", '#include "h.cuh"\n' + RACY)
        self.assertEqual(self.again("--since", "HEAD"), [("src/a.cu", 5, "implicit-warp-sync")])
        self.git("add", "-A")
        self.assertEqual(self.again("--staged"), [("src/a.cu", 5, "implicit-warp-sync")])
        self.put("src/a.cu", "// not staged\n")                     # the index is looked at in a folder of its own
        self.assertEqual(self.again("--staged"), [("src/a.cu", 5, "implicit-warp-sync")])
        self.assertEqual(self.again("--staged", cwd=self.dir / "src"), [("a.cu", 5, "implicit-warp-sync")])

    def test_what_went_is_told_again(self):
        """The lists of barriers are kept, too."""
        text = ("__device__ void f(int *out, int *s, int i) {\n    s[i] = out[i];\n    __syncwarp();\n    out[i] = s[31 - i];\n}\n")
        self.start(a_cu="__shared__ int s[32];\n" + text)
        self.put("a.cu", "__shared__ int s[32];\n" + text.replace("    __syncwarp();\n", ""))
        shown = self.again("--since", "HEAD", "--possible")
        self.assertEqual(self.again("--since", "HEAD", "--possible"), shown)

    def test_the_base_is_its_content(self):
        """The same file and the same name of the base, and another header in it."""
        use = '#include "h.cuh"\n' + RACY.replace("    out[threadIdx.x] = s", "    ORDER;\n    out[threadIdx.x] = s")
        order = {True: "#define ORDER __syncwarp()\n", False: "#define ORDER\n"}
        self.start(a_cu=use)
        self.put("h.cuh", order[True])
        self.commit()
        self.put("h.cuh", order[False])
        self.assertEqual(self.again("--since", "HEAD"), [("a.cu", 6, "implicit-warp-sync")])
        self.put("h.cuh", order[False])
        self.commit()
        self.put("a.cu", "// a line\n" + use)
        self.assertEqual(self.again("--since", "HEAD"), [])          # the base was as bad
        self.put("h.cuh", order[True] + "// new\n")
        self.commit()
        self.put("h.cuh", order[False])
        self.assertEqual(self.again("--since", "HEAD"), [("a.cu", 7, "implicit-warp-sync")])

    def test_another_folder_with_the_same_files(self):
        """A clone elsewhere has the same findings under its own names, whatever is kept of the first."""
        clone = self.top / "clone"
        self.start(a_cu="#include <h.cuh>\n__global__ void k(int *out) { body(out); }\nvoid run(int *o) { k<<<1, 32>>>(o); }\n")
        self.put("sub/h.cuh", SAFE.replace("__global__", "__device__").replace("race(", "body(").split("void run")[0])
        self.put("sub/h.cuh", (self.dir / "sub/h.cuh").read_text().replace("    __syncwarp();\n", ""))
        self.commit()
        self.git("clone", "-q", str(self.dir), str(clone))
        place = (4, "implicit-warp-sync")
        for include in ([], ["-Isub"], [f"-I{self.dir}/sub"], [f"-I{clone}/sub"]):
            for where in (self.dir, clone):
                shown = str(self.dir / "sub/h.cuh") if where == clone and include == [f"-I{self.dir}/sub"] else (
                    str(clone / "sub/h.cuh") if where == self.dir and include == [f"-I{clone}/sub"] else "sub/h.cuh")
                self.assertEqual(self.found("a.cu", "--third-party", *include, cwd=where), [(shown, *place)], (include, where))
        self.assertEqual(self.found("clone/a.cu", cwd=self.top), [("clone/sub/h.cuh", *place)])
        self.assertEqual(self.found(clone / "a.cu", cwd=self.dir), [(str(clone / "sub/h.cuh"), *place)])


class Baseline(Case):
    def test_life(self):
        self.start(a_cu=RACY, b_cu=kernel("other", ""))
        self.refused("needs --baseline FILE", "--write-baseline")
        self.refused("No such file", "--baseline", "known.jsonl")
        self.assertIn("2 findings written", self.lint("--baseline", "known.jsonl", "--write-baseline", status=0).stderr)
        done = self.lint("--baseline", "known.jsonl", status=0)
        self.assertIn("2 findings known to known.jsonl are not shown", done.stderr)
        # Other lines, other statements, other variables: no matter.
        self.put("a.cu", "// a line more\nstatic int unrelated;\n" + RACY.replace("out[threadIdx.x];\n", "out[threadIdx.x]; // why\n"))
        self.lint("--baseline", "known.jsonl", status=0)
        # A new one shows, and only it.
        self.put("a.cu", RACY + kernel("fresh", ""))
        self.assertEqual(self.found("--baseline", "known.jsonl"), [("a.cu", 10, "implicit-warp-sync")])
        # One that is gone is told, and goes when asked.
        self.put("a.cu", SAFE)
        done = self.lint("--baseline", "known.jsonl", status=0)
        self.assertIn("1 finding in known.jsonl is not found any more", done.stderr)
        self.assertEqual(len((self.dir / "known.jsonl").read_text().split("\n")), 3)
        self.lint("--baseline", "known.jsonl", "--prune-baseline", status=0)
        self.assertEqual([json.loads(line)["file"] for line in (self.dir / "known.jsonl").read_text().splitlines()], ["b.cu"])
        self.put("a.cu", RACY)
        self.lint("--baseline", "known.jsonl", status=1)

    def test_two_equal_statements(self):
        one = HEAD % "k" + "    if (out[0])\n        out[threadIdx.x] = s[31 - threadIdx.x];\n}\nvoid r(int *o) { k<<<1, 32>>>(o); }\n"
        two = one.replace("    if (out[0])", "    if (out[1])\n        out[threadIdx.x] = s[31 - threadIdx.x];\n    if (out[0])")
        self.start(a_cu=one)
        self.lint("--baseline", "known", "--write-baseline")
        known = len((self.dir / "known").read_text().splitlines())
        self.put("a.cu", two)
        shown = self.found("--baseline", "known")
        everything = self.found()
        self.assertEqual(len(everything) - known, len(shown))

    def test_sorted_and_stable(self):
        self.start(b_cu=RACY, a_cu=RACY + kernel("z", "") + kernel("y", ""))
        self.lint("--baseline", "one", "--write-baseline", "-j", 1)
        self.lint("--baseline", "two", "--write-baseline", "-j", 4)
        text = (self.dir / "one").read_text()
        self.assertEqual(text, (self.dir / "two").read_text())
        entries = [json.loads(line) for line in text.splitlines()]
        self.assertEqual([(e["file"], e["function"]) for e in entries],
                         [("a.cu", "race"), ("a.cu", "y"), ("a.cu", "z"), ("b.cu", "race")])
        self.assertNotIn("line", entries[0])
        # From another folder, by another name: the same.
        self.put("sub/c.cu", RACY)
        self.lint("..", "--baseline", "../three", "--write-baseline", cwd=self.dir / "sub")
        self.assertEqual(len((self.dir / "three").read_text().splitlines()), 5)
        self.assertTrue(set(text.splitlines()) < set((self.dir / "three").read_text().splitlines()))

    def test_a_part_of_the_tree(self):
        """What a run does not look at is neither stale nor lost."""
        self.start(a_cu=RACY, b_cu=RACY)
        self.lint("--baseline", "known", "--write-baseline")
        self.put("a.cu", SAFE)
        self.assertNotIn("any more", self.lint("b.cu", "--baseline", "known", status=0).stderr)
        self.assertNotIn("any more", self.lint("--select", "divergent-barrier", "--baseline", "known", status=0).stderr)
        self.lint("b.cu", "--baseline", "known", "--write-baseline", status=0)
        self.assertEqual(len((self.dir / "known").read_text().splitlines()), 2)
        (self.dir / "a.cu").unlink()
        self.assertIn("1 finding in known is not", self.lint("b.cu", "--baseline", "known", status=0).stderr)

    def test_damaged(self):
        self.start(a_cu=RACY)
        for text in ("<<<<<<< ours\n", "[]\n", '{"rule": "x"}\n', "\n\n{", "\0", '{"fingerprint": 5}'):
            self.put("known", text)
            self.refused("is no finding of a baseline", "--baseline", "known")

    def test_suppressed_in_sarif(self):
        self.start(a_cu=RACY)
        self.lint("--baseline", "known", "--write-baseline")
        results = json.loads(self.lint("--baseline", "known", "--output", "sarif", status=0).stdout)["runs"][0]["results"]
        self.assertEqual([r["suppressions"][0]["kind"] for r in results], ["external"])

    def test_configured(self):
        self.start(a_cu=RACY)
        self.lint("--baseline", "known", "--write-baseline")
        self.put(".cuwarp-lint.yaml", "baseline: known\n")
        self.lint(status=0)
        self.lint("--isolated", status=1)

    def test_max_results_counts_what_is_new(self):
        self.start(a_cu=RACY)
        self.lint("--baseline", "known", "--write-baseline")
        self.put("b.cu", kernel("x", ""))
        self.assertEqual(self.found("--baseline", "known", "--max-results", 1), [("b.cu", 4, "implicit-warp-sync")])


class Since(Case):
    def test_a_barrier_is_deleted(self):
        """The line that breaks is one that nobody touched."""
        first = self.start(a_cu=SAFE, old_cu=kernel("old", ""))
        self.assertEqual(self.found("--since", first), [])
        self.put("a.cu", RACY)
        self.assertEqual(self.found("--since", first), [("a.cu", 4, "implicit-warp-sync")])
        self.commit(a_cu=RACY)
        self.assertEqual(self.found("--since", first), [("a.cu", 4, "implicit-warp-sync")])
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.assertEqual(self.found("--since", "HEAD~1"), [("a.cu", 4, "implicit-warp-sync")])

    def test_old_findings_stay_hidden(self):
        first = self.start(a_cu=RACY)
        self.put("a.cu", "// moved down\n\n" + RACY + kernel("fresh", ""))
        done = self.lint("--since", first, status=1)
        self.assertIn("1 finding of", done.stderr)
        self.assertEqual(self.found("--since", first), [("a.cu", 12, "implicit-warp-sync")])

    def test_header(self):
        """A unit that nobody touched includes what was changed; a file that includes neither is not looked at."""
        use = '#include "step.cuh"\n' + HEAD % "k" + "    step(s);\n" + TAIL % ("k", "k")
        self.start(a_cu=use, b_cu=RACY)
        self.put("step.cuh", "__device__ void step(int *s) { __syncwarp(); }\n")
        second = self.commit()
        self.assertEqual(self.found("--since", second), [])
        self.put("step.cuh", "__device__ void step(int *s) { }\n")
        self.assertEqual(self.found("--since", second), [("a.cu", 6, "implicit-warp-sync")])

    def test_renamed(self):
        first = self.start(a_cu=RACY + "// " + "x" * 400 + "\n")
        (self.dir / "deep/er").mkdir(parents=True)
        self.git("mv", "a.cu", "deep/er/b.cu")
        self.assertEqual(self.found("--since", first), [])
        self.put("deep/er/b.cu", (self.dir / "deep/er/b.cu").read_text() + kernel("fresh", ""))
        self.commit()
        self.assertEqual(self.found("--since", first), [("deep/er/b.cu", 11, "implicit-warp-sync")])

    def test_branches(self):
        """What main did meanwhile is not this branch's."""
        self.start(a_cu=SAFE, b_cu=SAFE)
        self.git("checkout", "-q", "-b", "topic")
        self.commit(a_cu=RACY)
        self.git("checkout", "-q", "main")
        self.commit(b_cu=RACY)
        self.git("checkout", "-q", "topic")
        self.assertEqual(self.found("--since", "main"), [("a.cu", 4, "implicit-warp-sync")])
        self.git("merge", "-q", "main", "-m", "merge")
        self.assertEqual(self.found("--since", "main"), [("a.cu", 4, "implicit-warp-sync")])
        self.git("checkout", "-q", "--detach")
        self.assertEqual(self.found("--since", "main"), [("a.cu", 4, "implicit-warp-sync")])

    def test_untracked(self):
        first = self.start(a_cu=SAFE)
        self.put("new/b.cu", RACY)
        self.put(".gitignore", "out/\n")
        self.put("out/c.cu", RACY)
        self.assertEqual(self.found("--since", first), [("new/b.cu", 4, "implicit-warp-sync")])

    def test_generated_header(self):
        """Ignored, so in no version: the base is read with it all the same."""
        use = '#include "made.h"\n' + HEAD % "k" + "#if SYNC\n    __syncwarp();\n#endif\n" + TAIL % ("k", "k")
        self.put("made.h", "#define SYNC 0\n")
        self.put(".gitignore", "made.h\n")
        first = self.start(a_cu=use)
        self.assertEqual(len(self.found()), 1)
        self.put("a.cu", use + "// touched\n")
        self.assertEqual(self.found("--since", first), [])

    def test_folders_and_names(self):
        first = self.start(src__a_cu=SAFE, lib__b_cu=SAFE)
        self.put("src/a.cu", RACY)
        self.put("lib/b.cu", RACY)
        self.assertEqual(self.found("--since", first, "src"), [("src/a.cu", 4, "implicit-warp-sync")])
        self.assertEqual(self.found("--since", first, cwd=self.dir / "src"), [("a.cu", 4, "implicit-warp-sync")])
        self.assertEqual([f[1:] for f in self.found("--since", first, self.dir / "lib", cwd=self.dir / "src")],
                         [(4, "implicit-warp-sync")])
        self.refused("lies outside of the repository", "--since", first, self.top)

    def test_compile_commands(self):
        """Include directories of the build mean the base's folders in the base."""
        use = '#include <step.cuh>\n' + HEAD % "k" + "    step(s);\n" + TAIL % ("k", "k")
        self.put("include/x/step.cuh", "__device__ void step(int *s) { __syncwarp(); }\n")
        self.put("build/compile_commands.json", json.dumps([{
            "directory": str(self.dir), "file": "a.cu",
            "command": "nvcc -I%s/include/x -c a.cu -o a.o" % self.dir}]))
        self.put(".gitignore", "build/\n")
        first = self.start(a_cu=use)
        self.put("include/x/step.cuh", "__device__ void step(int *s) { }\n")
        self.assertEqual(self.found("--since", first, "-p", "build"), [("a.cu", 6, "implicit-warp-sync")])

    def test_shallow(self):
        self.start(a_cu=SAFE)
        self.git("tag", "v1")
        self.commit(a_cu=RACY)
        self.git("clone", "-q", "--depth", "1", "file://" + str(self.dir), str(self.top / "clone"), cwd=self.top)
        clone = self.top / "clone"
        self.refused("fetch-depth: 0", "--since", "v1", cwd=clone)
        self.refused("fetch-depth: 0", "--since", "HEAD~1", cwd=clone)
        self.git("fetch", "-q", "--depth", "1", "origin", "tag", "v1", cwd=clone)
        self.assertEqual(self.found("--since", "v1", cwd=clone), [("a.cu", 4, "implicit-warp-sync")])
        self.git("fetch", "-q", "--unshallow", "--tags", cwd=clone)
        self.assertEqual(self.found("--since", "v1", cwd=clone), [("a.cu", 4, "implicit-warp-sync")])

    def test_worktree_and_submodule(self):
        self.start(a_cu=SAFE)
        self.git("worktree", "add", "-q", str(self.top / "tree"), "-b", "topic")
        (self.top / "tree/a.cu").write_text(RACY)
        self.assertEqual(self.found("--since", "main", cwd=self.top / "tree"), [("a.cu", 4, "implicit-warp-sync")])
        outer = self.top / "outer"
        outer.mkdir()
        self.git("init", "-q", "-b", "main", cwd=outer)
        self.git("submodule", "--quiet", "add", str(self.dir), "inner", cwd=outer)
        (outer / "b.cu").write_text('#include "inner/a.cu"\n')
        self.git("add", "-A", cwd=outer)
        self.git("commit", "-q", "-m", "first", cwd=outer)
        (outer / "b.cu").write_text('#include "inner/a.cu"\n' + kernel("fresh", ""))
        self.assertEqual(self.found("--since", "HEAD", "b.cu", cwd=outer), [("b.cu", 5, "implicit-warp-sync")])
        (outer / "inner/a.cu").write_text(RACY)
        self.assertEqual(self.found("--since", "HEAD", cwd=outer / "inner"), [("a.cu", 4, "implicit-warp-sync")])

    def test_refusals(self):
        plain = self.top / "plain"
        plain.mkdir()
        (plain / "a.cu").write_text(RACY)
        self.refused("lies in no git repository", "--since", "HEAD", cwd=plain)
        self.git("init", "-q", "-b", "main")
        self.put("a.cu", RACY)
        self.refused("is not a commit or branch", "--since", "HEAD")
        self.commit()
        self.refused("is not a commit or branch", "--since", "nowhere")
        self.refused("is not a commit or branch", "--since", "HEAD:a.cu")
        self.refused("standard input", "--since", "HEAD", "-")
        self.refused("go with --baseline", "--since", "HEAD", "--fix")
        self.refused("not with --since", "--since", "HEAD", "--baseline", "x", "--write-baseline")
        self.git("checkout", "-q", "--orphan", "apart")
        self.git("commit", "-q", "-m", "apart")
        self.refused("have no common commit", "--since", "main")

    def test_hostile_trees(self):
        """Names in a tree object are anybody's; nothing is written outside of the folder."""
        blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=RACY, cwd=self.dir, capture_output=True,
                              text=True)
        self.git("init", "-q", "-b", "main")
        blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=RACY, cwd=self.dir, capture_output=True,
                              text=True, check=True).stdout.strip()
        link = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=str(self.top / "victim"), cwd=self.dir,
                              capture_output=True, text=True, check=True).stdout.strip()
        inner = subprocess.run(["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"], cwd=self.dir,
                               input=b"100644 evil.cu\0" + bytes.fromhex(blob), capture_output=True,
                               check=True).stdout.decode().strip()
        raw = (b"40000 ..\0" + bytes.fromhex(inner) + b"100644 a.cu\0" + bytes.fromhex(blob) + b"120000 dir\0" +
               bytes.fromhex(link) + b"40000 dir\0" + bytes.fromhex(inner))
        tree = subprocess.run(["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"], input=raw, cwd=self.dir,
                              capture_output=True, check=True).stdout.decode().strip()
        (self.top / "victim").mkdir()
        commit = self.git("commit-tree", tree, "-m", "hostile")
        self.git("update-ref", "refs/heads/main", commit)
        self.put("a.cu", RACY + kernel("fresh", ""))
        self.lint("--since", commit)
        self.assertEqual(list((self.top / "victim").iterdir()), [])
        self.assertFalse((self.scratch / "evil.cu").exists())


class Interrupted(Case):
    def test_nothing_is_left_behind(self):
        """However it ends: a process that waits for that cleans up."""
        first = self.start(a_cu=SAFE)
        for i in range(60):
            self.put("k%d.cu" % i, kernel("k%d" % i, ""))
        self.git("add", "-A")
        self.put("k0.cu", "// other than staged\n")
        env = dict(os.environ, LC_ALL="C.UTF-8", TMPDIR=str(self.scratch))
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            running = subprocess.Popen([OPTIONS.bin, "--staged", "--since", first, "--no-cache", "-j", "1"], cwd=self.dir,
                                       env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 60
            while not list(self.scratch.iterdir()) and running.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            self.assertIsNone(running.poll())
            running.send_signal(sent)
            running.wait()
            while list(self.scratch.iterdir()) and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertEqual(list(self.scratch.iterdir()), [])


class Changes(Case):
    """The rules that compare two versions; more in fixtures/removed-barrier and its neighbours."""

    def test_the_race_tells_of_the_barrier(self):
        first = self.start(a_cu=SAFE + kernel("race2"))
        self.put("a.cu", RACY + kernel("race2"))
        done = json.loads(self.lint("--since", first, "--output", "json", status=1).stdout)
        self.assertEqual([f["rule"] for f in done["findings"]], ["implicit-warp-sync"])
        self.assertIn("__syncwarp() was removed before this line", done["findings"][0]["notes"][-1]["message"])
        self.assertEqual(self.found("--since", first, "--ignore", "race"), [("a.cu", 4, "removed-barrier")])
        self.put("a.cu", SAFE.replace("    __syncwarp();", "    // __syncwarp();") + kernel("race2"))
        self.assertEqual(self.found("--since", first, "--ignore", "race"), [("a.cu", 4, "commented-out-barrier")])

    def test_a_weaker_one_is_named(self):
        first = self.start(a_cu=SAFE.replace("__syncwarp()", "__syncthreads()"))
        self.put("a.cu", SAFE)
        done = json.loads(self.lint("--since", first, "--ignore", "race", "--output", "json", status=1).stdout)
        self.assertEqual([f["message"] for f in done["findings"]],
                         ["__syncthreads() was removed before this line; __syncwarp(), which replaces it, synchronises fewer threads"])
        self.put("a.cu", RACY)
        done = json.loads(self.lint("--since", first, "--ignore", "race", "--output", "json", status=1).stdout)
        self.assertEqual([f["message"] for f in done["findings"]],
                         ["__syncthreads() was removed before this line and not replaced"])

    def test_a_removal_is_told_until_it_is_the_base(self):
        first = self.start(a_cu=SAFE)
        second = self.commit(a_cu=RACY)
        self.put("a.cu", RACY + "// more\n")
        arguments = ("--ignore", "race")
        self.assertEqual(self.found("--since", first, *arguments), [("a.cu", 4, "removed-barrier")])
        self.assertEqual(self.found("--since", second, *arguments), [])
        self.put("a.cu", RACY.replace("    out[threadIdx.x] = s", "    // cuwarp: ignore[removed-barrier] -- one lane\n    out[threadIdx.x] = s"))
        self.assertEqual(self.found("--since", first, *arguments), [])

    def test_in_a_header_and_renamed(self):
        use = '#include "%s"\n' + HEAD % "k" + "    step(s);\n" + TAIL % ("k", "k")
        step = "// " + "x" * 300 + "\n__device__ void step(int *s) {\n    s[threadIdx.x] += 1;\n    __syncwarp();\n}\n"
        self.put("step.cuh", step)
        first = self.start(a_cu=use % "step.cuh")
        self.git("mv", "step.cuh", "stride.cuh")
        self.put("stride.cuh", step.replace("    __syncwarp();\n", ""))
        self.put("a.cu", use % "stride.cuh")
        self.assertEqual(self.found("--since", first, "--ignore", "race"), [("stride.cuh", 4, "removed-barrier")])


class Staged(Case):
    def test_the_index_of_a_commit(self):
        """`git commit -a` and `git commit FILE` have an index of their own, which the hook must look at."""
        self.start(a_cu=SAFE, b_cu=SAFE)
        hook = self.dir / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexec '%s' --staged --no-cache --output concise >seen 2>&1\n" % OPTIONS.bin)
        hook.chmod(0o755)
        for arguments in (["-a"], ["a.cu"]):
            self.put("a.cu", RACY)
            done = subprocess.run(["git", "commit", "-q", "-m", "racy", *arguments], cwd=self.dir, capture_output=True,
                                  env=dict(os.environ, GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                                           GIT_COMMITTER_EMAIL="a@b"))
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn("a.cu:4:", (self.dir / "seen").read_text())
            self.put("a.cu", SAFE)
        self.put("b.cu", RACY)  # is not part of this commit
        self.put("a.cu", "// more\n" + SAFE)
        self.git("commit", "-q", "-m", "safe", "a.cu")

    def test_the_index_counts(self):
        self.start(a_cu=SAFE)
        self.put("a.cu", RACY)
        self.assertEqual(self.found("--staged"), [])
        self.git("add", "a.cu")
        self.assertEqual(self.found("--staged"), [("a.cu", 4, "implicit-warp-sync")])
        self.put("a.cu", SAFE)
        self.assertEqual(self.found("--staged"), [("a.cu", 4, "implicit-warp-sync")])
        text = self.lint("--staged", status=1).stdout
        self.assertIn("s[31 - threadIdx.x]", text)
        self.assertNotIn("__syncwarp();\n", text)
        self.assertEqual((self.dir / "a.cu").read_text(), SAFE)

    def test_first_commit(self):
        self.git("init", "-q", "-b", "main")
        self.put("a.cu", RACY)
        self.assertEqual(self.found("--staged"), [])
        self.git("add", "a.cu")
        self.put("a.cu", SAFE)
        self.assertEqual(self.found("--staged"), [("a.cu", 4, "implicit-warp-sync")])

    def test_header_in_the_index(self):
        use = '#include "../lib/step.cuh"\n' + HEAD % "k" + "    step(s);\n" + TAIL % ("k", "k")
        self.put("lib/step.cuh", "__device__ void step(int *s) { __syncwarp(); }\n")
        self.start(src__a_cu=use)
        self.put("lib/step.cuh", "__device__ void step(int *s) { s[threadIdx.x] += s[31 - threadIdx.x]; __syncwarp(); }\n")
        self.git("add", "-A")
        self.put("lib/step.cuh", "// something else\n")
        for cwd in (self.dir, self.dir / "src"):
            files = {f[0] for f in self.found("--staged", cwd=cwd)}
            self.assertTrue(files)
            self.assertFalse([f for f in files if "cuwarp-lint-" in f], files)
        # Before that, the same from the working tree of another folder.
        text = self.lint("--staged", cwd=self.dir / "src").stdout
        self.assertIn("s[31 - threadIdx.x]", text)

    def test_since_and_staged(self):
        first = self.start(a_cu=SAFE, b_cu=SAFE)
        self.commit(b_cu=RACY)
        self.put("a.cu", RACY)
        self.git("add", "a.cu")
        self.put("a.cu", "// later\n")
        self.assertEqual(self.found("--staged"), [("a.cu", 4, "implicit-warp-sync")])
        self.assertEqual(self.found("--staged", "--since", first),
                         [("a.cu", 4, "implicit-warp-sync"), ("b.cu", 4, "implicit-warp-sync")])

    def test_deleted_and_unmerged(self):
        self.start(a_cu=SAFE, b_cu=SAFE)
        self.git("rm", "-q", "--cached", "a.cu")
        self.assertEqual(self.found("--staged"), [])
        self.git("checkout", "-q", "-f", "-b", "one")
        self.commit(b_cu=RACY)
        self.git("checkout", "-q", "-b", "two", "main")
        self.commit(b_cu=kernel("else", ""))
        subprocess.run(["git", "merge", "one"], cwd=self.dir, capture_output=True)
        self.lint("--staged")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--hooks", action="store_true")
    known, rest = parser.parse_known_args()
    OPTIONS.bin, OPTIONS.hooks = str(pathlib.Path(known.bin).resolve()), known.hooks
    unittest.main(argv=[sys.argv[0], *rest])
