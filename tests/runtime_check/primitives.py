#!/usr/bin/env python3
"""Segmented sums, scan and histogram: the page is that of the data, the results are right, and each way has a prediction."""

import csv
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEASURE = ROOT / "runtime_check" / "measure"
sys.path.insert(0, str(MEASURE))

import primitives  # noqa: E402


def record(variant, size, median):
    return {"group": "primitive", "name": "scan", "series": "inclusive", "variant": variant, "size": size, "bytes": 8.0 * size,
            "median_us": median, "result": "right"}


class Predictions(unittest.TestCase):
    def test_each_is_of_a_way_that_is_measured(self):
        text = (MEASURE / "primitives.cu").read_text(encoding="utf-8")
        with open(MEASURE / "predictions.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreaterEqual(len(rows), 8)
        for row in rows:
            self.assertIn('"%s"' % row["variant"], text)
            self.assertIn('"%s"' % row["name"], text)
            self.assertGreater(float(row["times_cub"]), 0)


class Tables(unittest.TestCase):
    def test_ratio_is_to_the_same_work(self):
        rows = [record("own", 1 << 24, 20.0), record("CUB DeviceScan", 1 << 24, 30.0), record("own", 1 << 26, 100.0),
                record("CUB DeviceScan", 1 << 26, 90.0)]
        lines = list(primitives.table_of_times(rows))
        self.assertIn("1.500, 0.900", lines[2])
        self.assertEqual(lines[2].split("|")[3:5], [" 20.0 ", " 100.0 "])
        self.assertTrue(lines[3].rstrip("|").rstrip().endswith("|"), lines[3])


@unittest.skipUnless(primitives.DATA.is_file(), "not measured yet")
class Page(unittest.TestCase):
    def test_is_that_of_the_data(self):
        self.assertEqual(primitives.PAGE.read_text(encoding="utf-8"), primitives.page())

    def test_all_results_are_right(self):
        _, records = primitives.rows()
        self.assertEqual([r for r in records if r["result"] != "right"], [])
        self.assertEqual({r["size"] for r in records}, {1 << 24, 1 << 26, 1 << 28, 1 << 30})


if __name__ == "__main__":
    unittest.main()
