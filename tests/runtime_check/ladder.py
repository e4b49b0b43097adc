#!/usr/bin/env python3
"""The page of the reduction ladder says what its data say: times, rates, and how far ahead of CUB the last rung is."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "docs" / "measurements"
PAGE = (PAGES / "reduction-ladder.md").read_text(encoding="utf-8")
SIZES = [1 << n for n in (24, 26, 28, 30)]
LAST, LIBRARY = "overlapped", "CUB"
LEAST = 0.96  # of the datasheet's bytes per second


class Data:
    def __init__(self, name):
        content = json.loads((PAGES / name).read_text(encoding="utf-8"))
        self.machine, self.records = content["machine"], content["records"]

    def of(self, rung, group="ladder"):
        """The records of a rung, by size."""
        found = {r["size"]: r for r in self.records if r["group"] == group and r["name"] == rung}
        return [found[size] for size in SIZES]

    def share(self, record):
        return record["bytes"] / record["median_us"] * 1e6 / self.machine["datasheet_bytes_per_second"]

    def ahead(self, rung, group="ladder"):
        """How many times as fast as CUB, by size."""
        return [library["median_us"] / own["median_us"] for own, library in zip(self.of(rung, group), self.of(LIBRARY, group))]


def rows_of(page):
    """[[{rung: cells}]]: each table of the page that has times for each size."""
    tables, table = [], None
    for line in page.split("\n"):
        if line.startswith("| rung | 2^24 µs |"):
            tables.append(table := {})
        elif table is not None and line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not cells[0].startswith("-"):
                table[cells[0]] = cells[1:]
        else:
            table = None
    return tables


def texts(numbers, digits):
    return ", ".join("%.*f" % (digits, number) for number in numbers)


class Page(unittest.TestCase):
    def check_rows(self, rows, data):
        for rung, cells in rows.items():
            records = data.of(rung)
            self.assertEqual(cells[:4], ["%.1f" % r["median_us"] for r in records], rung)
            self.assertEqual(cells[4], "%.3f" % (records[-1]["bytes"] / records[-1]["median_us"] / 1e6), rung)
            self.assertEqual(cells[5], "%.1f %%" % (100 * data.share(records[-1])), rung)

    def test_tables_are_those_of_the_data(self):
        first, second = rows_of(PAGE)
        self.check_rows(first, Data("measure.json"))
        self.check_rows(second, Data("measure-second-card.json"))
        self.assertEqual(list(first)[-2:], [LAST, LIBRARY])

    def test_gains_are_those_of_the_data(self):
        data, (first, _) = Data("measure.json"), rows_of(PAGE)
        rungs = [rung for rung in first if rung != LIBRARY]
        for before, rung in zip(rungs, rungs[1:]):
            gain = data.of(before)[-1]["median_us"] / data.of(rung)[-1]["median_us"]
            self.assertAlmostEqual(float(first[rung][6]), gain, delta=0.0051, msg=rung)

    def test_comparisons_with_cub_are_those_of_the_data(self):
        data, second, page = Data("measure.json"), Data("measure-second-card.json"), re.sub(r"\s+", " ", PAGE)
        for said in ("%s times in a row of calls" % texts(data.ahead(LAST), 3),
                     "there it is %s times as fast as CUB" % texts(data.ahead(LAST, "alone"), 3),
                     "*wide loads* is %s times as fast in a row, %s alone" % (texts(data.ahead("wide loads"), 3),
                                                                             texts(data.ahead("wide loads", "alone"), 3)),
                     "nearly the same on both, %s there" % texts(second.ahead(LAST), 3)):
            self.assertIn(said, page)
        shares = ["%.1f %%" % (100 * data.share(r)) for r in data.of(LAST)]
        self.assertIn("%s of the datasheet's 4.8**, and %s at the smaller sizes" % (shares[3], ", ".join(shares[:3])), page)

    def test_page_names_the_device(self):
        self.assertIn(Data("measure.json").machine["device"].split()[-1], PAGE)


class Claims(unittest.TestCase):
    def test_last_rung_is_ahead_of_cub_and_near_the_datasheet(self):
        for name in ("measure.json", "measure-second-card.json"):
            data = Data(name)
            self.assertGreater(min(data.ahead(LAST)), 1, name)
            self.assertGreaterEqual(min(data.share(r) for r in data.of(LAST)), LEAST, name)

    def test_results_are_right(self):
        for name in ("measure.json", "measure-second-card.json"):
            self.assertEqual([r for r in Data(name).records if r["result"] != "right"], [], name)


if __name__ == "__main__":
    unittest.main()
