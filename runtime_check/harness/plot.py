#!/usr/bin/env python3
"""Draws which hazards show under which check, and writes the page about it, from a report.

    plot.py [report.json] [--out DIR]        default: runtime_check/report.json, docs/measurements/

Writes hazards.svg and hazards.md. No library is needed.
"""

import argparse
import csv
import html
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import checks  # noqa: E402
import verdicts  # noqa: E402

ROOT = HERE.parent.parent
SHOWN = checks.ASKED
NAMES = {"plain": "plain", "skewed": "skewed", "everywhere": "skewed everywhere", "debug": "-G", "racecheck": "racecheck",
         "synccheck": "synccheck"}
ROW, CELL, LEFT, TOP = 15, 62, 430, 74
COLOURS = {"shown": "#c0392b", "hang": "#6c3483", "reports": "#b9770e", "silent": "#d5dbdb", "missing": "#ffffff", "failed": "#85929e"}


def kind_of(result):
    """One of COLOURS, and how strong."""
    if not result or result["outcome"] == "missing":
        return "missing", 1.0
    if result["outcome"] == "failed":
        return "failed", 1.0
    if "reports" in result:
        return ("reports" if result["reports"] else "silent"), 1.0
    if result["outcome"] in ("hang", "fault"):
        return "hang", 1.0
    if result.get("wrong"):
        return "shown", 0.35 + 0.65 * result["wrong"] / result["units"]
    return "silent", 1.0


def text(x, y, words, **attributes):
    more = "".join(' %s="%s"' % (name.replace("_", "-"), value) for name, value in attributes.items())
    return '<text x="%d" y="%d"%s>%s</text>' % (x, y, more, html.escape(words))


def cell(row, check, x, y):
    result = row["checks"].get(check)
    kind, strength = kind_of(result)
    if kind == "missing":
        return ""
    said = checks.Result(**{**{"outcome": "missing"}, **{k: v for k, v in result.items()}})
    return '<rect x="%d" y="%d" width="%d" height="%d" fill="%s" fill-opacity="%.2f"><title>%s</title></rect>' % (
        x, y, CELL - 2, ROW - 2, COLOURS[kind], strength, html.escape("%s, %s: %s" % (row["name"], NAMES[check], verdicts.mark(said))))


def legend(y):
    words = [("shown", "wrong results (darker: more blocks)"), ("hang", "hang or fault"), ("reports", "the tool reports"),
             ("silent", "right, or silent")]
    for i, (kind, what) in enumerate(words):
        x = 10 + 195 * i
        yield '<rect x="%d" y="%d" width="12" height="12" fill="%s"/>' % (x, y, COLOURS[kind])
        yield text(x + 16, y + 10, what)


def svg(report):
    rows = sorted(report["hazards"], key=lambda r: (r["rule"], r["name"]))
    machine, height = report["machine"], TOP + ROW * len(rows) + 40
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
             % (LEFT + CELL * len(SHOWN) + 10, height), '<rect width="100%" height="100%" fill="#ffffff"/>',
             text(10, 18, "Which hazards show under which check", font_size=15, font_weight="bold"),
             text(10, 36, "%s, driver %s, CUDA %s, %s; %d trials per kernel" % (
                 machine["gpu"], machine["driver"], machine["toolkit"], report["date"], report["trials"]))]
    for i, check in enumerate(SHOWN):
        head = NAMES[check].split()
        for k, word in enumerate(head):
            parts.append(text(LEFT + CELL * i + CELL // 2, TOP - 8 - 12 * (len(head) - 1 - k), word, text_anchor="middle"))
    for j, row in enumerate(rows):
        y = TOP + ROW * j
        label = row["name"] if row["name"].startswith(row["rule"]) else "%s (%s)" % (row["rule"], row["name"])
        parts.append(text(LEFT - 6, y + 10, label.replace("#0", ""), text_anchor="end"))
        parts += [drawn for i, check in enumerate(SHOWN) if (drawn := cell(row, check, LEFT + CELL * i, y))]
    parts += legend(height - 24)
    return "\n".join(parts) + "\n</svg>\n"


def counted(report):
    """Lines of a table: verdict, how many."""
    for verdict, n in sorted(report["summary"]["verdicts"].items(), key=lambda item: -item[1]):
        yield "| %s | %d |" % (verdict, n)


def by_check(report):
    """Of the confirmed hazards, how many each check shows."""
    confirmed = [row for row in report["hazards"] if row["verdict"] in verdicts.CONFIRMED]
    for check in SHOWN:
        kinds = [kind_of(row["checks"].get(check))[0] for row in confirmed]
        ran = sum(kind not in ("missing", "failed") for kind in kinds)
        yield "| %s | %d of %d |" % (NAMES[check], sum(kind in ("shown", "hang", "reports") for kind in kinds), ran)


def objections(report):
    """Corrected kernels that a check did not pass, and what it said."""
    rows = []
    for row in report["corrected"]:
        for check, result in row["checks"].items():
            if result.get("wrong") or result.get("reports") or result["outcome"] not in ("done", "missing"):
                said = verdicts.mark(checks.Result(**result)) + (" %d" % result["reports"] if result.get("reports") else "")
                rows.append("| %s | %s | %s | %s |" % (row["name"], NAMES.get(check, check), said, row.get("false_alarm", "")))
    return ["## Corrected kernels that a check objects to", "", "| kernel | check | says | false, because |", "|---|---|---|---|",
            *rows, ""] if rows else []


def silence(report):
    """Of the confirmed hazards that a tool looked at, how many it says nothing about."""
    for tool, name in (("racecheck", "Racecheck"), ("synccheck", "synccheck")):
        seen = [row["checks"][tool]["reports"] for row in report["hazards"]
                if row["verdict"] in verdicts.CONFIRMED and "reports" in row["checks"].get(tool, {})]
        yield "%s looked at %d of these and is silent about %d" % (name, len(seen), seen.count(0))


def table_of_not_shown(report):
    """Hazards that were never seen wrong, each with the reason of not_shown.csv and what the machine code or the manual says."""
    rows = verdicts.not_shown(report)
    if not rows:
        return []
    reasons = reasons_not_shown()
    lines = ["## Never seen wrong, and why", "",
             "%d hazards gave right results in every run. Machine code is that of nvcc 13.0 for sm_90." % len(rows), "",
             "| hazard | verdict | why | machine code, or the manual |", "|---|---|---|---|"]
    for row in sorted(rows, key=lambda r: (r["rule"], r["name"])):
        reason = reasons.get(row["name"].partition("#")[0], {"why": "not known", "text": ""})
        lines.append("| `%s` | %s | %s | %s |" % (row["name"].partition("#")[0], row["verdict"], reason["why"], reason["text"]))
    return lines + [""]


def reasons_not_shown():
    """{hazard: row} of not_shown.csv."""
    with open(HERE.parent / "not_shown.csv", newline="", encoding="utf-8") as file:
        return {row["hazard"]: row for row in csv.DictReader(file)}


LOGS = {"participation": "Who comes to a collective, by marks that the device logs",
        "barriers": "Who comes to a barrier, by racecheck's trace of synchronisation"}


def differential(report):
    found = report.get("differential")
    if not found:
        return []
    lines, rows = ["## The linter's claims against the GPU's logs", ""], []
    for what, name in LOGS.items():
        calls = found[what]
        lines += ["%s: %d calls are as the linter says, %d are not. Not compared: %s." % (
            name, calls["agree"], len(calls["differ"]),
            ", ".join("%d %s" % (n, why) for why, n in calls["not_compared"].items()) or "none"), ""]
        rows += [("%s, line %d" % (row["case"], row["line"]), "; ".join("warp %s: %s" % item for item in sorted(row["warps"].items())[:2]))
                 for row in calls["differ"]]
    races = found["races"]
    lines += ["Which lines race: of the pairs that racecheck names the linter names %d, %d more are of causes that it names by other "
              "pairs, %d stand in hazards that it reports as a barrier's, %d it does not tell. Racecheck names nothing of %d of its causes." % (
                  races["both"], races["same_cause"], races["told_as_barrier"], len(races["racecheck_only"]), len(races["linter_only"])), ""]
    rows += [("%s, lines %d and %d" % (row["case"], *row["lines"]), "racecheck alone") for row in races["racecheck_only"]]
    rows += [("%s, lines %d and %d" % (row["case"], *row["lines"]), "the linter alone") for row in races["linter_only"]]
    return lines + (["| where | what differs |", "|---|---|"] + ["| %s | %s |" % row for row in rows] + [""] if rows else [])


def page(report):
    summary, machine = report["summary"], report["machine"]
    otherwise = sum(row["verdict"] in verdicts.OTHERWISE for row in report["hazards"])
    share = 100.0 * summary["confirmed"] / summary["hazards"]
    lines = [
        "# Hazards on a GPU", "",
        "Made by `runtime_check/harness/plot.py` from `runtime_check/report.json`; how is told in "
        "[runtime-check](../internals/runtime-check.md).", "",
        "%s, driver %s, CUDA %s, %s." % (machine["gpu"], machine["driver"], machine["toolkit"], report["date"]), "",
        "%d of %d registered hazards (%.0f %%) were seen wrong, hanging or faulting, plain or skewed, %d more only with -G or "
        "slowed by a tool. %s. "
        "%d of %d corrected kernels pass every check that ran%s." % (
            summary["confirmed"], summary["hazards"], share, otherwise, ", ".join(silence(report)),
            summary["corrected_sound"], summary["corrected"],
            ", %d all but a false alarm of a tool" % summary["false_alarms"] if summary["false_alarms"] else ""), "",
        "| verdict | hazards |", "|---|---|", *counted(report), "",
        "| check | of the confirmed hazards it shows |", "|---|---|", *by_check(report), "",
        "Kernels that were run, hazards and corrected ones: %s." % ", ".join(
            "%d %s" % (summary["kernels_checked"][check], NAMES[check]) for check in SHOWN), "",
        "![which hazards show under which check](hazards.svg)", "", *table_of_not_shown(report), *objections(report), *differential(report)]
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", nargs="?", type=pathlib.Path, default=HERE.parent / "report.json")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "measurements")
    options = parser.parse_args()
    report = json.loads(options.report.read_text(encoding="utf-8"))
    (options.out / "hazards.svg").write_text(svg(report), encoding="utf-8")
    (options.out / "hazards.md").write_text(page(report), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
