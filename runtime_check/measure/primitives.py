#!/usr/bin/env python3
"""docs/measurements/primitives.md: segmented sums, scan and histogram against CUB, from what run.sh --primitives left.

    primitives.py page            writes the page from docs/measurements/primitives.json and predictions.csv
    primitives.py page --check    says whether that page is the one of the data (exit status 1: not)

predictions.csv was written before the first run: how many times as fast as CUB each way is expected to be at the largest size, and why.
"""

import argparse
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs" / "measurements"
DATA = DOCS / "primitives.json"
PAGE = DOCS / "primitives.md"
NOTES = HERE / "primitives-notes.md"


def rows():
    data = json.loads(DATA.read_text(encoding="utf-8"))
    return data["machine"], [r for r in data["records"] if r["group"] == "primitive"]


def is_library(row):
    return row["variant"].startswith("CUB ")


def library_times(records):
    return {(r["name"], r["series"], r["size"]): r["median_us"] for r in records if is_library(r)}


def times_cub(row, library):
    return library[row["name"], row["series"], row["size"]] / row["median_us"]


def power(size):
    return "2^%d" % (size.bit_length() - 1)


def table_of_times(records):
    library, sizes = library_times(records), sorted({r["size"] for r in records})
    yield "| what | way | %s | TB/s at %s | times CUB |" % (" | ".join("%s µs" % power(s) for s in sizes), power(sizes[-1]))
    yield "|---" * (len(sizes) + 4) + "|"
    for name, series, variant in dict.fromkeys((r["name"], r["series"], r["variant"]) for r in records):
        own = {r["size"]: r for r in records if (r["name"], r["series"], r["variant"]) == (name, series, variant)}
        ratios = "" if is_library(own[sizes[-1]]) else ", ".join("%.3f" % times_cub(own[s], library) for s in sizes)
        yield "| %s, %s | %s | %s | %.3f | %s |" % (
            name, series, variant, " | ".join("%.1f" % own[s]["median_us"] for s in sizes),
            own[sizes[-1]]["bytes"] / own[sizes[-1]]["median_us"] / 1e6, ratios)


def table_of_predictions(records):
    library, largest = library_times(records), max(r["size"] for r in records)
    yield "| what | way | predicted | measured at %s | expected because |" % power(largest)
    yield "|---|---|---|---|---|"
    with open(HERE / "predictions.csv", newline="", encoding="utf-8") as file:
        for p in csv.DictReader(file):
            row = next(r for r in records if (r["name"], r["series"], r["variant"], r["size"]) == (
                p["name"], p["series"], p["variant"], largest))
            yield "| %s, %s | %s | %s | %.2f | %s |" % (p["name"], p["series"], p["variant"], p["times_cub"], times_cub(row, library), p["why"])


def page():
    machine, records = rows()
    wrong = [r for r in records if r["result"] != "right"]
    lines = ["# Segmented reduction, scan and histogram", "",
             "Made by `runtime_check/measure/primitives.py` from [primitives.json](primitives.json); `runtime_check/measure/run.sh OUTDIR --primitives`"
             " measures it, each way in the same run as CUB's, calls in a row over buffers that no cache holds.", "",
             "%s, driver %s, CUDA %s. %s" % (machine["device"], machine["driver"], machine["cuda_runtime"],
                                             "All results are right." if not wrong else "%d results are wrong." % len(wrong)), "",
             "The kernels (`runtime_check/measure/primitives.cuh`) use what the rules advise: shuffles, votes and matches that all lanes of a"
             " full mask call, one barrier between storing and reading shared memory, atomics with an order where blocks meet. The linter"
             " reports nothing in them.", "",
             *table_of_times(records), "",
             "The last column has a number for each size. Bytes are those that have to move: the input once, for the scan the output too, for"
             " segments their bounds and sums.", "",
             "## Predicted and measured", "", *table_of_predictions(records), ""]
    if NOTES.is_file():
        lines += [NOTES.read_text(encoding="utf-8").rstrip("\n"), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["page"])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    text = page()
    if not given.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != text:
        print("docs/measurements/primitives.md is not the page of the data: run runtime_check/measure/primitives.py page")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
