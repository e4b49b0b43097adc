#!/usr/bin/env python3
"""Small projects of several files, each with a correct and a faulty version: is each bug found as well as before?

tests/pairs/projects/NAME/ok and NAME/bug are the same project but for five or six bugs, of which labels.csv says where each is,
why it is one, and how it was found: `first`, by the build that was there when the projects came, and `now`, with the
rule that tells it. A finding is of a bug when it, or a note of it, is within NEAR lines of one of the label's two.

Fails when a bug is found worse than `now` says, or better; when the correct version has a definite finding; and when
the faulty one has a definite finding that is of none of its bugs.

usage: projects.py --bin build/release/cuwarp-lint [--write]"""
import argparse
import csv
import json
import os
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "projects")
RANK = {"silent": 0, "possible": 1, "definite": 2}
NEAR = 2


def findings_of(binary, folder):
    done = subprocess.run([binary, ".", "--isolated", "--no-cache", "--possible", "--preview", "--exit-zero", "--output",
                           "json"], cwd=folder, capture_output=True, timeout=300, check=False)
    return [f for f in json.loads(done.stdout)["findings"] if f.get("category") != "perf"]


def places_of(finding):
    notes = [(n.get("file") or finding["file"], n.get("line")) for n in finding.get("notes", [])]
    return [(finding["file"], finding["line"])] + [(file, line) for file, line in notes if line]


def is_of(finding, row):
    lines = [int(row[column]) for column in ("line", "line2") if row[column]]
    return any(file.endswith(row["file"]) and abs(line - wanted) <= NEAR
               for file, line in places_of(finding) for wanted in lines)


def judge(binary, project, rows):
    """What is wrong with the project; sets `found` and `told` of its rows."""
    wrong = [f"{project}/ok: definite {f['rule']} in {f['file']}:{f['line']}"
             for f in findings_of(binary, os.path.join(HERE, project, "ok")) if f["confidence"] == "definite"]
    faulty = findings_of(binary, os.path.join(HERE, project, "bug"))
    for row in rows:
        of = [f for f in faulty if is_of(f, row)]
        row["found"] = max((f["confidence"] for f in of), key=RANK.get, default="silent")
        row["told"] = sorted({f["rule"] for f in of if f["confidence"] == row["found"]})
        place = f"{project}/bug/{row['file']}:{row['line']}"
        if row["found"] != row["now"]:
            wrong.append(f"{place}: the bug is {row['found']}, labels.csv says {row['now']}")
        elif row["found"] != "silent" and row["rule"] not in row["told"]:
            wrong.append(f"{place}: told by {', '.join(row['told'])}, labels.csv says {row['rule']}")
    wrong += [f"{project}/bug: definite {f['rule']} in {f['file']}:{f['line']} is of none of the bugs"
              for f in faulty if f["confidence"] == "definite" and not any(is_of(f, row) for row in rows)]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--write", action="store_true", help="write what was found into the column `now`")
    options = parser.parse_args()
    labels = os.path.join(HERE, "labels.csv")
    with open(labels, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wrong = []
    for project in sorted({row["project"] for row in rows}):
        wrong += judge(os.path.abspath(options.bin), project, [row for row in rows if row["project"] == project])
    if options.write:
        for row in rows:
            row["now"], told = row.pop("found"), row.pop("told")
            row["rule"] = row["rule"] if row["rule"] in told else (told or [""])[0]
        with open(labels, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for text in wrong:
        print(text)
    print(f"{len(rows)} bugs, {len(wrong)} not as labels.csv says")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
