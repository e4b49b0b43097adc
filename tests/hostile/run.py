#!/usr/bin/env python3
"""Hostile input does no harm: nothing is written outside, nothing is printed that a terminal or a CI job would obey, limits
and attacks end in a message.

    run.py --bin PATH [TESTS...]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

OPTIONS = argparse.Namespace(bin=None)

RACY = """__global__ void race(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = s[31 - threadIdx.x];
}
void run_race(int *out) { race<<<1, 32>>>(out); }
"""


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.top = pathlib.Path(holder.name).resolve()
        self.dir = self.top / "work"
        self.scratch = self.top / "tmp"
        self.dir.mkdir()
        self.scratch.mkdir()

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def lint(self, *arguments, status=None, cwd=None, before=None, seconds=120, **variables):
        """The run's result with texts decoded so that no byte is lost."""
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CUWARP_TEST_WORKER")}
        env.update({"LC_ALL": "C.UTF-8", "TMPDIR": str(self.scratch), "XDG_CACHE_HOME": str(self.top / "cache"), **variables})
        done = subprocess.run([OPTIONS.bin, *map(os.fspath, arguments)], cwd=cwd or self.dir, env=env, capture_output=True,
                              timeout=seconds, preexec_fn=before)
        done.stdout, done.stderr = (t.decode("utf-8", "surrogateescape") for t in (done.stdout, done.stderr))
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def report(self, *arguments, **more):
        done = self.lint(*arguments, "--output", "json", **more)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(done.stdout)

    def found(self, *arguments, **more):
        return [(f["file"], f["line"], f["rule"]) for f in self.report(*arguments, **more)["findings"]]

    def git(self, *arguments, text=None):
        env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
        done = subprocess.run(["git", *map(os.fspath, arguments)], cwd=self.dir, env=env, capture_output=True, input=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode().strip()

    def commit(self):
        if not (self.dir / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "step")
        return self.git("rev-parse", "HEAD")


class Versions(Case):
    """--since and --staged: what a repository holds, whoever wrote it."""

    def tearDown(self):
        self.assertEqual(list(self.scratch.iterdir()), [], "temporary files were left behind")

    def object(self, kind, content):
        return bytes.fromhex(self.git("hash-object", "-t", kind, "-w", "--stdin", "--literally", text=content))

    def test_a_link_and_a_folder_of_one_name(self):
        """Neither files nor links are created through the link."""
        outside = self.top / "outside"
        outside.mkdir()
        self.put("a.cu", RACY)
        self.commit()
        blob, link = self.object("blob", RACY.encode()), self.object("blob", os.fsencode(outside))
        inner = self.object("tree", b"120000 deep\0" + link + b"100644 evil.cu\0" + blob)
        below = self.object("tree", b"120000 link.cu\0" + link + b"40000 more\0" + inner)
        tree = self.object("tree", b"100644 a.cu\0" + blob + b"120000 dir\0" + link + b"40000 dir\0" + below)
        commit = self.git("commit-tree", tree.hex(), "-m", "hostile")
        self.put("a.cu", "// a line\n" + RACY)
        self.git("update-ref", "refs/heads/main", commit)
        self.assertEqual(self.found("--since", commit), [])
        self.assertEqual(list(outside.iterdir()), [])

    def test_a_working_directory_that_was_a_link(self):
        """The folder that stands for it in the base is not created through the link."""
        outside = self.top / "outside"
        outside.mkdir()
        (self.dir / "sub").symlink_to(outside)
        first = self.commit()
        (self.dir / "sub").unlink()
        self.put("sub/deeper/a.cu", RACY)
        self.lint("--since", first, cwd=self.dir / "sub/deeper")
        self.assertEqual(list(outside.iterdir()), [])

    def test_a_generated_header_below_a_former_link(self):
        """A header of the working tree is copied to the base, but not through a link of the base."""
        outside = self.top / "outside"
        outside.mkdir()
        (self.dir / "made").symlink_to(outside)
        self.put("a.cu", '#include "made/h.h"\n' + RACY)
        self.put(".gitignore", "h.h\n")
        first = self.commit()
        (self.dir / "made").unlink()
        self.put("made/h.h", "int i;\n")
        self.put("a.cu", '// a line\n#include "made/h.h"\n' + RACY)
        self.lint("--since", first)
        self.assertEqual(list(outside.iterdir()), [])

    def test_links_out_of_the_work_tree(self):
        """Headers behind them are read in both versions, so that an old finding stays old."""
        (self.top / "shared").mkdir()
        (self.top / "shared/swap.cuh").write_text("#define SWAP(s, o) o[threadIdx.x] = s[31 - threadIdx.x]\n")
        racy = RACY.replace("out[threadIdx.x] = s[31 - threadIdx.x]", "SWAP(s, out)")
        targets = {"up": "../shared", "absolute": self.top / "shared", "sub/up": "../../shared",
                   "back": "../%s/sub" % self.dir.name, "inside": self.dir / "sub", "plain": "sub/../sub"}
        self.put("sub/swap.cuh", (self.top / "shared/swap.cuh").read_text())
        for i, (name, target) in enumerate(targets.items()):
            (self.dir / name).symlink_to(target)
            self.put("a%d.cu" % i, '#include "%s/swap.cuh"\n' % name + racy)
        first = self.commit()
        for i in range(len(targets)):
            path = self.dir / ("a%d.cu" % i)
            path.write_text("// a line\n" + path.read_text())
        self.assertEqual(len(self.found(".")), len(targets))
        self.assertEqual(self.found("--since", first), [])
        # A link inside leads to the version that is looked at: the finding is new when the header behind it makes it so.
        self.put("sub/swap.cuh", "#define SWAP(s, o) __syncwarp(); o[threadIdx.x] = s[31 - threadIdx.x]\n")
        first = self.commit()
        self.put("sub/swap.cuh", (self.top / "shared/swap.cuh").read_text())
        self.assertEqual([f[0] for f in self.found("--since", first)], ["a3.cu", "a4.cu", "a5.cu"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a repository away")
    def test_a_repository_of_another_owner(self):
        """In git's words, with the command that helps."""
        self.put("a.cu", RACY)
        self.commit()
        for path in [self.dir, *self.dir.rglob("*")]:
            os.chown(path, 12345, 12345, follow_symlinks=False)
        config = self.top / "gitconfig"
        config.write_text("")
        done = self.lint("--since", "HEAD", status=2, GIT_CONFIG_GLOBAL=str(config), HOME=str(self.top))
        self.assertIn("detected dubious ownership in repository at '%s'" % self.dir, done.stderr)
        self.assertIn("git config --global --add safe.directory %s" % self.dir, done.stderr)
        (self.top / ".gitconfig").write_text("[safe]\n\tdirectory = %s\n" % self.dir)
        self.assertEqual(self.found("--since", "HEAD", HOME=str(self.top)), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    OPTIONS.bin = str(pathlib.Path(known.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
