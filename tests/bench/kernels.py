#!/usr/bin/env python3
"""On what the reading of kernels rests, by repository: the data and the table of docs/measurements/kernels.md.

    kernels.py run --tool build/release/cuwarp-lint --out DIR FOLDER...
    kernels.py data --before DIR|CSV --after DIR --csv docs/measurements/kernels.csv FOLDER...
    kernels.py table docs/measurements/kernels.csv --page docs/measurements/kernels.md [--check]

`run` lints each folder as a whole, with all rules and possible findings, and keeps the JSON report. v0.1.0 counts
nothing of this: built with tests/bench/kernels-v0.1.0.diff it writes a line for each kernel that it analyses to the file
that BASIS_OUT names, and `run` sets that; what it said is also in the data of an earlier measurement. A kernel counts once, however many files read it; it rests on an assumption
when that is so in all of them. `data` also looks for the names of kernels without a launch in the texts of the
repository: a kernel that nothing names outside of its definition and declarations is launched by users of a library, or
by nobody.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

PATTERN, GUESSED, NO_HEADERS = 1, 2, 4
FIELDS = ["repository", "kernels_before", "unread_before", "patterns_before", "blocks_before", "headers_before", "kernels",
          "unread", "patterns", "blocks", "headers", "block_of_run", "launch_unread", "named_nowhere"]
TEXTS = (".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".c", ".inl", ".inc", ".cxx", ".py", ".hh", ".in")
BEGIN, END = "<!-- kernels.py: begin -->\n", "<!-- kernels.py: end -->\n"


def run(options):
    options.out.mkdir(parents=True, exist_ok=True)
    for folder in options.folders:
        report, basis = options.out / f"{folder.name}.json", options.out / f"{folder.name}.basis"
        basis.unlink(missing_ok=True)
        command = [options.tool, ".", "-j2", "-q", "--no-cache", "--isolated", "--possible", "--preview", "--exit-zero",
                   "--output", f"json:{report}"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              env=dict(os.environ, BASIS_OUT=str(basis)))
        if done.returncode not in (0, 3):
            sys.exit(f"{folder}: exit status {done.returncode}")


def totals(coverage):
    return coverage["kernels"], len(coverage["skipped"])


def counts_of_lines(path):
    """What v0.1.0 wrote: unit, file, kernel, line, flags. All instances in all files must have a flag."""
    flags = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []:
        _, file, kernel, at, flag = line.split("\t")
        key = file, kernel, at
        flags[key] = flags.get(key, 7) & int(flag)
    return [sum(bool(f & bit) for f in flags.values()) for bit in (PATTERN, GUESSED, NO_HEADERS)]


def texts_of(folder):
    for path in folder.rglob("*"):
        if path.suffix in TEXTS and path.is_file() and ".git" not in path.parts:
            text = path.read_text(encoding="utf-8", errors="replace")
            yield path, re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: " " + "\n" * m[0].count("\n"), text, flags=re.S)


DECLARED = re.compile(r"(__global__|\bvoid\b)[^;{}]*$")


def is_use(text, at):
    """Is the name at `at` more than that of a definition or declaration?"""
    before, after = text[max(0, at.start() - 300):at.start()], text[at.end():at.end() + 1]
    behind = text[at.end():].lstrip()[:1] if after.isspace() else after
    return not (behind == "(" and DECLARED.search(before))


def named_nowhere(folder, kernels):
    """`kernels`: name, file and line, as the report has them. A macro may define the kernel, `KERNEL(name, args)`."""
    left = {k["kernel"] for k in kernels}
    defined = {(k["kernel"], (folder / k["file"]).resolve(), k["line"]) for k in kernels}
    for path, text in texts_of(folder):
        for name in sorted(left & set(re.findall(r"\w+", text))):
            uses = [text.count("\n", 0, at.start()) + 1 for at in re.finditer(r"\b" + re.escape(name) + r"\b", text)
                    if is_use(text, at)]
            if any((name, path.resolve(), line) not in defined for line in uses):
                left.discard(name)
    return left


def figures_before(before, folder):
    """Of the reports of v0.1.0, or of the data that was made of them."""
    if before.is_file():
        with before.open(encoding="utf-8") as source:
            row = next(r for r in csv.DictReader(source) if r["repository"] == folder.name)
        return [row[field] for field in FIELDS[1:6]]
    coverage = json.loads((before / f"{folder.name}.json").read_text())["coverage"]
    return [*totals(coverage), *counts_of_lines(before / f"{folder.name}.basis")]


def data(options):
    rows = []
    for folder in options.folders:
        after = json.loads((options.after / f"{folder.name}.json").read_text())["coverage"]
        unlaunched = [k for k in after["without"] if "launch" in k["lacks"]]
        nowhere = named_nowhere(folder, unlaunched)
        blocks = sum("block" in k["lacks"] for k in after["without"])
        unnamed = sum(k["kernel"] in nowhere for k in unlaunched)
        rows.append([folder.name, *figures_before(options.before, folder), *totals(after), after["patterns"],
                     after["guessed_launches"], after["missing_headers"], blocks, len(unlaunched) - unnamed, unnamed])
    with options.csv.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows(sorted(rows, key=lambda row: row[0].lower()))


def table_of(rows):
    lines = ["| repository | kernels | not read | patterns | blocks guessed | of these: block of the run | launch not read | "
             "named nowhere | headers missing |\n", "|---|---|---|---|---|---|---|---|---|\n"]
    total = {f: sum(int(r[f]) for r in rows) for f in FIELDS[1:]}
    for r in [*rows, dict(total, repository="**all**")]:
        pairs = [f"{r[f + '_before']} → {r[f]}" for f in ("kernels", "unread", "patterns", "blocks")]
        rest = [str(r[f]) for f in ("block_of_run", "launch_unread", "named_nowhere")]
        cells = [r["repository"], *pairs, *rest, f"{r['headers_before']} → {r['headers']}"]
        lines.append("| " + " | ".join(cells) + " |\n")
    return "".join(lines)


def table(options):
    with options.data.open(encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    page = options.page.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    new = before + BEGIN + table_of(rows) + END + after
    if options.check and new != page:
        sys.exit(f"{options.page}: the table is not that of {options.data}")
    if not options.check:
        options.page.write_text(new, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    folder = {"nargs": "+", "type": lambda p: pathlib.Path(p).resolve(), "metavar": "FOLDER"}
    one = commands.add_parser("run")
    one.add_argument("--tool", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    one.add_argument("--out", required=True, type=lambda p: pathlib.Path(p).resolve())
    one.add_argument("folders", **folder)
    one.set_defaults(do=run)
    two = commands.add_parser("data")
    for name in ("--before", "--after", "--csv"):
        two.add_argument(name, required=True, type=pathlib.Path)
    two.add_argument("folders", **folder)
    two.set_defaults(do=data)
    three = commands.add_parser("table")
    three.add_argument("data", type=pathlib.Path)
    three.add_argument("--page", required=True, type=pathlib.Path)
    three.add_argument("--check", action="store_true")
    three.set_defaults(do=table)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
