#!/usr/bin/env python3
"""Judged findings, counted by repository and by rule, as Markdown tables.

    verdicts.py CSV [--check PAGE]

CSV has the columns repository, commit, path, line, rule, verdict, why, judged_before; a verdict is true, letter (true by the letter of
the documentation, without consequence) or false. With --check nothing is printed, and PAGE has to hold the tables as
they are printed.
"""

import argparse
import collections
import csv
import pathlib
import sys

VERDICTS = ("true", "letter", "false")


def read_findings(path):
    with open(path, newline="") as file:
        findings = list(csv.DictReader(file))
    places = set()
    for finding in findings:
        place = finding["repository"], finding["path"], finding["line"], finding["rule"]
        if finding["verdict"] not in VERDICTS or not finding["why"] or place in places:
            sys.exit("%s: unknown verdict, no reason or a second verdict: %s" % (path, ", ".join(place)))
        places.add(place)
    return findings


def table(findings, column):
    counts = collections.defaultdict(collections.Counter)
    for finding in findings:
        counts[finding[column]][finding["verdict"]] += 1
    rows = sorted(counts.items(), key=lambda row: (-row[1].total(), row[0]))
    rows.append(("total", sum(counts.values(), collections.Counter())))
    lines = ["| %s | findings | true | true by the letter | false | false, %% |" % column, "|---|---|---|---|---|---|"]
    for name, count in rows:
        cells = [name, count.total()] + [count[verdict] for verdict in VERDICTS]
        lines.append("| %s | %.0f |" % (" | ".join(map(str, cells)), 100 * count["false"] / count.total()))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    arguments = parser.parse_args()
    findings = read_findings(arguments.csv)
    tables = [table(findings, column) for column in ("repository", "rule")]
    if not arguments.check:
        print("\n".join(tables), end="")
    elif any(text not in arguments.check.read_text() for text in tables):
        sys.exit("%s does not hold the tables of %s" % (arguments.check, arguments.csv))


if __name__ == "__main__":
    main()
