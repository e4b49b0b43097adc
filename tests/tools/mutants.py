#!/usr/bin/env python3
"""tools/mutants: which changes it makes of a text, and that it tells a change that a test notices from one that none does.

    mutants.py --build BUILD-DIRECTORY
"""

import argparse
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = argparse.Namespace(build=None)
SAMPLE = """/* if (never) */
static bool f(int a, int b) {
    if (a > 0 && (b || !a)) // && too
        return b;
    while (a)
        a = g("a && b", ';') || b;
    return a == 1;
}
"""


def load():
    loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "tools/mutants"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    loader.exec_module(module)
    return module


class Mutants(unittest.TestCase):
    def changes(self):
        mutants = load()
        return [(SAMPLE[a:b].strip(), with_.strip()) for a, b, with_ in mutants.mutants_of(SAMPLE)]

    def test_changes(self):
        self.assertEqual(sorted(self.changes()), sorted([
            ("a > 0", "1"), ("(b || !a)", "1"), ("b", "0"), ("!a", "0"),  # the condition of the if, and its inner one
            ("a", "0"), ("a", "1"),                                       # while
            ('g("a && b", \';\')', "0"), ("b", "0")]))                    # the assignment; plain returns are no guards

    def test_verdicts(self):
        module, file = load(), ROOT / "analyzer/config/glob.c"
        text = file.read_text(encoding="utf-8")
        build = module.Build(OPTIONS.build.resolve(), None)
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            self.assertEqual(build.is_noticed(file, text, scratch), "")
            guard = "directories_only && !is_directory"
            self.assertIn(guard, text)
            self.assertEqual(build.is_noticed(file, text.replace(guard, "0", 1), scratch), "config_glob")
            self.assertIsNone(build.is_noticed(file, text + "}", scratch))

    def test_list(self):
        said = subprocess.run([sys.executable, ROOT / "tools/mutants", "--build", OPTIONS.build, "--list", "--limit", "5",
                               "--seed", "3"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(len(said.splitlines()), 5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])
