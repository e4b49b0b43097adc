#!/usr/bin/env python3
"""--dump=NAME of each analysis: the facts of fixtures, against those that were derived by hand.

    dumps.py --bin CUWARP_LINT

dumps.txt has a section for each pair of analysis and fixture, "== NAME FOLDER/FIXTURE", with the reason why the facts are those ("#"),
then the text. UPDATE_SNAPSHOTS=1 rewrites the texts and keeps the reasons: derive what changed again before it is committed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXPECTED = HERE / "dumps.txt"
ARGUMENTS = re.compile(r"^// cuwarp-args: (.*)$", re.M)
ANALYSIS = re.compile(r"^CW_ANALYSIS\((\w+),", re.M)
OTHER = re.compile(r'^CW_DUMP\(\w+, "([^"]+)"', re.M)
TABLE = ROOT / "analyzer/kernel/analyses.def"
PAGE = ROOT / "docs/internals/dumps.md"
PLAIN = "__global__ void plain(int *out) {\n    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n}\n" \
        "void run(int *out) { plain<<<4, 64>>>(out); }\n"


CALLS = """#include <cuda/std/algorithm>
struct pair { float key; };
__device__ bool operator<(pair, pair);
__device__ int mystery(int);
template <typename T> __global__ void count(const T *in, int *out, T limit, int n) {
    __shared__ int s[64];
    int sum = 0;
    for (int k = 0; k < n; k++)
        if (in[k] < limit && T::first + k < limit)
            sum += mystery(k);
    out[threadIdx.x] = cuda::std::max(sum, T::first) + in[0].weight(s);
}
"""


def dump(tool, name, folder, file, arguments=()):
    command = [tool, "--isolated", "--no-cache", *arguments, "--dump", name, file]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def facts_of(tool, name, fixture):
    path = ROOT / "fixtures" / fixture
    given = ARGUMENTS.search(path.read_text(encoding="utf-8"))
    done = dump(tool, name, path.parent, path.name, given[1].split() if given else [])
    return done.stdout.strip("\n") if done.returncode == 0 else "exit %d: %s" % (done.returncode, done.stderr)


def sections():
    """(name, fixture, reason, text) of each section."""
    for part in re.split(r"^== ", EXPECTED.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, *lines = part.split("\n")
        reason = [line for line in lines if line.startswith("#")]
        yield (*head.split(), reason, "\n".join(line for line in lines if not line.startswith("#")).strip("\n"))


def check_sections(tool):
    for name, fixture, reason, text in sections():
        if not reason:
            yield "%s of %s: no reason is given" % (name, fixture)
        if (now := facts_of(tool, name, fixture)) != text:
            yield "%s of %s:\nexpected\n%s\nfound\n%s" % (name, fixture, text, now)
        if "  nothing" in text or "\n  " not in text:
            yield "%s of %s: has no facts" % (name, fixture)


def check_names(tool, names, others):
    """Each analysis has facts in a section, and the page and a message name all dumps."""
    for name in sorted(set(names) - {section[0] for section in sections()}):
        yield "%s: dumps.txt has no facts of it" % name
    page = PAGE.read_text(encoding="utf-8")
    yield from ("docs/internals/dumps.md does not name %s" % name for name in names + others if "`%s`" % name not in page)
    done = dump(tool, "everything", ROOT, "none.cu")
    listed = re.search(r"--dump: 'everything' is none of (.*)$", done.stderr, re.M)
    if done.returncode != 2 or not listed or sorted(listed[1].split(", ")) != sorted(names + others):
        yield "an unknown name does not list all names: %s" % done.stderr


def check_nothing(tool, names):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "plain.cu").write_text(PLAIN, encoding="utf-8")
        for name in names:
            done = dump(tool, name, folder, "plain.cu")
            if (done.returncode, done.stdout) != (0, "%s of plain\n  nothing\n\n" % name):
                yield "%s of a kernel without facts: exit %d, %r" % (name, done.returncode, done.stdout)


def check_calls(tool):
    """Operators of unknown types are no calls, functions of a library are known, a method of an unknown type may order."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "calls.cu").write_text(CALLS, encoding="utf-8")
        done = dump(tool, "calls", folder, "calls.cu")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    found = sorted((row[6], row[5], row[7]) for row in rows if row[:2] == ["template", "count"] and len(row) > 7)
    wanted = [("may", "unknown", "weight"), ("nothing", "unknown", "mystery")]
    if found != wanted:
        yield "--dump=calls: %r\n%s" % (found, done.stderr)


def update(tool):
    out = ["== %s %s\n%s\n%s\n" % (name, fixture, "\n".join(reason), facts_of(tool, name, fixture))
           for name, fixture, reason, _ in sections()]
    EXPECTED.write_text("\n".join(out), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    tool = str(pathlib.Path(parser.parse_args().bin).resolve())
    table = TABLE.read_text(encoding="utf-8")
    names = [name.replace("_", "-") for name in ANALYSIS.findall(table)]
    others = OTHER.findall(table)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        update(tool)
    wrong = [*check_sections(tool), *check_names(tool, names, others), *check_nothing(tool, names), *check_calls(tool)]
    print("\n".join(wrong) or "%d analyses, %d sections" % (len(names), len(list(sections()))))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
