#!/usr/bin/env python3
"""Releases: each version of CHANGELOG.md has its notes, the newest is that of CMakeLists.txt, and tags are what CONTRIBUTING.md says."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/release-notes"
VERSION = re.compile(r"^project\(cuwarp-lint VERSION (\S+)", re.M)


def said(*words, status=0):
    done = subprocess.run([sys.executable, TOOL, *words], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stderr))
    return done.stdout


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


class ReleaseNotes(unittest.TestCase):
    def setUp(self):
        self.versions = said("--list").split()

    def test_versions(self):
        self.assertEqual(self.versions[0], VERSION.search((ROOT / "CMakeLists.txt").read_text())[1])
        numbers = [tuple(map(int, version.split("."))) for version in self.versions]
        self.assertEqual(numbers, sorted(set(numbers), reverse=True))

    def test_notes(self):
        text = (ROOT / "CHANGELOG.md").read_text()
        for version in self.versions:
            title, empty, *notes = said(version).splitlines()
            self.assertEqual((title, empty), ("cuwarp-lint " + version, ""))
            self.assertIn("\n".join(notes), text)
            self.assertFalse([line for line in notes if line.startswith("## ")])
            self.assertGreater(len("".join(notes)), 80)
        self.assertEqual(said(), said(self.versions[0]))

    def test_no_such_version(self):
        self.assertEqual(said("99.0.0", status=1), "")

    def test_tags(self):
        """Of a clone that has them: annotated, with a title, on a commit of that version."""
        tags = [tag for tag in git("tag", "--list", "v[0-9]*").split() if tag[1:] in self.versions]
        if not tags:
            self.skipTest("no tags here")
        for tag in tags:
            self.assertEqual(git("cat-file", "-t", tag).strip(), "tag")
            self.assertEqual(git("for-each-ref", "refs/tags/" + tag, "--format=%(contents:subject)").strip(), "cuwarp-lint " + tag[1:])
            self.assertEqual(VERSION.search(git("show", tag + ":CMakeLists.txt"))[1], tag[1:])


if __name__ == "__main__":
    unittest.main()
