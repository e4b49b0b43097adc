#!/usr/bin/env python3
"""What of runtime_check can be checked without a GPU.

    consistency.py --bin cuwarp-lint [--nvcc nvcc]

- The registry names files, kernels and shapes that exist, and each hazard rule that a GPU can show at least twice.
- cuwarp-lint, run over the harness's sources and all registered kernels, reports exactly the registered hazards.
- With --nvcc: one unit of drivers compiles.
- The harness says plainly what is missing where there is no GPU; verdicts are what RUNTIME.md of the design calls them.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HARNESS = ROOT / "runtime_check" / "harness"
sys.path.insert(0, str(HARNESS))

import checks  # noqa: E402
import differential  # noqa: E402
import registry  # noqa: E402
import table  # noqa: E402
import verdicts  # noqa: E402
from checks import Result  # noqa: E402

RULE = re.compile(r'^CW_RULE\(\w+, "([\w-]+)", "(\w+)",', re.M)
ARGUMENTS = re.compile(r"^// cuwarp-args: (.*)$", re.M)
MEASURED = ROOT / "runtime_check" / "measure" / "hazards.cuh"  # measured beside their corrections, and marked as in fixtures
HAZARDS = {"barrier", "mask", "activemask", "race", "coop", "volta", "sanity"}  # the others are about speed and cleanliness


def hazard_rules():
    text = (ROOT / "rules" / "rules.def").read_text(encoding="utf-8")
    return [name for name, category in RULE.findall(text) if category in HAZARDS]


def check_registry(entries):
    """Problems, as text."""
    rules = hazard_rules()
    counts = {rule: 0 for rule in rules}
    for entry in entries:
        if not entry.hazard:
            continue
        if entry.rule not in counts:
            yield "registry.txt:%d: there is no hazard rule %s" % (entry.line, entry.rule)
            continue
        counts[entry.rule] += 1
        if not entry.corrected:
            yield "registry.txt:%d: nothing corrects %s" % (entry.line, entry.hazard)
    for rule, count in counts.items():
        if rule in registry.NOT_FOR_A_GPU:
            if count:
                yield "%s is registered, and listed as nothing for a GPU" % rule
        elif count < 2:
            yield "%s has %d registered hazards, two are due" % (rule, count)


def check_launches(cases):
    """A fault must be the hazard's and not the launch's."""
    for case in cases.values():
        text = case.path.read_text(encoding="utf-8")
        for kernel in re.split(r"\b__global__\b", text)[1:]:
            name = case.kernel.partition("<")[0]
            if re.match(r"[^{;]*\b%s\s*\(" % name, kernel) and "extern __shared__" in kernel and not all(r.shared for r in case.runs):
                yield "%s: %s has dynamic shared memory, and its cuwarp-run line no smem=" % (case.file, name)


def arguments_of(path):
    found = ARGUMENTS.search(path.read_text(encoding="utf-8"))
    return tuple(shlex.split(found[1])) if found else ()


def findings(tool, arguments, paths):
    """{file: {rule: {lines}}}"""
    done = subprocess.run([tool, *arguments, "--preview", "--no-cache", "--fail-on", "info", "--output", "json", *map(str, paths)],
                          capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 1):
        sys.exit("%s failed: %s" % (tool, done.stderr))
    found = {}
    for finding in json.loads(done.stdout)["findings"]:
        place = found.setdefault((pathlib.Path.cwd() / finding["file"]).resolve(), {})
        place.setdefault(finding["rule"], set()).add(finding["line"])
    return found


def lint_all(tool, cases):
    groups = {(): [ROOT / "runtime_check"]}
    for path in sorted({case.path for case in cases.values()}):
        groups.setdefault(arguments_of(path), []).append(path)
    found = {}
    for arguments, paths in groups.items():
        found.update(findings(tool, arguments, paths))
    return found


def check_lint(tool, cases):
    found = lint_all(tool, cases)
    if MEASURED.is_file():
        lines = enumerate(MEASURED.read_text(encoding="utf-8").split("\n"), start=1)
        marked = {number for number, line in lines if "//~" in line}
        reported = set().union(*found.pop(MEASURED, {}).values())
        if marked != reported:
            yield "%s: lines %s are marked, %s are reported" % (MEASURED, sorted(marked), sorted(reported))
    expected = {case.path: case.rule for case in cases.values() if case.role == "hazard"}
    for path, rules in found.items():
        if path not in expected:
            yield "%s is reported (%s), and is no registered hazard" % (path, ", ".join(sorted(rules)))
    for path, rule in expected.items():
        if rule not in found.get(path, ()):
            yield "%s is registered as %s, which is not reported" % (path, rule)


def check_verdicts():
    good, silent = Result("done", 0, 100, "blocks"), Result("done", reports=0)
    wanted = [
        ({"plain": Result("done", 3, 100, "blocks"), "skewed": Result("hang")}, "wrong results"),
        ({"plain": good, "skewed": Result("done", 100, 100, "blocks"), "racecheck": silent}, "wrong when skewed"),
        ({"plain": Result("hang")}, "hang"),
        ({"plain": Result("fault")}, "fault"),
        ({"plain": good, "skewed": Result("hang")}, "hang when skewed"),
        ({"plain": good, "skewed": good, "debug": Result("done", 1, 5, "blocks")}, "wrong with -G"),
        ({"plain": good, "skewed": good, "synccheck": Result("done", reports=2)}, "sanitizer only"),
        ({"plain": good, "skewed": good, "synccheck": silent}, "not reproduced on this GPU"),
        ({"plain": Result("failed")}, "not run"),
    ]
    for results, verdict in wanted:
        if verdicts.verdict_of(results) != verdict:
            yield "the verdict is %r where %r is due" % (verdicts.verdict_of(results), verdict)
    if not verdicts.is_sound({"plain": good, "racecheck": silent}) or verdicts.is_sound({"plain": good, "racecheck": Result("done", reports=1)}):
        yield "a sound kernel is one of which no sanitizer says a word"


def check_sanitizer_output():
    line = Result("done", 0, 5, "blocks")
    texts = [("========= RACECHECK SUMMARY: 3 hazards displayed (3 errors, 0 warnings)", "done", 3),
             ("========= ERROR SUMMARY: 0 errors", "done", 0),
             ("Device not supported", "missing", -1),
             ("nothing that is known", "failed", -1)]
    for text, outcome, reports in texts:
        result = checks.with_reports(Result(line.outcome, 0, 5, "blocks"), text)
        if (result.outcome, result.reports) != (outcome, reports):
            yield "%r is read as %s, %d reports" % (text, result.outcome, result.reports)


def check_differential():
    """A call in line 2 that lanes 0 to 15 reach, by a mark right in front of it."""
    call = {"iteration": None}
    lanes = {"arrives": 0xffff, "exited": 0xffff0000}
    data = {"arrives": 0xff, "data": 0xff00}
    wanted = [(lanes, (0xffff, 0xffff), True), (lanes, (0xffff, 0xff), True), (lanes, (0xfffe, 0xfffe), False),
              (lanes, (0x1ffff, 0xffff), False), (data, (0xff, 0xff), True), (data, (0xffff, 0xfff), True),
              (data, (0xfe, 0xfe), False)]
    for claim, seen, agrees in wanted:
        if (differential.compare_warp(call, claim, seen) == "") != agrees:
            yield "%s against %s: %r" % (claim, seen, differential.compare_warp(call, claim, seen))
    text = b"mark; x = f(a); if (b && vote()) g();"
    places = [{"id": 4, "offset": 6}, {"id": 5, "offset": 16}]
    if differential.mark_of({"offset": 10}, places, text) != 4 or differential.mark_of({"offset": 25}, places, text) is not None:
        yield "a mark stands for a call when nothing between them can part the lanes"
    output = ("========= Error: Race reported between Write access at k(int *)+0x10 in a.cu:6\n"
              "=========     and Read access at k(int *)+0x20 in a.cu:7 [128 hazards]\n========= \n"
              "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n")
    if differential.races_in(output, "a") != [(6, 7)]:
        yield "racecheck's lines are read as %s" % differential.races_in(output, "a")


def check_table():
    """What explain shows is what the committed report says, and the report is about what is registered."""
    if not table.REPORT.is_file():
        return
    report = json.loads(table.REPORT.read_text(encoding="utf-8"))
    if table.TABLE.read_text(encoding="utf-8") != table.table_of(report):
        yield "runtime_check/verdicts.def is not what report.json says: run runtime_check/accept.sh"
    for row in report["hazards"]:
        if not (ROOT / row["file"]).is_file():
            yield "report.json speaks of %s, which is gone" % row["file"]


def check_without_gpu():
    done = subprocess.run([sys.executable, str(HARNESS / "confirm.py"), "--build", "/nonexistent"], capture_output=True, text=True)
    if done.returncode != 2 or "nothing is built" not in done.stderr:
        yield "confirm.py without a build: exit status %d, %s" % (done.returncode, done.stderr)


def check_units(nvcc):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, str(HARNESS / "generate.py"), "--out", folder, "--architecture", "75"],
                              capture_output=True, text=True)
        units = done.stdout.split()
        if done.returncode or not units:
            yield "generate.py: %s" % done.stderr
        elif nvcc:
            unit = min(units, key=lambda u: pathlib.Path(u).stat().st_size)
            built = subprocess.run([nvcc, "-std=c++17", "-arch=sm_75", "-w", "-c", "-o", folder + "/unit.o", unit],
                                   capture_output=True, text=True)
            if built.returncode:
                yield "%s does not compile:\n%s" % (unit, built.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--nvcc", default="")
    options = parser.parse_args()
    entries, cases = registry.load()
    problems = [*check_registry(entries), *check_launches(cases), *check_verdicts(), *check_sanitizer_output(), *check_differential(), *check_without_gpu(), *check_table(),
                *check_units(options.nvcc), *check_lint(options.bin, cases)]
    for problem in problems:
        print(problem)
    roles = [case.role for case in cases.values()]
    print("%d hazards, %d corrected, %d reference kernels; %d problems" % (
        roles.count("hazard"), roles.count("corrected"), roles.count("reference"), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
