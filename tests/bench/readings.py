#!/usr/bin/env python3
"""What the ways to read a tree make of its findings and its coverage: the tables of docs/field-notes.md.

    readings.py --tool build/release/cuwarp-lint [--out DIR] [--only WAY,...] [--args OPTIONS] NAME=DIR[,-IDIR...]...

Each tree is linted once for each way: the default, without include directories from the tree, with
those that are named here in their place, and with files that only instantiate kernels. Places count by file, line, rule and confidence. What a run
printed is kept in --out and used again when it is there. Prints Markdown, and below it each place that differs from the default.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys

WAYS = {
    "auto": [],
    "no-inference": ["--no-inference"],
    "given": ["--no-inference"],
    "instances": ["--instances"],
}


def lint(options, tree, way):
    """The report of one run; a tree without directories of its own has no run with given ones."""
    kept = options.out / f"{tree.name}.{way}.json"
    if not kept.exists():
        given = [f"-I{d}" for d in tree.includes] if way == "given" else []
        command = [options.tool, "--no-cache", "--isolated", "-j1", "-q", "--exit-zero", "--output", f"json:{kept}.new"]
        command += WAYS[way] + options.args + given + ["."]
        done = subprocess.run(command, cwd=tree.folder, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            sys.exit(f"{shlex.join(command)} in {tree.folder}: exit status {done.returncode}")
        pathlib.Path(f"{kept}.new").rename(kept)
    return json.loads(kept.read_text(encoding="utf-8"))


class Tree:
    def __init__(self, text):
        self.name, _, rest = text.partition("=")
        folder, *includes = rest.split(",")
        self.folder = pathlib.Path(folder).resolve()
        self.includes = [str(self.folder / d.removeprefix("-I")) for d in includes]


def places(report):
    return {(f["file"], f["line"], f["rule"], f["confidence"]) for f in report["findings"]}


def difference(ours, theirs):
    lost, more = len(ours - theirs), len(theirs - ours)
    parts = [f"−{lost}"] * bool(lost) + [f"+{more}"] * bool(more)
    return " ".join(parts) or "same"


def cell(coverage):
    text = f"{coverage['analysed']}/{coverage['kernels']}"
    return text + (f", {coverage['degraded']} in part" if coverage["degraded"] else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--out", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--only", default=",".join(WAYS), help="these ways, with commas between")
    parser.add_argument("--args", default="--possible", type=shlex.split, help="options of every run")
    parser.add_argument("trees", nargs="+", type=Tree, metavar="NAME=DIR[,-IDIR...]")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    ways = options.only.split(",")
    detail = []
    print("| tree | " + " | ".join(f"{way}: kernels | findings" for way in ways) + " |")
    print("|---" * (1 + 2 * len(ways)) + "|")
    for tree in options.trees:
        cells, default = [], None
        for way in ways:
            if way == "given" and not tree.includes:
                cells.append("| ")
                continue
            report = lint(options, tree, way)
            found = places(report)
            if default is None:
                default = found
            definite = sum(1 for f in found if f[3] == "definite")
            cells.append(f"{cell(report['coverage'])} | {definite} + {len(found) - definite}, {difference(default, found)}")
            detail += [f"{tree.name} {way} −{place}" for place in sorted(default - found)]
            detail += [f"{tree.name} {way} +{place}" for place in sorted(found - default)]
            detail += [f"{tree.name} {way} skipped {s['kernel']}: {s['reason']}" for s in report["coverage"]["skipped"]]
        print(f"| {tree.name} | " + " | ".join(cells) + " |", flush=True)
    print("\n" + "\n".join(detail))


if __name__ == "__main__":
    main()
