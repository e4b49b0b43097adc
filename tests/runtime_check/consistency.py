#!/usr/bin/env python3
"""What of runtime_check can be checked without a GPU.

    consistency.py --bin cuwarp-lint [--nvcc nvcc]

- The registry names files, kernels and shapes that exist, and each hazard rule that a GPU can show at least twice.
- cuwarp-lint, run over the harness's sources and all registered kernels, reports exactly the registered hazards.
- With --nvcc: one unit of drivers compiles.
- The harness says plainly what is missing where there is no GPU; verdicts are what RUNTIME.md of the design calls them.
"""

import argparse
import dataclasses
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
import claims  # noqa: E402
import differential  # noqa: E402
import plot  # noqa: E402
import registry  # noqa: E402
import table  # noqa: E402
import verdicts  # noqa: E402
from checks import Result  # noqa: E402

RULE = re.compile(r'^CW_RULE\(\w+, "([\w-]+)", "(\w+)", \w+, (\w+),', re.M)
ARGUMENTS = re.compile(r"^// cuwarp-args: (.*)$", re.M)
MEASURED = ROOT / "runtime_check" / "measure" / "hazards.cuh"  # measured beside their corrections, and marked as in fixtures
WILD = ROOT / "runtime_check" / "wild"  # wild.py looks at these
HAZARDS = {"barrier", "mask", "activemask", "race", "coop", "volta", "sanity", "blocks"}  # the others are about speed and cleanliness


def hazard_rules():
    """Rule -> how many of its hazards must be registered: a rule in preview need not be confirmed yet."""
    text = (ROOT / "rules" / "rules.def").read_text(encoding="utf-8")
    return {name: 0 if preview == "true" else 2 for name, category, preview in RULE.findall(text) if category in HAZARDS}


def check_registry(entries):
    """Problems, as text."""
    rules = hazard_rules()
    counts = {rule: 0 for rule in rules}
    for entry in entries:
        if not entry.hazard:
            continue
        if entry.rule not in counts:
            yield "%s: there is no hazard rule %s" % (entry.place, entry.rule)
            continue
        counts[entry.rule] += 1
        if not entry.corrected:
            yield "%s: nothing corrects %s" % (entry.place, entry.hazard)
    for rule, count in counts.items():
        if rule in registry.NOT_FOR_A_GPU:
            if count:
                yield "%s is registered, and listed as nothing for a GPU" % rule
        elif count < rules[rule]:
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
    groups = {(): [path for path in sorted((ROOT / "runtime_check").iterdir()) if path.is_dir() and path != WILD]}
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
        ({"plain": good, "skewed": good, "racecheck": Result("done", 2, 2, "blocks", reports=0)}, "wrong under racecheck"),
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
    call = {"whole": True}
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
    yield from check_claimed_races()
    yield from check_merged_calls()
    yield from check_traced_barriers()


def check_claimed_races():
    """Both sides are read, also of an atomic and of an inlined function; what is read unwritten has one side."""
    lines = ["races of k<1, 2>", "  definite block, on $s+4 (4 bytes), write store at a, b.cu:5:9 from a, b.cu:3:1, by thread 1 in warp 0 "
             "0x00000002, iteration 2, atomic write atomic at a, b.cu:4:5, by thread 32 in warp 1 0x00000001, also load at a, b.cu:7:2 "
             "from a, b.cu:3:1, with store at a, b.cu:6:2, ordered by a block barrier, before atomic at a, b.cu:4:5",
             "  possible unwritten, on $s+0 (4 bytes), read load at a, b.cu:8:1, by thread 0 in warp 0 0x00000001", ""]
    wanted = [{"kernel": "k<1, 2>", "definite": True, "pairs": [[6, 7], [4, 5]]}]
    if claims.races_in(lines) != wanted:
        yield "the races of a dump are read as %s" % claims.races_in(lines)


def check_merged_calls():
    """A helper called by each half: both come to its place. What is said for the case that anybody comes says nothing otherwise."""
    call = {"op": "shfl", "block": [32, 1, 1], "offset": 7, "line": 2, "iteration": None, "chosen": False, "if_any": False}
    halves = [{**call, "warps": {"0": {"arrives": 0xffff, "elsewhere": 0xffff0000}}},
              {**call, "warps": {"0": {"arrives": 0xffff0000, "elsewhere": 0xffff}}}]
    both = differential.merged(halves)
    wanted = [(both[0], {"0": (0xffffffff, 0xffff)}, False), (both[0], {"0": (0xffff, 0xffff)}, True),
              (differential.merged(halves[:1])[0], {"0": (0xffffffff, 0xffff)}, True),
              ({**both[0], "if_any": True}, {}, False), (both[0], {}, True)]
    if len(both) != 1:
        yield "two calls of one helper are %d places" % len(both)
    for one, seen, differs in wanted:
        if bool(differential.compare_call(one, seen)) != differs:
            yield "%s against %s: %r" % (one["warps"], seen, differential.compare_call(one, seen))
    in_loop = differential.merged([{**halves[0], "iteration": 0}, {**halves[0], "iteration": 3}])
    if len(in_loop) != 2 or differential.compare_call(in_loop[0], {"0": (0xffffffff, 0xffff)}):
        yield "in a loop others may come in other rounds: %s" % in_loop


def check_traced_barriers():
    case = registry.load()[1]["missing-syncthreads/bad_reverse#0"]
    line = "========= Barrier called by threads starting at (%d,0,0) in block (%d,0,0), (active mask: %s) at f(int *)+0x10 in bad_reverse.cu:9\n"
    text = line % (32, 0, "0x0000ffff") + line % (32, 0, "0xffffffff") + line % (0, 3, "0xffffffff")
    if differential.traced_barriers(text, case) != {9: {"1": (0xffffffff, 0xffffffff)}}:
        yield "the trace is read as %s" % differential.traced_barriers(text, case)


def check_shares():
    """Two hazards of one process: what the tool says is told apart by who launched the kernel, or by where it stands."""
    entries = {"a/x#0": {"space": "fixture_1", "call": "case_0"}, "b/y#0": {"space": "fixture_2", "call": "case_0"}}
    cases = [case for case in registry.load()[1].values()][:2]
    cases = [dataclasses.replace(case, name=name) for case, name in zip(cases, entries)]
    race = "========= Error: Race reported between Write access at fixture_%d::k(int *)+0x10 in f.cu:6\n=========     and Read access at k\n========= \n"
    error = "========= Barrier error detected. Divergent thread(s) in warp.\n=========     Host Frame: fixture_2::case_0() [0x1] in p\n========= \n"
    trace = "========= Barrier called by threads starting at (0,0,0) in block (0,0,0), (active mask: 0x1) at fixture_1::k()+0x1 in f.cu:3\n"
    shares = checks.shares_of(trace + race % 1 + "{}\n" + trace + race % 2 + error, cases, entries)
    counts = {name: n for name, (n, _) in shares.items()} if shares else None
    if counts != {"a/x#0": 1, "b/y#0": 2} or "Barrier called" not in shares["a/x#0"][1] or "Barrier called" in shares["b/y#0"][1]:
        yield "what is said of two cases is told apart as %s" % shares
    if checks.shares_of("========= Error: something\n========= \n", cases, entries) is not None:
        yield "a report of which nobody knows whose it is"


def check_table():
    """What explain shows is what the committed report says, and the report is about what is registered."""
    if not table.REPORT.is_file():
        return
    report = json.loads(table.REPORT.read_text(encoding="utf-8"))
    if table.TABLE.read_text(encoding="utf-8") != table.table_of(report, table.costs()):
        yield "runtime_check/verdicts.def is not what report.json says: run runtime_check/accept.sh"
    for row in report["hazards"]:
        said = {check: Result(**result) for check, result in row["checks"].items()}
        if verdicts.verdict_of(said) != row["verdict"]:
            yield "report.json: %s is %r by its checks" % (row["name"], verdicts.verdict_of(said))
        if not (ROOT / row["file"]).is_file():
            yield "report.json speaks of %s, which is gone" % row["file"]


def check_not_shown():
    """Each hazard that was never seen wrong has its reason, and no other has one; the page is that of the data."""
    report = json.loads(table.REPORT.read_text(encoding="utf-8"))
    names = {row["name"].partition("#")[0] for row in verdicts.not_shown(report)}
    reasons = plot.reasons_not_shown()
    yield from ("not_shown.csv has no reason for %s" % name for name in sorted(names - reasons.keys()))
    yield from ("not_shown.csv has a reason for %s, which shows" % name for name in sorted(reasons.keys() - names))
    if (ROOT / "docs" / "measurements" / "hazards.md").read_text(encoding="utf-8") != plot.page(report):
        yield "docs/measurements/hazards.md is not what report.json says: run runtime_check/accept.sh"


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
    problems = [*check_registry(entries), *check_launches(cases), *check_verdicts(), *check_sanitizer_output(), *check_differential(), *check_shares(),
                *check_without_gpu(), *check_table(), *check_not_shown(), *check_units(options.nvcc), *check_lint(options.bin, cases)]
    for problem in problems:
        print(problem)
    roles = [case.role for case in cases.values()]
    print("%d hazards, %d corrected, %d reference kernels; %d problems" % (
        roles.count("hazard"), roles.count("corrected"), roles.count("reference"), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
