#!/usr/bin/env python3
"""docs/measurements/tools.md: what each tool finds in programs with a label, from the data beside this file.

    compare.py page            writes the page
    compare.py page --check    says whether that page is the one of the data (exit status 1: not)
    compare.py open            the misses and false findings of the linter that misses.csv does not explain

static.json is what static.py left, runs.json what gpu.py left; the verdicts of compute-sanitizer on this repository's own kernels are
those of runtime_check/report.json and runtime_check/wild/report.json. misses.csv has the cause of each hazard that the linter
does not report with its preview rules on, false.csv that of each report on a correct program.
"""

import argparse
import csv
import json
import pathlib
import statistics
import sys

import suites

HERE = pathlib.Path(__file__).resolve().parent
PAGE = suites.ROOT / "docs" / "measurements" / "tools.md"
REPORTS = {"fixtures": suites.ROOT / "runtime_check" / "report.json", "wild": suites.ROOT / "runtime_check" / "wild" / "report.json"}
LINTER = "cuwarp-lint --preview"
GPU_TOOLS = ("racecheck", "synccheck")
SUITES = {"fixtures": "this repository's fixtures", "wild": "this repository's kernels after public bugs",
          "ScoR microbenchmarks": "", "ScoR applications": "", "GPUVerify suite": "", "GPUVerify benchmarks": "", "faial tutorial": "",
          "compute-sanitizer-samples": ""}


def rows_of(name):
    path = HERE / name
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


class Data:
    def __init__(self):
        self.static = load(HERE / "static.json")
        self.runs = load(HERE / "runs.json")
        judged = suites.overrides()
        self.programs = {}
        for key, row in self.static["programs"].items():
            label = judged.get((row["suite"], row["name"]), (row["label"],))[0]
            if label != "out":
                self.programs[key] = {**row, "label": label}
        self.own = {suite: self.own_reports(suite, load(path)) for suite, path in REPORTS.items()}

    @staticmethod
    def own_reports(suite, report):
        """{file: {tool: most reports of its kernels}} of the harness."""
        found = {}
        for row in report.get("hazards", []) + report.get("corrected", []):
            folder = "fixtures/" if suite == "fixtures" else "runtime_check/wild/"
            key = row["file"].removeprefix(folder).removesuffix(".cu")
            for tool in GPU_TOOLS:
                if "reports" in row["checks"].get(tool, {}):
                    said = found.setdefault(key, {})
                    said[tool] = max(said.get(tool, 0), row["checks"][tool]["reports"])
        return found

    def answer(self, tool, key):
        """Whether the tool reports something in that program; None: it could not look at it."""
        row = self.programs[key]
        if tool in GPU_TOOLS:
            if row["suite"] in self.own:
                said = self.own[row["suite"]].get(row["name"], {}).get(tool)
            else:
                said = self.runs.get("programs", {}).get(key, {}).get(tool, {}).get("reports")
            return None if said is None else said > 0
        result = row.get(tool)
        return None if not result or result.get("unread") else result["reports"] > 0

    def counts(self, tool, suite):
        found = {"hit": 0, "miss": 0, "false": 0, "quiet": 0, "unread": 0}
        for key, row in self.programs.items():
            if row["suite"] == suite:
                said = self.answer(tool, key)
                hazard = row["label"] == "hazard"
                found["unread" if said is None else ("hit" if said else "miss") if hazard else ("false" if said else "quiet")] += 1
        return found

    def seconds(self, tool):
        if tool in GPU_TOOLS:
            times = [r[tool]["seconds"] for r in self.runs.get("programs", {}).values() if tool in r]
        else:
            times = [row[tool]["seconds"] for row in self.programs.values() if tool in row]
        return (statistics.median(times), max(times)) if times else None

    def tools(self):
        return [*self.static["tools"], *GPU_TOOLS]


def wrong_answers(data):
    """The linter's misses and false findings: ([key], [key])."""
    misses = [k for k, r in data.programs.items() if r["label"] == "hazard" and not data.answer(LINTER, k)]
    false = [k for k, r in data.programs.items() if r["label"] == "correct" and data.answer(LINTER, k)]
    return misses, false


def explained(name):
    return {"%s:%s" % (row["suite"], row["program"]): row for row in rows_of(name)}


def unexplained(data):
    """What the CSV files lack or have too much."""
    for name, keys in zip(("misses.csv", "false.csv"), wrong_answers(data)):
        rows = explained(name)
        yield from ("%s lacks %s" % (name, key) for key in keys if key not in rows)
        yield from ("%s explains %s, which the data does not have" % (name, key) for key in rows if key not in keys)
    for key, row in explained("misses.csv").items():
        if key in data.programs and ("--possible" in row["cause"]) != bool(data.answer(LINTER + " --possible", key)):
            yield "misses.csv is wrong about --possible of %s" % key


def cell(counts):
    looked = counts["hit"] + counts["miss"] + counts["false"] + counts["quiet"]
    if not looked:
        return "–"
    hazards, sound = counts["hit"] + counts["miss"], counts["false"] + counts["quiet"]
    return "%d of %d, %d of %d" % (counts["hit"], hazards, counts["false"], sound) + (
        " (%d not read)" % counts["unread"] if counts["unread"] else "")


NEEDS = {
    "cuwarp-lint": "the sources",
    "cuwarp-lint --preview": "the sources",
    "cuwarp-lint --preview --possible": "the sources",
    "clang": "the sources and the CUDA toolkit's headers; `-Wall -Wextra`",
    "clang-tidy": "the same; concurrency and clang-analyzer checks, the others look at style and values",
    "cppcheck": "the sources; `--enable=all`",
    "racecheck": "a program with a main(), nvcc, a GPU, an input that runs the bug",
    "synccheck": "the same",
}


def table_of_tools(data):
    yield "| tool | version | needs | seconds for a program: median, most |"
    yield "|---|---|---|---|"
    for tool in data.tools():
        times = data.seconds(tool)
        version = data.static["tools"].get(tool) or "compute-sanitizer of CUDA %s" % data.runs.get("machine", {}).get("toolkit", "")
        yield "| %s | %s | %s | %s |" % (tool, version, NEEDS[tool], "%.2f, %.1f" % times if times else "–")


def table_of_answers(data):
    present = [s for s in SUITES if any(r["suite"] == s for r in data.programs.values())]
    yield "| tool | %s | all |" % " | ".join(present)
    yield "|---" * (len(present) + 2) + "|"
    for tool in data.tools():
        counts = [data.counts(tool, suite) for suite in present]
        total = {name: sum(c[name] for c in counts) for name in counts[0]}
        yield "| %s | %s |" % (tool, " | ".join(cell(c) for c in [*counts, total]))


def quoted(text):
    return text.replace("|", "\\|")


def table_of(name, columns):
    yield "| program | %s |" % " | ".join(columns)
    yield "|---" * (len(columns) + 1) + "|"
    for row in sorted(rows_of(name), key=lambda r: (list(SUITES).index(r["suite"]), r["program"])):
        yield "| %s: `%s` | %s |" % (row["suite"], row["program"], " | ".join(quoted(row[c]) for c in columns))


def only_by_possible(data):
    tool = LINTER + " --possible"
    return sum(1 for key in wrong_answers(data)[0] if data.answer(tool, key))


def words_of_answers(data):
    misses, false = wrong_answers(data)
    hazards = sum(r["label"] == "hazard" for r in data.programs.values())
    foreign = [r for r in data.programs.values() if r["suite"] not in REPORTS]
    lost = [k for k in misses if data.programs[k]["suite"] not in REPORTS]
    yield ("%d programs, %d with a hazard. The linter with its preview rules reports %d of these as definite and misses %d, and reports %d of"
           " the %d correct ones. %d of the misses it shows with `--possible`." % (
               len(data.programs), hazards, hazards - len(misses), len(misses), len(false), len(data.programs) - hazards,
               only_by_possible(data)))
    yield ("The first two suites are this repository's own: their hazards are those that the linter's tests ask for, so they say what the"
           " other tools see of them and nothing about the linter. Of the %d hazards of others it reports %d." % (
               sum(r["label"] == "hazard" for r in foreign), sum(r["label"] == "hazard" for r in foreign) - len(lost)))


def other_diagnostics(data):
    for tool in ("clang", "clang-tidy", "cppcheck"):
        rows = [r[tool] for r in data.programs.values() if tool in r]
        if rows:
            said = sum(r.get("reports", 0) > 0 for r in rows)
            yield "- %s: says something else in %d programs, something on synchronisation in %d; cannot read %d." % (
                tool, sum(r.get("others", 0) > 0 for r in rows), said, sum(bool(r.get("unread")) for r in rows))


def page(data):
    out = rows_of("labels.csv")
    lines = ["# The linter beside other tools", "",
             "Made by `runtime_check/compare/compare.py` from `static.json`, `runs.json`, `labels.csv`, `misses.csv` and `research.csv` beside it.", "",
             *words_of_answers(data), "",
             "## What each tool reports", "",
             "Hazards reported of all hazards, then correct programs reported of all correct ones. A tool reports a program when it says"
             " anything on synchronisation in it; where it says it is not compared. \"Not read\": it could not look at the program,"
             " a GPU tool where there is no main() or no input.", "",
             *table_of_answers(data), "",
             "Of what the tools for sources say, only what is about races, barriers, divergence or warps counts:", "",
             *other_diagnostics(data), "",
             "## What each tool needs", "", *table_of_tools(data), "",
             "Seconds are of the processor, for GPU tools of the clock. %s" % machine_of(data), "",
             "## What the linter misses, and why", "", *table_of("misses.csv", ["what", "cause"]), ""]
    if rows_of("false.csv"):
        lines += ["## What the linter reports of correct programs, and why", "", *table_of("false.csv", ["what", "cause"]), ""]
    lines += ["## Tools of research", "", "| tool | tried | result |", "|---|---|---|",
              *("| %s | %s | %s |" % (quoted(r["tool"]), quoted(r["tried"]), quoted(r["result"])) for r in rows_of("research.csv")), "",
              "## Labels", "",
              "A suite's label is kept unless it does not hold on Volta and later, or the suite has none. \"out\": wrong for a reason that is not"
              " synchronisation; such a program counts for nobody. Correct programs that the linter reports were read first, so an error among the other labels is less"
              " likely to have been noticed. %d labels were judged:" % len(out), "",
              *table_of("labels.csv", ["label", "reason"]), "",
              "## Where the suites come from", "",
              *("- [%s](https://github.com/%s) at %s" % (r, r, c) for r, c in sorted(data.static["commits"].items())),
              *["", "Of csl-iisc/iGUARD-SOSP21 only the inputs of the ScoR applications are used: its programs are binaries, which no tool for"
                " sources can read."], ""]
    return "\n".join(lines)


def machine_of(data):
    machine = data.runs.get("machine")
    return "GPU tools: %s, driver %s, CUDA %s." % (machine["gpu"], machine["driver"], machine["toolkit"]) if machine else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["page", "open"])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    data = Data()
    problems = list(unexplained(data))
    for problem in problems:
        print(problem)
    if given.what == "open":
        return 1 if problems else 0
    text = page(data)
    if not given.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        problems.append("docs/measurements/tools.md is not the page of the data: run runtime_check/compare/compare.py page")
        print(problems[-1])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
