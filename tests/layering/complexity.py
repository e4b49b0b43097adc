#!/usr/bin/env python3
"""Fails when functions of analyzer/ and rules/ grow too long or too branched, one by one or on the whole.

    complexity.py SOURCE_DIR        needs pmccabe
"""

import pathlib
import re
import shutil
import subprocess
import sys

CAP_LINES, CAP_CYCLOMATIC, MEDIAN_LINES, P90_LINES = 80, 25, 13, 35
# cyclomatic, traditional, statements, first line, lines, file(line): name
ROW = re.compile(r"^(\d+)\t\d+\t\d+\t\d+\t(\d+)\t(.*)$")


def measure(files):
    output = subprocess.run(["pmccabe"] + files, check=True, capture_output=True, text=True).stdout
    rows = [ROW.match(line) for line in output.splitlines()]
    return [(int(r[1]), int(r[2]), r[3]) for r in rows if r]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(root):
    if not shutil.which("pmccabe"):
        sys.exit("pmccabe is not installed; cmake/bootstrap.sh --install-only brings it")
    files = sorted(str(f) for top in ("analyzer", "rules") for f in (root / top).rglob("*.c"))
    rows = measure(files)
    if len(rows) < len(files) / 2:
        sys.exit("pmccabe reports %d functions in %d files: its output was not understood" % (len(rows), len(files)))
    bad = ["%s: %d branches, %d lines (caps: %d, %d)" % (name, cyclomatic, lines, CAP_CYCLOMATIC, CAP_LINES)
           for cyclomatic, lines, name in rows if cyclomatic > CAP_CYCLOMATIC or lines > CAP_LINES]
    lines = [row[1] for row in rows]
    median, p90 = percentile(lines, 0.5), percentile(lines, 0.9)
    if median > MEDIAN_LINES:
        bad.append("the median function has %d lines (cap: %d)" % (median, MEDIAN_LINES))
    if p90 > P90_LINES:
        bad.append("one function in ten has more than %d lines (cap: %d)" % (p90, P90_LINES))
    print("\n".join(bad))
    print("%d functions: median %d lines, p90 %d, longest %d; most branches %d"
          % (len(rows), median, p90, max(lines), max(row[0] for row in rows)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
