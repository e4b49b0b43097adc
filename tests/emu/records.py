#!/usr/bin/env python3
"""What makes run.py run a fixture again: its code, the driver of its shape, the emulation; not comments, layout, or other drivers."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402

TEXT = "// cuwarp-run: doubled twice block=64\n__global__ void twice(int *v) {\n    v[threadIdx.x] *= 2; /* own */\n}\n"
DRIVERS = """struct config { };
/* A comment. */
template <typename K> void run_each(K kernel, const config &c) {
    launch(kernel, c);
}
inline void run_doubled(K kernel, const config &c) { run_each(kernel, c); }

void run_other(K kernel, const config &c) {
    if (c) {
        launch(kernel);
    }
}
"""


class Records(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def digest(self, text=TEXT, drivers=DRIVERS):
        path = self.dir / "good_twice.cu"
        path.write_text(text)
        with mock.patch.object(run, "SHAPES", run.Shapes([drivers])):
            return run.Fixture(path).digest

    def test_drivers_are_told_apart(self):
        shapes = run.Shapes([DRIVERS])
        self.assertEqual(sorted(shapes.drivers), ["doubled", "each", "other"])
        self.assertEqual(shapes.shared, "struct config { };")

    def test_what_changes_nothing(self):
        same = self.digest()
        for text in (TEXT.replace("/* own */", "// the own one"), TEXT.replace("    v", "\tv"), "// cuwarp-gpu: hazard twice x\n" + TEXT,
                     TEXT + "// the end\n"):
            self.assertEqual(self.digest(text), same)
        for drivers in (DRIVERS.replace("A comment", "Another"), DRIVERS.replace("if (c)", "if (!c)"), DRIVERS.replace("    ", "  ")):
            self.assertEqual(self.digest(drivers=drivers), same)

    def test_what_does(self):
        digests = [self.digest(), self.digest(TEXT.replace("2;", "3;")), self.digest(TEXT.replace("block=64", "block=32")),
                   self.digest(drivers=DRIVERS.replace("run_each(kernel, c)", "run_each(kernel, 0)")),
                   self.digest(drivers=DRIVERS.replace("launch(kernel, c)", "launch(kernel, 0)")),  # called by its driver
                   self.digest(drivers=DRIVERS.replace("config { }", "config { int n; }"))]
        self.assertEqual(len(set(digests)), len(digests))

    def test_who_is_run(self):
        path = self.dir / "good_twice.cu"
        path.write_text(TEXT)
        fixture = run.Fixture(path)
        is_sampled = int(fixture.digest, 16) % 7 == 0
        for verdict, expected in (("clean", is_sampled), ("race", True), (None, True)):
            records = {(fixture.name, fixture.digest): verdict} if verdict else {}
            self.assertEqual(run.must_run(fixture, records, 7), expected)

    def test_a_verdict_that_does_not_fit_is_tried_again(self):
        path = self.dir / "good_twice.cu"
        path.write_text(TEXT)
        fixture, race, clean = run.Fixture(path), run.Result("race"), run.Result("clean")
        with mock.patch.object(run, "judge", return_value=[race]), mock.patch.object(run, "judge_alone", return_value=clean) as alone:
            self.assertEqual(run.judge_surely(None, [fixture], 1), [clean])
            alone.return_value = race
            self.assertEqual(run.judge_surely(None, [fixture], 1), [race])
        with mock.patch.object(run, "judge", return_value=[clean]), mock.patch.object(run, "judge_alone") as alone:
            self.assertEqual(run.judge_surely(None, [fixture], 1), [clean])
            alone.assert_not_called()


if __name__ == "__main__":
    unittest.main()
