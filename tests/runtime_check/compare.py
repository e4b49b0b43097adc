#!/usr/bin/env python3
"""The comparison of tools without its suites: the page is that of the data, each miss and false finding has its cause, and what
the tools print is read as it is meant."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "runtime_check" / "compare"))

import compare  # noqa: E402
import gpu  # noqa: E402
import static  # noqa: E402
import suites  # noqa: E402


class Page(unittest.TestCase):
    def setUp(self):
        self.data = compare.Data()

    def test_is_that_of_the_data(self):
        self.assertEqual(compare.PAGE.read_text(encoding="utf-8"), compare.page(self.data), "run runtime_check/compare/compare.py page")

    def test_all_wrong_answers_are_explained(self):
        self.assertEqual(list(compare.unexplained(self.data)), [])

    def test_another_answer_is_noticed(self):
        key = next(k for k, r in self.data.programs.items() if r["label"] == "hazard" and self.data.answer(compare.LINTER, k))
        self.data.programs[key][compare.LINTER] = {"reports": 0, "others": 0, "seconds": 0.1}
        self.assertEqual(list(compare.unexplained(self.data)), ["misses.csv lacks " + key])
        self.assertNotEqual(compare.PAGE.read_text(encoding="utf-8"), compare.page(self.data))

    def test_what_could_not_be_read_is_no_miss(self):
        row = {"suite": "S", "name": "n", "label": "hazard", "clang": {"unread": True, "reports": 1, "others": 0, "seconds": 1.0}}
        self.data.programs = {"S:n": row}
        self.assertEqual(self.data.counts("clang", "S"), {"hit": 0, "miss": 0, "false": 0, "quiet": 0, "unread": 1})
        row["clang"] = {"reports": 1, "others": 0, "seconds": 1.0}
        self.assertEqual(self.data.counts("clang", "S")["hit"], 1)
        row["label"] = "correct"
        self.assertEqual(self.data.counts("clang", "S")["false"], 1)


class Labels(unittest.TestCase):
    def test_first_lines_of_gpuverify(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = {"a": "//pass\n//--blockDim=[8,4] --gridDim=1\n", "b": "//xfail:NOT_ALL_VERIFIED\n//--blockDim=2048\n",
                     "c": "//xfail:BUGLE_ERROR\n"}
            for name, text in texts.items():
                (pathlib.Path(folder) / (name + ".cu")).write_text(text)
            found = {p.name: (p.label, p.linted) for p in suites.gpuverify("none", pathlib.Path(folder))}
        self.assertEqual(found, {"a.cu": ("correct", ["--block", "8,4"]), "b.cu": ("hazard", []), "c.cu": ("out", [])})

    def test_own_programs(self):
        found = {p.key: p.label for p in suites.own("fixtures", ROOT / "fixtures")}
        self.assertEqual(found["fixtures:missing-syncthreads/bad_reverse"], "hazard")
        self.assertEqual(found["fixtures:missing-syncthreads/good_reverse"], "correct")

    def test_no_label_is_given_twice(self):
        with open(suites.LABELS, newline="", encoding="utf-8") as file:
            keys = [(row["suite"], row["program"]) for row in csv.DictReader(file)]
        self.assertEqual(len(keys), len(set(keys)))

    def test_commit_of_a_folder(self):
        self.assertEqual(suites.folder_of("/nonexistent@0123456789abcdef")[1], "0123456789ab")
        self.assertEqual(suites.folder_of("/nonexistent")[1], "unknown")

    def test_commit_of_a_folder_is_not_that_of_what_it_lies_in(self):
        with tempfile.TemporaryDirectory() as folder:
            inner = pathlib.Path(folder) / "suite"
            inner.mkdir()
            git = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e"]
            for command in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "m"]):
                subprocess.run([*git, *command], check=True)
            head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout[:12]
            self.assertEqual((suites.folder_of(folder)[1], suites.folder_of(str(inner))[1]), (head, "unknown"))

    def test_both_runs_name_the_same_commits(self):
        data = compare.Data()
        for repository, commit in data.runs["commits"].items():
            self.assertIn(commit, ("unknown", data.static["commits"][repository]))


class Outputs(unittest.TestCase):
    def test_summaries_of_compute_sanitizer(self):
        for tool, text, reports in [
                ("racecheck", "========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)\n", 3),
                ("racecheck", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", 0),
                ("synccheck", "========= ERROR SUMMARY: 1 error\n", 1), ("synccheck", "no summary", None)]:
            self.assertEqual(gpu.reports_in(tool, text), reports, text)

    def test_a_program_that_does_not_end(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(gpu.run(["sleep", "60"], 0.2, pathlib.Path(folder))[0], "timeout")
            self.assertEqual(gpu.run(["sh", "-c", "echo text; exit 3"], 20, pathlib.Path(folder))[0::2], ("failed", "text\n"))

    def test_diagnostics(self):
        script = "printf 'a.cu:1:2: warning: unused variable [-Wunused]\\nb.cu:3:4: warning: possible data race on x [some-check]\\n'"
        found = static.together([["sh", "-c", script]])
        self.assertEqual((found["reports"], found["others"], found.get("unread")), (1, 1, None))
        named = "printf \"a.cu:1:2: style: The function 'race' is never used [unused]\\n\""
        self.assertEqual(static.together([["sh", "-c", named]])["reports"], 0)
        found = static.together([["sh", "-c", "echo 'a.cu:1:2: fatal error: no such header'"]])
        self.assertTrue(found["unread"])


if __name__ == "__main__":
    unittest.main()
