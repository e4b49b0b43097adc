#!/usr/bin/env python3
"""Pairs of programs, one with a bug and one without, as they stand in repositories: is each bug found as well as before?

tests/pairs/FOLDER/NAME_bug.cu has one bug of synchronisation, NAME_ok.cu is the same program without it; those with a
header of their own are NAME/bug/main.cu and NAME/ok/main.cu. They were written by somebody who did not know the tool
(docs/measurements/blind.md). labels.csv says of each where its bug is, why it is one, and how it was found: `first`, by
the build that was there when the programs came, and `now`, with the rule that tells it.

Fails when a bug is found worse than `now` says, when an _ok program has a definite finding, or when a bug is found better:
then labels.csv is to be brought up to date.

usage: run.py --bin build/release/cuwarp-lint [--table] [NAME...]"""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
RANK = {"silent": 0, "possible": 1, "definite": 2}
OPTIONS = ["--isolated", "--no-cache", "--possible", "--preview", "--exit-zero", "--output", "json", "-j1"]


def findings_of(binary, path):
    """(confidence, rule) of what the tool says of a file, without advice on speed."""
    done = subprocess.run([binary, path, *OPTIONS], capture_output=True, timeout=120, check=False)
    report = json.loads(done.stdout)
    return [(f["confidence"], f["rule"], f["line"]) for f in report["findings"] if f.get("category") != "perf"]


def best_of(findings):
    return max((f[0] for f in findings), key=lambda c: RANK[c], default="silent")


def judge(binary, row):
    """The bug's confidence, its rules, and what is wrong with the pair, or None."""
    base = os.path.join(HERE, row["program"])
    has_header = os.path.isdir(base)
    bug, clean = (findings_of(binary, base + (f"/{which}/main.cu" if has_header else f"_{which}.cu"))
                  for which in ("bug", "ok"))
    found = best_of(bug)
    rules = sorted({f[1] for f in bug if f[0] == found})
    false = [f for f in clean if f[0] == "definite"]
    if false:
        return found, rules, f"_ok has a definite finding: {false[0][1]} in line {false[0][2]}"
    if RANK[found] != RANK[row["now"]]:
        change = "worse" if RANK[found] < RANK[row["now"]] else "better: bring labels.csv up to date"
        return found, rules, f"the bug is {found}, labels.csv says {row['now']} ({change})"
    if found != "silent" and row["rule"] not in rules:
        return found, rules, f"told by {', '.join(rules)}, labels.csv says {row['rule']}"
    return found, rules, None


def print_table(rows):
    """Rates by folder, first and now, as docs/measurements/blind.md has them."""
    for column in ("first", "now"):
        for folder in sorted({r["program"].split("/")[0] for r in rows}):
            count = collections.Counter(r[column] for r in rows if r["program"].startswith(folder + "/"))
            print(f"{column:6} {folder:12} " + "  ".join(f"{k} {count[k]}" for k in ("definite", "possible", "silent")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--table", action="store_true", help="print the rates that labels.csv has, and run nothing")
    parser.add_argument("names", nargs="*", help="programs, with or without their folder")
    options = parser.parse_args()
    with open(os.path.join(HERE, "labels.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if options.table:
        print_table(rows)
        return 0
    if options.names:
        rows = [r for r in rows if r["program"] in options.names or r["program"].split("/")[1] in options.names]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda row: judge(os.path.abspath(options.bin), row), rows))
    wrong = [(row, why) for row, (_, _, why) in zip(rows, results) if why]
    for row, why in wrong:
        print(f"{row['program']}: {why}")
    print(f"{len(rows)} pairs, {len(wrong)} not as labels.csv says")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
