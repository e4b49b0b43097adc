#!/usr/bin/env python3
"""Judged findings, counted by repository and by rule, as Markdown tables.

    verdicts.py CSV [--possible] [--check PAGE] [--least PERCENT]
    verdicts.py CSV --reports FOLDER NAME=REPORT.json...

CSV has the columns repository, commit, path, line, rule, verdict, why, judged_before, last_seen. A verdict is true, letter
(true by the letter of the documentation, without consequence) or false. last_seen is `present` for a finding of the build
that the page is about, else the commit of the last build that had it: such rows are history, and the tables count them
apart. With --check nothing is printed, and PAGE has to hold the tables as they are printed. --least fails when fewer of
the present findings are true or true by the letter.

With --possible the findings are possible ones, and a verdict is true, look (worth a look: a careful reader has to check
something outside of the kernel) or noise. --least asks for those that are true or worth a look.

--reports compares the CSV with what the linter (`--output json`) says of repositories now, each in a folder FOLDER/NAME,
where NAME is the repository's without its owner: it prints the definite findings without a present row, and the present
rows without a finding.
"""

import argparse
import collections
import csv
import json
import pathlib
import sys

PRESENT = "present"


class Kind:
    """What is judged: verdicts, the last of which speaks against the finding, and the head of the tables."""

    def __init__(self, confidence, verdicts, head):
        self.confidence, self.verdicts, self.head = confidence, verdicts, head


DEFINITE = Kind("definite", ("true", "letter", "false"),
                "| %s | findings | true | true by the letter | false | right, %% | gone: true | letter | false |")
POSSIBLE = Kind("possible", ("true", "look", "noise"),
                "| %s | possible findings | true | worth a look | noise | true or worth a look, %% | gone: true | look | noise |")


def place_of(finding):
    return tuple(finding[column] for column in ("repository", "path", "line", "rule"))


def read_findings(path, kind):
    with open(path, newline="") as file:
        findings = list(csv.DictReader(file))
    places = set()
    for finding in findings:
        place = place_of(finding)
        if finding["verdict"] not in kind.verdicts or not finding["why"] or not finding["last_seen"] or place in places:
            sys.exit("%s: unknown verdict, no reason, no build or a second verdict: %s" % (path, ", ".join(place)))
        places.add(place)
    return findings


def is_present(finding):
    return finding["last_seen"] == PRESENT


def right_percent(count, kind):
    total = sum(count[verdict, True] for verdict in kind.verdicts)
    return 100 * (total - count[kind.verdicts[-1], True]) / total if total else None


def table(findings, column, kind):
    counts = collections.defaultdict(collections.Counter)
    for finding in findings:
        counts[finding[column]][finding["verdict"], is_present(finding)] += 1
    rows = sorted(counts.items(), key=lambda row: (-row[1].total(), row[0]))
    rows.append(("total", sum(counts.values(), collections.Counter())))
    lines = [kind.head % column, "|" + "---|" * 9]
    for name, count in rows:
        percent = right_percent(count, kind)
        present = [count[verdict, True] for verdict in kind.verdicts]
        gone = [count[verdict, False] for verdict in kind.verdicts]
        cells = [name, sum(present), *present, "" if percent is None else "%.1f" % percent, *gone]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def places_in(report, folder, repositories, kind):
    """Places of a report's findings of the kind, as the CSV names them."""
    places = {}
    for finding in json.loads(pathlib.Path(report).read_text())["findings"]:
        if finding["confidence"] == kind.confidence:
            path = (folder / finding["file"]).resolve().relative_to(folder)
            places[repositories.get(folder.name, folder.name), str(path), str(finding["line"]), finding["rule"]] = finding
    return places


def compare(findings, root, reports, kind):
    repositories = {finding["repository"].split("/")[1]: finding["repository"] for finding in findings}
    judged = {place_of(finding): finding for finding in findings}
    for text in reports:
        name, report = text.split("=", 1)
        now = places_in(report, (root / name).resolve(), repositories, kind)
        for place, finding in sorted(now.items()):
            if place not in judged or not is_present(judged[place]):
                print("new:", *place, "|", judged.get(place, {}).get("verdict", "not judged"), "|", finding["message"])
        for place, finding in sorted(judged.items()):
            if place[0] == repositories.get(name) and is_present(finding) and place not in now:
                print("gone:", *place, "|", finding["verdict"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--possible", dest="kind", action="store_const", const=POSSIBLE, default=DEFINITE)
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--reports", nargs="+", metavar="FOLDER, NAME=REPORT")
    arguments = parser.parse_args()
    kind = arguments.kind
    findings = read_findings(arguments.csv, kind)
    if arguments.reports:
        return compare(findings, pathlib.Path(arguments.reports[0]), arguments.reports[1:], kind)
    percent = right_percent(collections.Counter((finding["verdict"], is_present(finding)) for finding in findings), kind)
    if percent is not None and percent < arguments.least:
        sys.exit("%s: %.1f %% of the present findings are right, fewer than %g %%" % (arguments.csv, percent, arguments.least))
    tables = [table(findings, column, kind) for column in ("repository", "rule")]
    if not arguments.check:
        print("\n".join(tables), end="")
    elif any(text not in arguments.check.read_text() for text in tables):
        sys.exit("%s does not hold the tables of %s" % (arguments.check, arguments.csv))
    return None


if __name__ == "__main__":
    sys.exit(main())
