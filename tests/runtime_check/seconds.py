#!/usr/bin/env python3
"""The page of the GPU's time is that of its data, and what exceeds the limits is told."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "runtime_check"))

import seconds  # noqa: E402


def rows(**changed):
    return {part: {"part": part, "seconds": str(changed.get(part, 100)), "gpu": "G", "day": "2026-01-01"} for part in seconds.PARTS}


class Seconds(unittest.TestCase):
    def test_page_is_that_of_the_data(self):
        done = subprocess.run([sys.executable, ROOT / "runtime_check" / "seconds.py", "page", "--check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_limits(self):
        self.assertEqual(list(seconds.problems(rows())), [])
        self.assertEqual(list(seconds.problems(rows(wild=540, programs=540))), [])
        self.assertEqual(len(list(seconds.problems(rows(wild=541)))), 1)
        self.assertEqual(len(list(seconds.problems(rows(wild=500, programs=500, ladder=201)))), 1)

    def test_parts(self):
        lacking = rows()
        del lacking["ladder"]
        self.assertEqual(list(seconds.problems(lacking)), ["ladder is missing"])
        self.assertEqual(list(seconds.problems({**rows(), "other": rows()["wild"]})), ["other is no part"])

    def test_each_part_is_one_of_the_script(self):
        script = (ROOT / "runtime_check" / "part.sh").read_text(encoding="utf-8")
        for part in seconds.PARTS:
            self.assertIn(f"\n  {part}) ", script)


if __name__ == "__main__":
    unittest.main()
