#!/usr/bin/env python3
"""How long the GPU was held for the results of this folder, and whether that is within what they may take.

    seconds.py take SECONDS.CSV…   takes lines of part.sh in: the newest of each part stays
    seconds.py page                writes docs/measurements/gpu-time.md from seconds.csv
    seconds.py page --check        says whether that page is the one of the data (exit status 1: not)

Exit status 1 also when a part is missing or has an unknown name, one takes more than 9 minutes, or all take more than 25.
"""

import argparse
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "seconds.csv"
PAGE = HERE.parent / "docs" / "measurements" / "gpu-time.md"
COLUMNS = ("part", "seconds", "gpu", "day")
PARTS = {
    "kernels": "hazards of the fixtures and what corrects them, all checks, and what being correct costs ([page](hazards.md))",
    "wild": "the same for kernels in the shape of public bugs ([page](../found.md))",
    "programs": "whole programs: plain, shifted and mended, and under compute-sanitizer ([page](programs.md))",
    "compare": "labelled suites of others under compute-sanitizer ([page](tools.md))",
    "ladder": "the reduction ladder and the pairs of advice ([page](reduction-ladder.md))",
    "primitives": "segmented sums, scan and histogram beside CUB ([page](primitives.md))",
}
MOST_OF_ONE, MOST_OF_ALL = 540, 1500  # seconds


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["part"]: row for row in csv.DictReader(file)}


def problems(rows):
    for part in sorted(set(rows) ^ set(PARTS)):
        yield f"{part} is {'no part' if part in rows else 'missing'}"
    for part, row in rows.items():
        if int(row["seconds"]) > MOST_OF_ONE:
            yield f"{part} takes {row['seconds']} s, more than {MOST_OF_ONE}"
    if sum(int(row["seconds"]) for row in rows.values()) > MOST_OF_ALL:
        yield f"all parts together take more than {MOST_OF_ALL} s"


def take(paths):
    rows = read(DATA) if DATA.exists() else {}
    for path in paths:
        rows.update(read(path))
    with open(DATA, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[part] for part in PARTS if part in rows)


def page_text(rows):
    lines = ["# What the GPU is needed for", "",
             "What `runtime_check/part.sh` takes for each part of the results of `runtime_check/`. Seconds are those for which the machine was held, with",
             "building on its 16 cores, and the runs that a part needed are added up. A run may take 9 minutes, and all of them 25. The committed results of",
             "`compare`, `ladder` and `primitives` are those of an earlier run of the same parts, which their pages name.", "",
             "| part | what | seconds | GPU | day |", "|---|---|---|---|---|"]
    for part, row in rows.items():
        lines.append(f"| `{part}` | {PARTS.get(part, '?')} | {row['seconds']} | {row['gpu']} | {row['day']} |")
    total = sum(int(row["seconds"]) for row in rows.values())
    return "\n".join([*lines, f"| | together | {total} | | |", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("take").add_argument("files", nargs="+", type=pathlib.Path)
    commands.add_parser("page").add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.command == "take":
        take(given.files)
        return 0
    rows = read(DATA)
    wrong = list(problems(rows))
    if not given.check:
        PAGE.write_text(page_text(rows), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page_text(rows):
        wrong.append("docs/measurements/gpu-time.md is not the page of seconds.csv: run seconds.py page")
    for problem in wrong:
        print(f"seconds.py: {problem}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
