#!/usr/bin/env python3
"""Hostile input does no harm: nothing is written outside, nothing is printed that a terminal or a CI job would obey, limits
and attacks end in a message.

    run.py --bin PATH [TESTS...]
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

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
        done = self.lint("--output", "json", *arguments, **more)
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


class Fixes(Case):
    """--fix, --diff and --add-ignore change what was named, once, and nothing of it but the text."""

    FIXED = RACY.replace("    out[", "    __syncwarp();\n    out[")

    def outside(self):
        path = self.top / "outside.cu"
        path.write_text(RACY)
        (self.dir / "link.cu").symlink_to(path)
        return path

    def test_a_link_out_of_the_folder(self):
        path = self.outside()
        for arguments in (["--fix", "."], ["--diff", "."], ["--fix"], ["--add-ignore", "reason", "."]):
            with self.subTest(arguments=arguments):
                done = self.lint(*arguments)
                self.assertEqual(path.read_text(), RACY)
                self.assertIn("link.cu: ", done.stderr)
                self.assertIn("it is a link to %s, which was not named" % path, done.stderr)
        self.assertNotIn("outside.cu", "".join(os.listdir(self.dir)))
        self.lint("--fix", "link.cu", status=0)                     # the user named it
        self.assertEqual(path.read_text(), self.FIXED)
        self.assertTrue((self.dir / "link.cu").is_symlink())
        path.write_text(RACY)
        self.lint("--fix", ".", path, status=0)
        self.assertEqual(path.read_text(), self.FIXED)

    def test_a_report_over_an_input(self):
        self.put("a.cu", RACY)
        (self.dir / "out.txt").symlink_to("a.cu")
        for name in ("a.cu", "out.txt"):
            done = self.lint("a.cu", "--output", "text:" + name, status=2)
            self.assertIn("%s: a report would replace a file that was analysed" % name, done.stderr)
            self.assertEqual((self.dir / "a.cu").read_text(), RACY)

    def test_one_file_of_two_names(self):
        for link, name in (("b.cu", "a.cu"), ("a.cu", "b.cu")):
            with self.subTest(link=link):
                for path in list(self.dir.iterdir()):
                    path.unlink()
                self.put(name, RACY)
                (self.dir / link).symlink_to(name)
                patch = self.lint("--diff", status=1)
                self.assertEqual(patch.stdout.count("+++ "), 1)
                self.assertIn("+++ b/%s\n" % name, patch.stdout)
                self.assertIn("would fix 1 finding in 1 file", patch.stderr)
                done = self.lint("--fix", status=0)
                self.assertNotIn("meanwhile", done.stderr)
                self.assertIn("fixed 1 finding in 1 file", done.stderr)
                self.assertEqual((self.dir / name).read_text(), self.FIXED)
                (self.dir / name).write_text(RACY)
                done = self.lint("--add-ignore", "reason", status=0)
                self.assertIn("1 finding silenced in 1 file", done.stderr)
                self.assertEqual((self.dir / name).read_text().count("cuwarp: ignore"), 1)

    def test_attributes_and_mode_are_kept(self):
        path = self.put("a.cu", RACY)
        try:
            os.setxattr(path, "user.comment", b"mine")
        except OSError:
            self.skipTest("the file system has no extended attributes")
        self.lint("--fix", status=0)
        self.assertEqual(path.read_text(), self.FIXED)
        self.assertEqual(os.getxattr(path, "user.comment"), b"mine")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_the_setgid_bit_is_kept(self):
        path = self.put("a.cu", RACY)
        for folder in (self.top, self.dir):
            os.chown(folder, 12345, 12345)
        self.scratch.chmod(0o777)
        os.chown(path, 12345, 12345)
        path.chmod(0o2755)

        def become():
            os.setgroups([])
            os.setgid(12345)
            os.setuid(12345)

        self.lint("--fix", "--no-cache", status=0, before=become)
        self.assertEqual(path.read_text(), self.FIXED)
        self.assertEqual(oct(path.stat().st_mode & 0o7777), "0o2755")


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


RED = "\x1b[31m"
NAMES = ["line\nbreak.cu", RED + "red.cu", "::error::first.cu", " ::warning file=x::second.cu", "flip\u202e.cu", b"byte\xff.cu",
         "##[error]third.cu", "a##vso[task.complete]fourth.cu", "tab\t.cu", "\u2028::notice::fifth.cu", "bell\x07\x9b.cu",
         "-o.cu", "quo'te\"back\\slash.cu"]


class Sources(Case):
    def lines(self, done):
        return [line for line in done.stderr.splitlines() if "-include" in line]

    def test_a_broken_header_of_the_command_line(self):
        """No kernel is lost to it, and one line says what is wrong, however many files there are."""
        self.put("a.cu", RACY)
        self.put("b.cu", RACY.replace("race", "other"))
        found = [("a.cu", 4, "implicit-warp-sync"), ("b.cu", 4, "implicit-warp-sync")]
        broken = {"int x = ; struct {{{\n": "line 1: expected expression; kernels are read without it",
                  "void f() {\n": "it breaks the code after it; kernels are read without it",
                  '"abc\n': "line 1: .*; kernels are read without it", "template<\n": "it breaks the code after it; .*",
                  'R"x(\n': "line 1: .*; kernels are read without it", "#error no\n": "line 1: no",
                  "int x = nowhere;\n": "line 1: use of undeclared identifier 'nowhere'", None: "not found; kernels are read without it"}
        for text, words in broken.items():
            for name in ("forced.cfg", "sub/forced.cfg"):
                with self.subTest(text=text, name=name):
                    if text is not None:
                        self.put(name, text)
                    for arguments in (["-j", "1"], []):             # the second reads what the first has kept
                        done = self.lint(".", *arguments, "--", "-include", name, status=1)
                        self.assertIn("2 of 2 kernels analysed", done.stdout)
                        self.assertNotIn("in part", done.stdout)
                        self.assertEqual(len(self.lines(done)), 1, done.stderr)
                        self.assertRegex(done.stderr, "cuwarp-lint: -include %s: %s\n" % (re.escape(name), words))
                    self.assertEqual(self.found(".", "--", "-include", name), found)
                    commands = [{"directory": str(self.dir), "file": f, "command": "nvcc -include %s -c %s" % (name, f)}
                                for f in ("a.cu", "b.cu")]
                    self.put("compile_commands.json", json.dumps(commands))
                    self.assertEqual(self.found("-p", ".", "a.cu", "b.cu"), found)
                    (self.dir / name).unlink(missing_ok=True)

    def test_pragmas_that_end_or_talk(self):
        """`#pragma clang __debug` neither ends the reading of a file nor prints anything, in the file and in a header."""
        for what in ("crash", "overflow_stack", "parser_crash", "llvm_fatal_error", "macro X", "diag_mapping", "dump int"):
            pragma = "#define X \x1b[31m\n#pragma clang __debug %s\n" % what
            self.put("p.h", pragma)
            for text in (pragma + RACY, '#include "p.h"\n' + RACY):
                with self.subTest(what=what, text=text[:12]):
                    self.put("a.cu", text)
                    done = self.lint("a.cu", "--output", "concise", "--time-limit", "5", status=1)
                    self.assertIn("implicit-warp-sync", done.stdout)
                    self.assertEqual(done.stderr, "")

    def test_absurd_sizes(self):
        """Lengths and objects that no GPU holds cost no more than others."""
        head = "extern __shared__ char d[];\nstruct S { char c[1LL << 40]; };\nstruct A { int a[1000]; }; struct B { A a[1000]; };\n"
        bodies = ["memcpy(o, i, 1ull << 60);", "memset(d, 0, 1ull << 62); memcpy(d + 1, d, 1ull << 62); o[0] = d[threadIdx.x];",
                  "memcpy(d + threadIdx.x, d, 1 << 30); __syncthreads(); memcpy(o, d, 1u << 31); o[0] = d[threadIdx.x];",
                  "char s[64]; memcpy(s, i, 1ull << 60); o[0] = s[threadIdx.x];", "int s[4]; memset(s, 0, -1); o[0] = s[threadIdx.x & 3];",
                  "__shared__ char s[1LL << 40]; s[threadIdx.x] = 1; o[0] = s[31 - threadIdx.x];",
                  "char s[1LL << 40] = {1}; s[threadIdx.x] = 1; o[0] = s[31 - threadIdx.x];",
                  "__shared__ S s; s = *(S *)i; __syncthreads(); o[0] = s.c[31 - threadIdx.x];",
                  "B s = *(B *)i; B t = s; o[0] = t.a[3].a[threadIdx.x];",
                  "for (long long n = 0; n < 1LL << 60; n++) { d[threadIdx.x] += n; __syncthreads(); } o[0] = d[31 - threadIdx.x];",
                  "int a[2147483647]; a[2147483646] = 1; o[0] = a[threadIdx.x];", "switch (threadIdx.x) { case 0 ... 2000000000: o[0] = 1; }"]
        for body in bodies:
            with self.subTest(body=body):
                self.put("a.cu", head + "__global__ void k(char *o, const char *i) { %s }\n"
                         "void run(char *o) { memcpy(o, o + 1, 1ull << 60); memset(o, 0, 1ull << 62); k<<<1, 64, 64>>>(o, o); }\n" % body)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.lint("a.cu", "--possible", "--no-cache", "--memory-limit", "400")
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1.5)
                self.assertEqual(self.report("a.cu", "--no-cache", "--memory-limit", "400")["coverage"]["failed"], [])

    def test_encodings(self):
        """UTF-16, byte order marks and NULs hide nothing; positions are those of the text; a fix keeps the bytes or is refused."""
        racy = "// \u00e9\U0001f600\n" + RACY
        place = [("a.cu", 5, "implicit-warp-sync")]
        for text, converted in ((racy.encode("utf-8-sig"), False), (b"\xff\xfe" + racy.encode("utf-16-le"), True),
                                (b"\xfe\xff" + racy.encode("utf-16-be"), True), (racy.encode().replace(b"//", b"//\0"), True),
                                (racy.encode().replace(b"int s", b"int\0s"), True),
                                (b"\xff\xfe\x00\xd8" + racy.encode("utf-16-le").replace(b"/", b" ", 1), True)):
            with self.subTest(text=text[:12]):
                self.put("a.cu", text)
                found = self.report("a.cu")["findings"]
                if text[2:4] != b"\x00\xd8":
                    self.assertEqual([(f["file"], f["line"], f["rule"]) for f in found], place)
                    self.assertEqual(found[0]["column"], 24)
                for arguments in (["--fix"], ["--diff"], ["--add-ignore", "reason"]):
                    self.put("a.cu", text)
                    done = self.lint("a.cu", *arguments)
                    after = (self.dir / "a.cu").read_bytes()
                    if converted:
                        self.assertEqual(after, text)
                        self.assertEqual(done.stdout.count("+++"), 0)
                        if found:
                            self.assertIn("it is UTF-16 or holds NUL bytes, which would not be kept", done.stderr)
                    elif "--fix" in arguments:
                        self.assertEqual(after, text.replace(b"    out[", b"    __syncwarp();\n    out["))
        self.put("a.cu", bytes(range(256)) * 8 + RACY.encode())
        self.assertIn("a binary file", self.lint("a.cu", status=3).stderr)

    def test_a_header_that_works_stays(self):
        """What switches kernels off, or defines what they need, is not taken for broken."""
        self.put("a.cu", "#ifndef CPU\n" + RACY + "#endif\n")
        self.put("config.h", "#define CPU 1\n")
        done = self.lint("a.cu", "--", "-include", "config.h", status=0)
        self.assertEqual(self.lines(done), [])
        self.put("b.cu", RACY.replace("    out[", "    SYNC();\n    out["))
        for text, words in (("", None), ("#error no\n", "line 2: no"), ("int x = nowhere;\n", "line 2: use of undeclared identifier 'nowhere'")):
            self.put("config.h", "#define SYNC __syncwarp\n" + text)
            self.assertEqual(self.found("b.cu", "--", "-include", "config.h"), [])
            said = ["cuwarp-lint: -include config.h: " + words] if words else []
            self.assertEqual(self.lines(self.lint("b.cu", "--", "-include", "config.h", status=0)), said)


class Cache(Case):
    def test_a_folder_that_others_can_write(self):
        self.put("a.cu", RACY)
        cache = self.top / "kept"
        def run(words=None):
            done = self.lint("--cache-dir", cache, "-v", status=1)
            self.assertEqual(done.stdout, self.lint("--no-cache").stdout)
            if words:
                self.assertEqual(done.stderr.count("%s: the cache is not used: %s\n" % (cache, words)), 1, done.stderr)
            else:
                self.assertNotIn("cache is not used", done.stderr)
        run()
        self.assertEqual(cache.stat().st_mode & 0o777, 0o700)
        kept = sorted(cache.rglob("*"))
        self.assertTrue(kept)
        for mode, words in ((0o777, "other users can write to it (chmod go-w)"), (0o720, "other users can write to it (chmod go-w)"),
                            (0o755, None)):
            cache.chmod(mode)
            run(words)
            shutil.rmtree(cache)
            cache.mkdir(mode)
            cache.chmod(mode)
            run(words)
            self.assertEqual(list(cache.iterdir()) == [], bool(words))
        if os.geteuid() == 0:
            os.chown(cache, 12345, 12345)
            run("it belongs to another user")
        shutil.rmtree(cache)
        cache.write_text("")
        run("it is no folder")

    def test_once_for_all_versions(self):
        self.put("a.cu", RACY)
        self.commit()
        self.put("a.cu", "// a line\n" + RACY)
        cache = self.top / "kept"
        cache.mkdir()
        cache.chmod(0o777)
        done = self.lint("--since", "HEAD", "--cache-dir", cache, status=0)
        self.assertEqual(done.stderr.count("cache is not used"), 1)
        self.assertEqual(list(cache.iterdir()), [])


class Limits(Case):
    """Limits of the system and interrupts: no temporary file is left, and what is not the report costs no result."""

    def limited(self, *arguments, size=2000, **more):
        return self.lint(*arguments, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), **more)

    def leftovers(self):
        return [str(p) for p in self.top.rglob("*") if re.search(r"cuwarp-.{6}$|\.[A-Za-z0-9]{6}$", p.name)]

    def test_file_size(self):
        for i in range(14):
            self.put("k%d.cu" % i, RACY.replace("race", "race%d" % i))
        self.assertEqual(len(self.found()), 14)
        for arguments in ([], ["-j", "1"], ["k0.cu"]):
            for size in (0, 100, 2000, 100000):
                with self.subTest(arguments=arguments, size=size):
                    shutil.rmtree(self.top / "cache", ignore_errors=True)
                    done = self.limited("--output", "concise", *arguments, status=1, size=size)
                    self.assertEqual(len(done.stdout.splitlines()), 1 if "k0.cu" in arguments else 14)
                    self.assertEqual(self.leftovers(), [])
                    self.assertEqual(list(self.scratch.iterdir()), [])
        out = self.top / "out.json"
        for where in ("json:%s" % out, "json:/dev/full"):
            done = self.limited("--output", where, status=2)
            self.assertRegex(done.stderr, "cannot be written: (File too large|No space left on device)")
        self.assertFalse(out.exists())
        with open(self.top / "stdout", "wb") as file:
            done = subprocess.run([OPTIONS.bin, "--no-cache", "--output", "json"], cwd=self.dir, stdout=file, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.assertEqual((done.returncode, b"File too large" in done.stderr), (2, True), done.stderr)
        long = self.put("long.cu", RACY + "// a line\n" * 1000).read_text()
        done = self.limited("--fix", "long.cu", status=1)
        self.assertIn("not fixed: the new content cannot be written: File too large", done.stderr)
        self.assertEqual((self.dir / "long.cu").read_text(), long)
        self.assertEqual(self.leftovers(), [])

    def test_a_compiler_is_launched_as_it_would_be(self):
        """The limit ends a compiler that is launched, as it would without the linter."""
        done = self.limited("launch", "--", "sh", "-c", "grep SigIgn /proc/self/status", size=100000)
        ignored = int(done.stdout.split()[1], 16)
        self.assertFalse(ignored >> (signal.SIGXFSZ - 1) & 1)

    def test_early_interrupts(self):
        for i in range(40):
            self.put("k%d.cu" % i, RACY.replace("race", "race%d" % i))
        env = dict(os.environ, TMPDIR=str(self.scratch), XDG_CACHE_HOME=str(self.top / "cache"))
        cases = [(sent, wait) for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL) for wait in (0, 0.005, 0.02)]
        for sent, wait in cases:
            for is_group in (False, True):  # a terminal's interrupt goes to all processes of the group
                shutil.rmtree(self.top / "cache", ignore_errors=True)
                running = subprocess.Popen([OPTIONS.bin, "-j", "2"], cwd=self.dir, env=env, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, start_new_session=True)
                deadline = time.monotonic() + 30
                while not list(self.scratch.iterdir()) and running.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.001)
                time.sleep(wait)
                with contextlib.suppress(ProcessLookupError):
                    (os.killpg if is_group else os.kill)(running.pid, sent)
                running.wait()
                while list(self.scratch.iterdir()) and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.assertEqual(list(self.scratch.iterdir()), [], (sent, wait, is_group))


class Configuration(Case):
    SECRET = "topsecret:$6$hash:1:0\n"

    def secret(self):
        path = self.top / "shadow"
        path.write_text(self.SECRET)
        return path

    def test_errors_do_not_quote_files_of_others(self):
        """`extend` can name any file; what is wrong with it is told by its place."""
        path = self.secret()
        (self.dir / "link.yaml").symlink_to(path)
        self.put("a.cu", RACY)
        for text in (self.SECRET, "topsecret: 1\n", "severity: {race: topsecret}\n", "select: [topsecret]\n", "possible: topsecret\n",
                     "topsecret\n", "[topsecret]\n", '"topsecret\n', "a: 1\ntopsecret: 1\ntopsecret: 2\n"):
            path.write_text(text)
            for name in ("../shadow", str(path), "link.yaml"):
                with self.subTest(text=text, name=name):
                    self.put(".cuwarp-lint.yaml", "extend: %s\n" % name)
                    done = self.lint("-v", status=2)
                    self.assertNotIn("topsecret", done.stdout + done.stderr)
                    self.assertRegex(done.stderr, r"(shadow|link.yaml):\d+:\d+: |No such file")
                    self.assertIn("extended from .cuwarp-lint.yaml:1:9", done.stderr)
            with self.subTest(text=text):
                (self.dir / ".cuwarp-lint.yaml").unlink()
                (self.dir / ".cuwarp-lint.yaml").symlink_to(path)
                self.assertNotIn("topsecret", self.lint("-v", status=2).stderr)
                (self.dir / ".cuwarp-lint.yaml").unlink()
                # The user named it, or it lies in the project: the message helps.
                if text.startswith("topsecret: 1"):
                    self.assertIn("topsecret", self.lint("--config", path, status=2).stderr)
                    self.put("base.yaml", text)
                    self.put("sub/.cuwarp-lint.yaml", "extend: ../base.yaml\n")
                    (self.dir / ".git").mkdir()
                    self.assertIn("topsecret", self.lint("sub", status=2).stderr)
                    (self.dir / ".git").rmdir()
                    (self.dir / "sub/.cuwarp-lint.yaml").unlink()

    def test_other_files_that_it_names(self):
        path = self.secret()
        self.put("a.cu", RACY)
        for key in ("build", "baseline"):
            with self.subTest(key=key):
                self.put(".cuwarp-lint.yaml", "%s: %s\n" % (key, path))
                done = self.lint("-v")
                self.assertNotIn("topsecret", done.stdout + done.stderr)


class Printed(Case):
    """Nothing that comes from a name, a setting, a source or a variable reaches the terminal or a log as a command."""

    def setUp(self):
        super().setUp()
        self.names = [os.fsencode(name) for name in NAMES]
        for name in self.names:
            self.put_bytes(name, RACY.encode())

    def put_bytes(self, name, text):
        with open(os.path.join(os.fsencode(self.dir), name), "wb") as file:
            file.write(text)

    def harmless(self, text, commands=False):
        for line in text.split("\n"):
            for c in line.replace("\t", ""):
                code = ord(c)
                self.assertFalse(code < 0x20 or 0x7f <= code < 0xa0 or 0x2028 <= code <= 0x202e or 0xdc80 <= code <= 0xdcff,
                                 repr(line))
            if not commands:
                self.assertNotRegex(line, r"##[a-z]*\[")
                self.assertNotRegex(line, r"^\s*::")

    def run_all(self, *arguments, commands=False, **more):
        done = self.lint(*arguments, **more)
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        self.harmless(done.stdout, commands)
        self.harmless(done.stderr, commands)
        return done

    def test_reports(self):
        for arguments in ([], ["--output", "concise"], ["-v", "--statistics", "--profile"], ["--show-files"], ["--show-settings"],
                          ["-v", "--no-cache", "-j", "1"], ["--possible"], ["--add-ignore", RED + "\n::error::"], ["doctor"],
                          ["--output", "html:/dev/null"]):
            with self.subTest(arguments=arguments):
                if "--add-ignore" in arguments:
                    self.run_all(*arguments)
                    continue
                done = self.run_all(*arguments)
                self.assertEqual(done.stdout == "", "html:/dev/null" in arguments)
        self.assertEqual(len(self.run_all("--show-files").stdout.splitlines()), len(NAMES))
        self.assertIn("./::error::first.cu:4:", self.run_all("--output", "concise").stdout)

    def test_machine_formats(self):
        """They have escapes of their own: readers get the names back, and no control character is written."""
        names = {name.decode("utf-8", "replace") for name in self.names}
        for kind in ("json", "sarif", "gitlab", "rdjson", "jsonl", "junit", "checkstyle"):
            with self.subTest(kind=kind):
                text = self.lint("--output", kind, status=1).stdout
                self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]")
                if kind == "json":
                    self.assertEqual({f["file"] for f in json.loads(text)["findings"]}, names)
                elif kind == "jsonl":
                    self.assertEqual({json.loads(line).get("file") for line in text.split("\n") if line} - {None}, names)
                elif kind in ("junit", "checkstyle"):
                    xml.etree.ElementTree.fromstring(text)
                else:
                    json.loads(text)

    def test_dumps(self):
        for what in ("ir", "cfg", "uniformity", "participation", "phases", "accesses", "syncs"):
            with self.subTest(what=what):
                self.assertIn("red.cu" if what == "accesses" else "race", self.run_all("--dump", what).stdout)

    def test_github(self):
        """One command for each finding, and none that a name makes."""
        done = self.run_all("--output", "github", commands=True)
        lines = [line for line in done.stdout.split("\n") if line.strip().startswith("::")]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^::(error|notice) (file=[^:,]*,line=4,[^:]*|title=cuwarp-lint)::")

    def test_failures(self):
        self.run_all(RED + "missing\n::error::.cu")
        self.run_all("--no-such" + RED + "\n::error::")
        self.run_all("--output", "text:" + RED + "\n::error::/x")
        self.run_all("--config", "\n::error::" + RED)
        self.run_all("--select", "a\n::error::" + RED)
        self.run_all("--baseline", "\n::error::" + RED)
        self.run_all("--build", "\n::error::" + RED)
        self.run_all("--cache-dir", "\n::error::" + RED)
        self.run_all("--since", "\n::error::" + RED)
        self.run_all("--stdin-filename", "\n::error::" + RED + ".cu", "-")
        self.run_all("--severity", "\n::error::" + RED + "=error")
        self.run_all("-I\n::error::" + RED, "-v")
        self.run_all("explain", RED + "\n::error::")
        self.harmless(self.lint("launch", "--", RED + "\n::error::", status=127).stderr)
        self.run_all("perturb", ".", "--out", self.top / (RED + "\n::error::"), "-v")
        self.run_all("perturb", RED + "\n::error::", "--out", self.top / "out")
        self.run_all("-v", XDG_CACHE_HOME=str(self.top / ("\n::error::" + RED)))

    def test_changes(self):
        """git: branches, base and staged runs, diffs and fixes."""
        self.commit()
        self.git("branch", "x\u202ey")
        for name in self.names:
            self.put_bytes(name, b"// a line\n" + RACY.encode() + RACY.replace("race", "fresh").encode())
        for arguments in (["--since", "x\u202ey", "-v"], ["--since", "main\u202e"], ["--staged"], ["--fix"],
                          ["--write-baseline", "--baseline", RED + "\n::error::"], ["--baseline", RED + "\n::error::"]):
            with self.subTest(arguments=arguments):
                self.run_all(*arguments)

    def test_a_diff_of_any_name(self):
        """Names are quoted as git does it, and git applies the patch."""
        os.unlink(os.path.join(os.fsencode(self.dir), b"byte\xff.cu"))  # JSON between processes cannot hold it
        self.names.remove(b"byte\xff.cu")
        for name in ("sp ace.cu", "\u00e9.cu", "plain.cu", "sub/tab\tand space.cu"):
            self.put(name, RACY)
        self.commit()
        names = subprocess.run(["git", "ls-files"], cwd=self.dir, capture_output=True, check=True).stdout.decode().splitlines()
        patch = self.lint("--diff").stdout
        for name in names:
            quoted = name[0] + "b/" + name[1:] if name[0] == '"' else "b/" + name
            self.assertIn("+++ %s%s\n" % (quoted, "\t" if " " in name else ""), patch)
        (self.dir / ".git/fix.patch").write_bytes(patch.encode("utf-8", "surrogateescape"))
        self.git("apply", ".git/fix.patch")
        by_git = {name: open(os.path.join(os.fsencode(self.dir), name), "rb").read() for name in self.names}
        self.git("checkout", "-q", ".")
        self.lint("--fix")
        for name, text in by_git.items():
            self.assertIn(b"__syncwarp();", text)
            self.assertEqual(open(os.path.join(os.fsencode(self.dir), name), "rb").read(), text)

    def test_configuration(self):
        self.put(".cuwarp-lint.yaml", 'define: ["X=\\e[31m\\n::error::"]\nextend-exclude: ["\\e[31m\\n::error::"]\n')
        self.run_all("--show-settings")
        for text in ('"\\n::error::\\e[31m": 1\n', 'select: ["\\n::error::\\e[31m"]\n', 'extend: "\\n::error::\\e[31m"\n',
                     'a: \x1b[31m\n', 'arch: "\\n::error::\\e[31m"\n', 'severity: {"\\n::error::\\e[31m": error}\n'):
            with self.subTest(text=text):
                self.put(".cuwarp-lint.yaml", text)
                self.assertEqual(self.run_all("-v").returncode, 2)

    def test_sources(self):
        """#line names, messages of the parser, skipped kernels, comments with directives."""
        name = RED.replace("\x1b", "\\033") + "\\n::error::"
        self.put("a.cu", '#line 1 "%s.cu"\n#error \x1b[31m ##[error]\n#include "%s"\n' % (name, RED) + RACY +
                 "// cuwarp: ignore[\x1b[31m] -- \x1b[31m\n__global__ void broken(\x1b[31m nothing *p) { nowhere::x(p); }\n")
        for arguments in ([], ["-v", "--statistics"], ["--dump", "ir"], ["--dump", "accesses"], ["--output", "concise"]):
            with self.subTest(arguments=arguments):
                self.run_all("a.cu", *arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    OPTIONS.bin = str(pathlib.Path(known.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
