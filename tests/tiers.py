#!/usr/bin/env python3
"""What the tests of each tier assert, and what they cost.

    tiers.py [--build DIR]

Assertions are counted in the sources: CHECK…() of C programs with the expectations of the textual IR that they read, assert…() of
Python, announced findings and silent files of the fixtures (once for each front end). Times are those of the last run of each entry
in the build folder (CTestCostData.txt), added up as on one processor.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    build = parser.parse_args().build
    said = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True)
    seconds, tiers = seconds_by_name(build), {}
    for test in json.loads(said.stdout)["tests"]:
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        tier = "nightly" if "nightly" in labels else "fast" if "fast" in labels else "the rest"
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
