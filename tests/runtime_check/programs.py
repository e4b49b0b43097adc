#!/usr/bin/env python3
"""The page of the whole programs, its data and the list of programs agree."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "runtime_check" / "programs"
sys.path.insert(0, str(FOLDER))

import programs  # noqa: E402


class Page(unittest.TestCase):
    def test_is_that_of_the_data(self):
        done = subprocess.run([sys.executable, FOLDER / "programs.py", "page", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_names_each_program(self):
        names = [p.name for p in programs.programs()]
        self.assertEqual([r["program"] for r in json.loads(programs.DATA.read_text())["programs"]], names)
        self.assertGreaterEqual(len(names), 10)

    def test_what_passes_when_shifted_has_a_reason(self):
        """In notes.md, by name; and no reason is left over for what fails by now."""
        part = (FOLDER / "notes.md").read_text(encoding="utf-8").split("## Why a shifted program may pass")[1].split("\n## ")[0]
        named = {name for names in re.findall(r"^- \*([^*]+)\*:", part, re.M) for name in names.split(", ")}
        passing = {row["program"] for row in json.loads(programs.DATA.read_text())["programs"]
                   if set(row["shifted"]["runs"]) == {"passes"}}
        self.assertEqual(named, passing)

    def test_names_the_device(self):
        self.assertTrue(json.loads(programs.DATA.read_text())["device"])

    def test_each_program_has_a_definite_finding(self):
        for row in json.loads(programs.DATA.read_text())["programs"]:
            self.assertTrue(row["findings"], row["program"])


class Runs(unittest.TestCase):
    def outcome(self, script, **fields):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program"
            path.write_text("#!/bin/sh\n" + script)
            path.chmod(0o755)
            program = programs.Program("p", "r", "c", "f", [], [], [], fields.get("wrong", "FAIL"), fields.get("right", ""))
            return programs.run_once(program, folder, 1)

    def test_outcomes(self):
        self.assertEqual(self.outcome("echo PASS"), "passes")
        self.assertEqual(self.outcome("echo FAIL"), "wrong")
        self.assertEqual(self.outcome("exit 3"), "fails")
        self.assertEqual(self.outcome("echo all is well; exit 3", right="all is well"), "passes")
        self.assertEqual(self.outcome('test "$CUWARP_SKEW_SEED" = 1 || echo FAIL'), "passes")

    def test_a_program_that_does_not_end(self):
        limit, programs.RUN_SECONDS = programs.RUN_SECONDS, 1
        try:
            self.assertEqual(self.outcome("exec sleep 60"), "late")
            self.assertEqual(self.outcome("echo all is well; exec sleep 60", right="all is well"), "passes")
        finally:
            programs.RUN_SECONDS = limit


if __name__ == "__main__":
    unittest.main()
