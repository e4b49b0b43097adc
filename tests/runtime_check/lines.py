#!/usr/bin/env python3
"""The reader of `cuwarp-gpu:` lines: what each form says, and that a wrong one is named instead of skipped."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "runtime_check" / "harness"))

import registry  # noqa: E402

KERNEL = "__global__ void k(int *x) {}\n"


class Lines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fixtures = pathlib.Path(folder.name)

    def put(self, name, text):
        path = self.fixtures / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, line, name="missing-syncthreads/bad_a.cu"):
        self.put(name, KERNEL + "// cuwarp-gpu: " + line + "\n")
        return list(registry.entries(self.fixtures))[0]

    def test_a_hazard(self):
        entry = self.read("missing-syncthreads corrected=good_a,scratch-reuse/good_b grid=512 n=4096 note=many blocks, as n=1 hides it")
        self.assertEqual((entry.rule, entry.hazard), ("missing-syncthreads", "missing-syncthreads/bad_a"))
        self.assertEqual(entry.corrected, ["missing-syncthreads/good_a", "scratch-reuse/good_b"])
        self.assertEqual((entry.grid, entry.n), (512, 4096))
        self.assertEqual(entry.note, "many blocks, as n=1 hides it")

    def test_sizes_may_be_left_to_the_header(self):
        entry = self.read("scratch-reuse corrected=good_a")
        self.assertEqual((entry.rule, entry.grid, entry.n, entry.note), ("scratch-reuse", 0, None, ""))

    def test_a_reference(self):
        entry = self.read("reference n=0", "scratch-reuse/good_c.cu")
        self.assertEqual((entry.rule, entry.hazard, entry.corrected, entry.n), ("scratch-reuse", "", ["scratch-reuse/good_c"], 0))

    def test_files_without_a_line_are_not_registered(self):
        self.put("missing-syncthreads/bad_a.cu", KERNEL + "// cuwarp-run: k<<<1, 32>>>\nint gpu; // see cuwarp-gpu: reference\n")
        self.assertEqual(list(registry.entries(self.fixtures)), [])

    def test_order_is_that_of_the_rules(self):
        rules = registry.RULES.findall((ROOT / "rules" / "rules.def").read_text(encoding="utf-8"))
        for rule in (rules[5], rules[0], "_programs"):
            self.put("%s/good_a.cu" % rule, KERNEL + "// cuwarp-gpu: reference\n")
        self.assertEqual([entry.rule for entry in registry.entries(self.fixtures)], [rules[0], rules[5], "_programs"])

    def test_wrong_lines_are_named(self):
        for line in ("", "missing-syncthreads", "reference corrected=good_a", "missing-syncthreads corrected=", "reference grid=many",
                     "reference n=-1", "reference blocks=4", "reference big", "reference\n// cuwarp-gpu: reference"):
            with self.subTest(line), self.assertRaisesRegex(registry.Malformed, "missing-syncthreads/bad_a.cu"):
                self.read(line)

    def test_a_fixture_that_is_not_there_is_named(self):
        entry = self.read("missing-syncthreads corrected=good_a")
        with self.assertRaisesRegex(registry.Malformed, "missing-syncthreads/bad_a.cu.*no fixtures/missing-syncthreads/bad_a.cu"):
            list(registry.hazard_cases(entry))


if __name__ == "__main__":
    unittest.main()
