#!/usr/bin/env python3
"""What the tests of each tier assert, and what they cost.

    tiers.py [--build DIR] [--measure [-R REGEX]]

Assertions are counted in the sources: CHECK…() of C programs with the expectations of the textual IR that they read, assert…() of
Python, announced findings and silent files of the fixtures (once for each front end). Times are those of the last run of each entry
in the build folder (CTestCostData.txt), added up as on one processor.

--measure runs the entries one after the other and prints the processor seconds of each, which a busy machine does not change much,
how long each waits, and what the whole takes on two processors that have nothing else to do. Nightly entries are left out.
"""

import argparse
import heapq
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
C_CHECK = re.compile(r"\bCHECK\w*\(|\bcheck\w*\(")
IR_FILE = re.compile(r'"(?:[\w/]*/)?(\w+\.ir)"')
IR_EXPECTED = re.compile(r";=")
PYTHON_CHECK = re.compile(r"\bself\.(?:assert|fail|check|expect)\w*\(|\bassert\b|\bproblems?\.append\(|\byield \"")
ANNOUNCED = re.compile(r"//~")
FRONT_ENDS = 2


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def of_c(source):
    text = read(source)
    known = {f.name: f for f in (ROOT / "tests").glob("*/*.ir")}
    expected = sum(len(IR_EXPECTED.findall(read(known[name]))) for name in set(IR_FILE.findall(text)) if name in known)
    if '"pass_"' in text:
        expected += sum(len(IR_EXPECTED.findall(read(f))) for f in known.values() if f.name.startswith("pass_"))
    return len(C_CHECK.findall(text)) + expected


def of_fixtures(folder):
    files = [f for f in folder.rglob("*") if f.suffix in (".cu", ".cuh", ".cpp", ".py")]
    return FRONT_ENDS * sum(len(ANNOUNCED.findall(read(f))) or 1 for f in files)


def assertions_of(name, command):
    if name.startswith("fixtures."):
        return of_fixtures(ROOT / "fixtures" / name.partition(".")[2])
    program = pathlib.Path(command[0])
    source = ROOT / "tests/unit" / (program.name.removeprefix("test_") + ".c")
    if source.is_file():
        return of_c(source)
    scripts = [pathlib.Path(word) for word in command if word.endswith(".py")]
    return sum(len(PYTHON_CHECK.findall(read(s))) for s in scripts if s.is_file())


def seconds_by_name(build):
    path = build / "Testing/Temporary/CTestCostData.txt"
    rows = [line.rsplit(" ", 2) for line in read(path).split("---")[0].splitlines()] if path.is_file() else []
    return {row[0]: float(row[2]) for row in rows if len(row) == 3}


def tests_of(build):
    said = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)["tests"]


def property_of(test, name, default):
    return next((p["value"] for p in test["properties"] if p["name"] == name), default)


def tier_of(test):
    labels = property_of(test, "LABELS", [])
    return "nightly" if "nightly" in labels else "fast" if "fast" in labels else "the rest"


def measured(test):
    """Processor seconds with all processes that were waited for, seconds by the clock, whether it passed."""
    began = time.monotonic()
    process = subprocess.Popen(test["command"], cwd=property_of(test, "WORKING_DIRECTORY", "."), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    passed = process.returncode in (0, property_of(test, "SKIP_RETURN_CODE", 0))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, passed


def on_two(costs):
    """Seconds of the whole, when the longest are begun first and a second process of an entry gets no processor."""
    free = [0.0, 0.0]
    for cost in sorted(costs, reverse=True):
        heapq.heappush(free, heapq.heappop(free) + cost)
    return max(free)


def measure(build, pattern):
    costs, failed = {"fast": [], "the rest": []}, 0
    print("processor    clock   entry")
    for test in tests_of(build):
        if tier_of(test) == "nightly" or not re.search(pattern, test["name"]):
            continue
        used, waited, passed = measured(test)
        failed += not passed
        costs[tier_of(test)].append(used)
        print("%9.2f %8.2f   %s%s" % (used, waited, test["name"], "" if passed else " FAILED"), flush=True)
    for tier, of_tier in [*costs.items(), ("all", costs["fast"] + costs["the rest"])]:
        print("%s: %d entries, %.0f processor seconds, %.0f s on two idle processors" % (tier, len(of_tier), sum(of_tier), on_two(of_tier)))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--measure", action="store_true", help="run the entries, one after the other")
    parser.add_argument("-R", dest="pattern", default="", metavar="REGEX", help="with --measure: these entries")
    options = parser.parse_args()
    if options.measure:
        return measure(options.build, options.pattern)
    seconds, tiers = seconds_by_name(options.build), {}
    for test in tests_of(options.build):
        tier = tier_of(test)
        row = tiers.setdefault(tier, [0, 0, 0.0, 0])
        row[0] += 1
        row[1] += assertions_of(test["name"], test.get("command", [""]))
        row[2] += seconds.get(test["name"], 0)
        row[3] += test["name"] not in seconds
    total = sum(row[1] for tier, row in tiers.items() if tier != "nightly")
    for tier, (entries, assertions, spent, never) in sorted(tiers.items()):
        share = "" if tier == "nightly" else ", %.0f %% of the assertions" % (100 * assertions / total)
        print("%s: %d entries, %d assertions%s, %.0f s%s"
              % (tier, entries, assertions, share, spent, ", %d entries not run here yet" % never if never else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
