#!/usr/bin/env python3
"""tools/new-rule in a copy of the sources: what it makes is whole, builds, and passes the fixtures, before anybody has edited it.

    new_rule.py --bin TOOL --build BUILD-DIRECTORY

The program with the new rule is linked from the objects of the present build: only what the rule changes is compiled.
"""

import argparse
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = argparse.Namespace(bin=None, build=None)
NAME, FILE = "constant-shuffle", "rules/sanity/constant_shuffle.c"


def run(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != status:
        raise AssertionError("%s: %d\n%s%s" % (shlex.join(map(str, command)), done.returncode, done.stdout, done.stderr))
    return done.stdout + done.stderr


def copy_of_sources(to):
    """What the tool and the gates read. Nothing writes into the analyzer's sources and the other rules' fixtures."""
    for name in ("rules", "docs", "tools", "tests", "editors", "runtime_check"):
        shutil.copytree(ROOT / name, to / name, symlinks=True, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (to / "analyzer").symlink_to(ROOT / "analyzer")
    (to / "fixtures").mkdir()
    for folder in (ROOT / "fixtures").iterdir():
        (to / "fixtures" / folder.name).symlink_to(folder)


class NewRule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.copy = pathlib.Path(cls.folder.name)
        copy_of_sources(cls.copy)
        cls.said = run(sys.executable, cls.copy / "tools/new-rule", NAME)

    def link(self):
        """The program with the rule, from the link command of the build."""
        out = self.copy / "build"  # left out by the gates
        out.mkdir()
        cc = ["cc", "-std=c11", "-D_GNU_SOURCE", "-I", self.copy, "-I", ROOT / "analyzer", "-I", ROOT]
        run(*cc, self.copy / "rules/docgen.c", "-o", out / "docgen")
        run(out / "docgen", self.copy / "rules", out / "rule_docs.c")
        objects = []
        for source in (out / "rule_docs.c", self.copy / "rules/registry.c", self.copy / FILE):
            objects.append(out / (source.stem + ".o"))
            run(*cc, "-Wall", "-Wextra", "-Werror", "-c", source, "-o", objects[-1])
        last = run("ninja", "-C", OPTIONS.build, "-t", "commands", "cuwarp-lint").splitlines()[-1]
        words = shlex.split(last.replace(": && ", "").replace(" && :", ""))
        words[words.index("-o") + 1] = str(out / "cuwarp-lint")
        at = next(k for k, word in enumerate(words) if word.endswith(".a"))
        words[at:at] = [str(o) for o in objects] + ["-Wl,--allow-multiple-definition"]
        run(*words, cwd=OPTIONS.build)
        return out / "cuwarp-lint"

    def test_is_whole(self):
        for gate in ("layering", "hygiene"):
            run(sys.executable, self.copy / "tests/layering" / (gate + ".py"), self.copy)
        text = (self.copy / "rules/rules.def").read_text()
        self.assertIn('CW_RULE(constant_shuffle, "constant-shuffle", "sanity", CW_WARNING, true, false)\n', text)
        self.assertIn('"constant-shuffle"', (self.copy / "docs/rules-by-generation.json").read_text())
        self.assertIn(FILE, self.said)

    def test_builds_and_reports(self):
        tool = self.link()
        self.assertIn("shuffle of a constant", run(tool, "explain", NAME))
        said = run(sys.executable, self.copy / "tests/fixtures.py", "--bin", tool, self.copy / "fixtures" / NAME)
        self.assertIn("2 fixtures, 1 findings announced, 0 fixtures failed", said)
        run(sys.executable, self.copy / "tools/new-rule", "--generated", tool)
        self.assertIn('"constant-shuffle"', (self.copy / "docs/cuwarp-lint.schema.json").read_text())
        self.assertIn('"constant-shuffle"', (self.copy / "editors/vscode/package.json").read_text())

    def test_compiles_few_files(self):
        """A line in rules.def: what reads it, as the last build noted, its generated documentation included."""
        reads, objects = [], run("ninja", "-C", OPTIONS.build, "-t", "deps").split("\n\n")
        for text in filter(str.strip, objects):
            name, *files = text.strip().splitlines()
            if name.startswith(("analyzer/", "rules/")) and any(f.strip().endswith("rules/rules.def") for f in files):
                reads.append(name.partition(":")[0])
        print("%d C files read rules.def: %s" % (len(reads), ", ".join(sorted(reads))))
        self.assertTrue(1 <= len(reads) <= 5, reads)

    def test_refuses(self):
        tool = self.copy / "tools/new-rule"
        self.assertIn("is there already", run(sys.executable, tool, NAME, status=1))
        self.assertIn("no name of a rule", run(sys.executable, tool, "Shuffle", status=1))
        self.assertIn("there is no category", run(sys.executable, tool, "other-name", "--category", "speed", status=1))
        self.assertFalse((self.copy / "fixtures/other-name").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--build", required=True)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])
