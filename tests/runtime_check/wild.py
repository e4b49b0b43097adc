#!/usr/bin/env python3
"""The kernels in the shape of bugs found in public code: the linter, the list of the findings and the page about them agree.

    wild.py --bin cuwarp-lint
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WILD = ROOT / "runtime_check" / "wild"
os.environ["CUWARP_CASES"] = str(WILD)  # before the harness is imported
sys.path[:0] = [str(WILD), str(ROOT / "runtime_check" / "harness")]

import cost  # noqa: E402
import found  # noqa: E402
import registry  # noqa: E402
import table  # noqa: E402

BIN = ""
PLACE = re.compile(r"[\w.+-]+(/[\w.+-]+)*\.(cu|cuh|h)")
COMMIT = re.compile(r"[0-9a-f]{7,40}")


def definite_rules():
    """{file: rules with a definite finding} and {files with any finding}, of one run of the linter over all kernels."""
    done = subprocess.run([BIN, "--isolated", "--no-cache", "--preview", "--output", "json", str(WILD)], capture_output=True, text=True, check=False)
    rules, reported = {}, set()
    for finding in json.loads(done.stdout)["findings"]:
        path = str(pathlib.Path(finding["file"]).resolve().relative_to(ROOT))
        reported.add(path)
        if finding["confidence"] == "definite":
            rules.setdefault(path, set()).add(finding["rule"])
    return rules, reported


class List(unittest.TestCase):
    def test_is_long_enough(self):
        rows = found.trophies()
        self.assertGreaterEqual(len(rows), 30)
        self.assertGreaterEqual(len({t["repository"] for t in rows}), 12)
        self.assertGreaterEqual(len({t["rule"] for t in rows}), 6)

    def test_each_has_a_place_a_reason_and_a_patch(self):
        for t in found.trophies():
            self.assertTrue(PLACE.fullmatch(t["path"]) and t["line"].isdigit() and COMMIT.fullmatch(t["commit"]), t)
            self.assertTrue(t["fails"] and t["launch"] and t["patch"] and t["said"], t)

    def test_what_upstream_knows_has_a_reference(self):
        for t in found.trophies():
            self.assertIn(t["upstream"], found.UPSTREAM)
            self.assertEqual(t["upstream"] != "none", t["reference"].startswith("https://github.com/"), t)

    def test_no_place_and_no_kernel_twice(self):
        rows = found.trophies()
        self.assertEqual(len({t["kernel"] for t in rows}), len(rows))
        self.assertEqual(len({(t["repository"], t["path"], t["line"], t["rule"]) for t in rows}), len(rows))


class Kernels(unittest.TestCase):
    def test_are_those_of_the_list(self):
        entries, cases = registry.load()
        hazards = {registry.shown_path(case.path) for case in cases.values() if case.role == "hazard"}
        self.assertEqual(hazards, {found.kernel_file(t, "bad") for t in found.trophies()})
        self.assertEqual({path.name for path in WILD.glob("*/*.cu")},
                         {"%s_%s.cu" % (kind, t["kernel"]) for t in found.trophies() for kind in ("bad", "good")})
        self.assertTrue(all(len(entry.corrected) == 1 for entry in entries))
        self.assertEqual(len(list(cost.pairs_of(entries, cases))), len(entries))

    def test_hazards_are_definite_and_corrected_ones_silent(self):
        rules, reported = definite_rules()
        for t in found.trophies():
            bad, good = found.kernel_file(t, "bad"), found.kernel_file(t, "good")
            self.assertIn(pathlib.Path(bad).parent.name, rules.get(bad, set()), bad)
            self.assertNotIn(good, reported)

    def test_findings_are_where_the_kernels_announce_them(self):
        done = subprocess.run([sys.executable, str(ROOT / "tests" / "fixtures.py"), "--bin", BIN, str(WILD)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Page(unittest.TestCase):
    def test_is_that_of_the_data(self):
        done = subprocess.run([sys.executable, str(WILD / "found.py"), "page", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_report_is_about_these_kernels(self):
        report = json.loads(found.REPORT.read_text(encoding="utf-8"))
        names = {name: {case.name for case in registry.load()[1].values() if case.role == name} for name in ("hazard", "corrected")}
        for part, role in (("hazards", "hazard"), ("corrected", "corrected")):
            seen = {row["name"] for row in report[part]}
            self.assertLessEqual(seen, names[role])  # those that are missing are told as not run
            self.assertGreaterEqual(len(seen), 30)
        self.assertTrue(all(row["sound"] for row in report["corrected"]))

    def test_what_does_not_show_has_a_reason(self):
        """In notes.md, by name; and no reason is left over for what shows by now."""
        report = json.loads(found.REPORT.read_text(encoding="utf-8"))
        part = (WILD / "notes.md").read_text(encoding="utf-8").split("## Why some do not show")[1].split("\n\n")[1]
        silent = {re.search(r"bad_(\w+)", row["name"])[1] for row in report["hazards"]
                  if row["verdict"] in ("not reproduced on this GPU", "sanitizer only", "not run")}
        self.assertEqual(set(re.findall(r"\*(\w+)\*", part)), silent)
        self.assertTrue(report["machine"]["gpu"])

    def test_groups_hold_each_verdict_once(self):
        members = [verdict for _, some in found.GROUPS for verdict in some]
        self.assertEqual(len(members), len(set(members)))
        self.assertEqual(found.group_of("hang when skewed"), "fail only when their timing is shifted")


class Cost(unittest.TestCase):
    def test_a_ratio_needs_two_times(self):
        pairs = [cost.Pair("r", "a", "b"), cost.Pair("r", "a", "c"), cost.Pair("r", "d", "b"), cost.Pair("r", "a", "e"),
                 cost.Pair("r", "a", "f")]
        times = {"a": [9.9, 10, 10.1], "b": [19.9, 20, 20.1], "c": None, "e": [1.99, 2, 2.01], "f": [8, 10, 12]}
        self.assertEqual([(row["hazard"], row["corrected"], row["ratio"]) for row in cost.rows_of(pairs, times)], [("a", "b", 2.0)])

    def test_times_are_those_of_cases_that_end(self):
        line = '{"case": "%s", "outcome": "%s", "wrong": 0, "units": 1, "unit": "blocks", "launches": 1, "text": "", "us": [1.0, 2.0, 3.0]}\n'
        self.assertEqual(cost.times_in("noise\n" + line % ("a", "done") + line % ("b", "hang")), {"a": [1.0, 2.0, 3.0], "b": None})

    def test_words_name_median_and_range(self):
        self.assertIn("1.25 times as long as the hazard (median of 3 pairs, 0.90 to 2.00)", table.cost_in_words([2.0, 0.9, 1.25]))
        self.assertIn("(one pair)", table.cost_in_words([1.0]))


if __name__ == "__main__":
    if "--bin" in sys.argv:
        BIN = sys.argv.pop(sys.argv.index("--bin") + 1)
        sys.argv.remove("--bin")
    unittest.main()
