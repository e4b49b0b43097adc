#!/usr/bin/env python3
"""Definite findings in public code, each with a kernel of the same shape, and what a GPU says of that kernel.

    found.py page              writes docs/found.md from trophies.csv and report.json
    found.py page --check      says whether that page is the one of the data (exit status 1: not)

trophies.csv has one line per finding: the kernel that has its shape (RULE/bad_KERNEL.cu and good_KERNEL.cu in a folder beside this
file), where the finding is, what fails, under which launch, the patch in a sentence, and what upstream knows: "fixed", "reported"
or "none", with the commit or thread. report.json is what run_all.sh --cases runtime_check/wild left.
"""

import argparse
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "found.md"
TROPHIES = HERE / "trophies.csv"
REPORT = HERE / "report.json"
NOTES = HERE / "notes.md"
sys.path.insert(0, str(ROOT / "runtime_check" / "harness"))

import checks  # noqa: E402
import verdicts  # noqa: E402

# Verdicts of the harness by what the page says first, in the order of the page.
GROUPS = [
    ("fail as they are", ("wrong results", "hang", "fault")),
    ("fail only when their timing is shifted", ("wrong when skewed", "hang when skewed", "fault when skewed")),
    ("fail only when built with -G", ("wrong with -G", "hang with -G", "fault with -G")),
    ("fail only when a tool slows them", ("wrong under racecheck", "wrong under synccheck")),
    ("show to compute-sanitizer only", ("sanitizer only",)),
    ("do not show on this GPU", ("not reproduced on this GPU",)),
    ("not run", ("not run",)),
]
SHOWN = ("plain", "skewed", "everywhere", "debug", "racecheck", "synccheck")
UPSTREAM = {"fixed", "reported", "none"}


def trophies():
    with open(TROPHIES, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kernel_file(trophy, kind):
    """The hazard ("bad") or what corrects it ("good"), from the root of the repository."""
    found = sorted(HERE.glob("*/%s_%s.cu" % (kind, trophy["kernel"])))
    if len(found) != 1:
        raise SystemExit("found.py: %d files %s_%s.cu" % (len(found), kind, trophy["kernel"]))
    return str(found[0].relative_to(ROOT))


def rows_of(report, part):
    """{file: row} of the report's hazards, or of the corrected kernels."""
    return {row["file"]: row for row in report.get(part, [])}


def group_of(verdict):
    return next(name for name, members in GROUPS if verdict in members)


def cell(row, check):
    result = row["checks"].get(check) if row else None
    if not result:
        return "–"
    said = verdicts.mark(checks.Result(**result))
    if said == "reports":
        return "%d reports" % result["reports"] if result["reports"] > 1 else "1 report"
    return {"-": "–"}.get(said, said)


def link(trophy):
    place = "%s:%s" % (trophy["path"].rpartition("/")[2], trophy["line"])
    return "[%s](https://github.com/%s/blob/%s/%s#L%s)" % (
        place, trophy["repository"], trophy["commit"], trophy["path"], trophy["line"])


def upstream(trophy):
    return "[%s](%s)" % (trophy["said"], trophy["reference"]) if trophy["reference"] else trophy["said"]


def table_of_places(rows):
    lines = ["| finding | rule | what fails | launch | patch | upstream |", "|---|---|---|---|---|---|"]
    return lines + ["| %s | %s | %s | %s | %s | %s |" % (link(t), t["rule"], t["fails"], t["launch"], t["patch"], upstream(t)) for t in rows]


def table_of_runs(rows, hazards, corrected):
    lines = ["| kernel | finding | verdict | plain | skewed | skewed everywhere | with -G | racecheck | synccheck | corrected |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for trophy in rows:
        row, good = hazards.get(kernel_file(trophy, "bad")), corrected.get(kernel_file(trophy, "good"))
        sound = "–" if not good else "passes all" if good["sound"] else "does not pass all"
        lines.append("| `%s` | %s:%s | %s | %s | %s |" % (
            trophy["kernel"], trophy["path"].rpartition("/")[2], trophy["line"], row["verdict"] if row else "not run",
            " | ".join(cell(row, check) for check in SHOWN), sound))
    return lines


def verdict_of(trophy, hazards):
    row = hazards.get(kernel_file(trophy, "bad"))
    return row["verdict"] if row else "not run"


def tally(rows, hazards):
    for name, members in GROUPS:
        n = sum(verdict_of(trophy, hazards) in members for trophy in rows)
        if n:
            yield "%d %s" % (n, name)


def machine_of(report):
    if not report:
        return "They have not been run yet."
    machine = report["machine"]
    return "%s, driver %s, CUDA %s, %s." % (machine["gpu"], machine["driver"], machine["toolkit"], report["date"])


def silent_tools(rows, hazards):
    """Of the kernels that fail, how many each tool looked at and says nothing about."""
    failing = [hazards[kernel_file(t, "bad")] for t in rows if verdict_of(t, hazards) in verdicts.CONFIRMED]
    for tool in ("racecheck", "synccheck"):
        seen = [row["checks"][tool]["reports"] for row in failing if "reports" in row["checks"].get(tool, {})]
        yield "%s looked at %d of those that fail and says nothing about %d" % (tool, len(seen), seen.count(0))


def page_text():
    rows = trophies()
    report = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.is_file() else {}
    hazards, corrected = rows_of(report, "hazards"), rows_of(report, "corrected")
    repositories = list(dict.fromkeys(t["repository"] for t in rows))
    known = [t for t in rows if t["upstream"] != "none"]
    lines = ["# Found in public code", "",
             "Made by `runtime_check/wild/found.py` from `trophies.csv` and `report.json` beside it.", "",
             "%d definite findings of %d rules in %d repositories, each with a cause of its own and read against the source. For each there is a" % (
                 len(rows), len({t["rule"] for t in rows}), len(repositories)),
             "kernel in `runtime_check/wild/` that has the shape of the bug and none of the project's code, and a corrected one: the linter",
             "reports the first as definite and nothing in the second. What a GPU does with them is below; it is said of these kernels, not of",
             "the projects. %d of the findings were fixed or reported upstream by others." % len(known), "", "## Where", ""]
    for repository in repositories:
        members = [t for t in rows if t["repository"] == repository]
        lines += ["### %s at %s" % (repository, members[0]["commit"]), "", *table_of_places(members), ""]
    lines += ["## Kernels of the same shape, on a GPU", "", machine_of(report), ""]
    lines += ["Of %d kernels %s." % (len(rows), ", ".join(tally(rows, hazards))), ""]
    if report:
        lines += ["; ".join(silent_tools(rows, hazards)).capitalize() + ".", ""]
    lines += ["A cell says how many of so many blocks or launches were wrong, or how many reports a tool makes of two launches, of at",
              "most eight blocks where no size asks for more. *Skewed*: `cuwarp-lint perturb` delays lanes at the finding, *everywhere* at all collectives and accesses to",
              "shared memory; no result that is guaranteed changes by that.", "", *table_of_runs(rows, hazards, corrected), ""]
    if NOTES.is_file():
        lines += [NOTES.read_text(encoding="utf-8").rstrip(), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("page").add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PAGE.write_text(page_text(), encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page_text():
        sys.exit("found.py: docs/found.md is not the page of trophies.csv and report.json: run found.py page")


if __name__ == "__main__":
    main()
